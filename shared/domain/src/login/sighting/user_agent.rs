//! What a client says that it is (header `User-Agent`).

/// The longest header value that is kept, in characters.
const LONGEST: usize = 256;

/// The header's value: no control characters, at most 256 characters, empty where there was none.
/// Anybody can write anything there, so that it is for people to read and decides nothing alone.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct UserAgent(String);

/// Browsers by what their headers hold, the telling before the general: most claim to be others
/// too.
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

/// Systems likewise.
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
    /// The header's value as it is kept.
    #[must_use]
    pub fn new(header: &str) -> Self {
        let plain = header.chars().filter(|c| !c.is_control());
        let kept: String = plain.take(LONGEST).collect();
        Self(kept.trim().to_owned())
    }

    /// The value.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How people are told of it: `Firefox on Linux`.
    #[must_use]
    pub fn name(&self) -> String {
        let find = |known: &[(&str, &'static str)]| {
            let found = known.iter().find(|(mark, _)| self.0.contains(mark));
            found.map(|(_, name)| *name)
        };
        match (find(&BROWSERS), find(&SYSTEMS)) {
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
    fn people_are_told_browser_and_system() {
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
    fn headers_are_kept_short_and_plain() {
        assert_eq!(UserAgent::new(" a\u{1b}[31mb\r\n").as_str(), "a[31mb");
        assert_eq!(UserAgent::new(&"x".repeat(999)).as_str().len(), 256);
    }
}
