//! User agents: clients' own descriptions of themselves (header `User-Agent`).

use serde::{Deserialize, Serialize};
/// Maximum length of a stored header value, in characters.
const MAX_CHARS: usize = 256;

/// The header's value: without control characters, at most 256 characters, empty if absent. Clients
/// can write anything there, so the value is only for people to read and never decides anything by
/// itself.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UserAgent(String);

/// Substrings of headers, with the browsers that they identify. Specific ones come before general
/// ones, because most browsers also claim to be others.
const BROWSERS: [(&str, &str); 10] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi/", "Vivaldi"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
];

/// Substrings of headers, with the systems that they identify, in the same order.
const SYSTEMS: [(&str, &str); 8] = [
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
    ("FreeBSD", "FreeBSD"),
];

impl UserAgent {
    /// Cleans a header's value.
    #[must_use]
    pub fn new(header: &str) -> Self {
        let plain = header.chars().filter(|c| !c.is_control());
        let kept: String = plain.take(MAX_CHARS).collect();
        Self(kept.trim().to_owned())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the names of the browser and its system, as far as they are recognized.
    #[must_use]
    pub fn parts(&self) -> (Option<&'static str>, Option<&'static str>) {
        let find = |known: &[(&str, &'static str)]| {
            let found = known.iter().find(|(mark, _)| self.0.contains(mark));
            found.map(|(_, name)| *name)
        };
        (find(&BROWSERS), find(&SYSTEMS))
    }

    /// Identifies the client by browser and system: `Firefox on Linux`. Later releases must return
    /// the same names, because remembered browsers are compared by them.
    #[must_use]
    pub fn name(&self) -> String {
        match self.parts() {
            (Some(browser), Some(system)) => format!("{browser} on {system}"),
            (Some(browser), None) => browser.to_owned(),
            (None, Some(system)) => format!("unknown browser on {system}"),
            (None, None) => "unknown browser".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_browser_and_system() {
        let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
        let chrome = format!("{webkit} Chrome/140.0.0.0 Safari/537.36");
        for (header, name) in [
            (
                format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {chrome}"),
                "Chrome on Windows",
            ),
            (
                format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {chrome} Edg/140.0.0.0"),
                "Edge on Windows",
            ),
            (
                format!("Mozilla/5.0 (Linux; Android 15; K) {chrome}"),
                "Chrome on Android",
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0".to_owned(),
                "Firefox on Linux",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 \
                 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
                    .to_owned(),
                "Safari on iOS",
            ),
            ("curl/8.9".to_owned(), "curl"),
            (
                "Mozilla/5.0 (X11; Linux)".to_owned(),
                "unknown browser on Linux",
            ),
            (String::new(), "unknown browser"),
        ] {
            assert_eq!(UserAgent::new(&header).name(), name, "{header}");
        }
    }

    #[test]
    fn header_is_cleaned_and_shortened() {
        assert_eq!(UserAgent::new(" a\u{1b}[31mb\r\n").as_str(), "a[31mb");
        assert_eq!(UserAgent::new(&"x".repeat(999)).as_str().len(), 256);
    }
}
