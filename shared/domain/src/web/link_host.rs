//! The host of login links.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use url::{Host, Url};

/// The host of an app's links: a name in lower case, with a port where it is not 443. Phones that
/// have the app open its links in it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkHost(String);

/// A text that is no host of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a link host is a name with a port at most, as in login.shop.example")]
pub struct MalformedLinkHost;

impl LinkHost {
    pub(crate) fn of(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        Self(match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        })
    }

    /// The host's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for LinkHost {
    type Err = MalformedLinkHost;

    /// Reads a host. Addresses are refused: app links are verified for names alone.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-' | b':');
        if text.is_empty() || text.len() > 260 || !text.bytes().all(plain) {
            return Err(MalformedLinkHost);
        }
        let url = Url::parse(&format!("https://{text}")).map_err(|_| MalformedLinkHost)?;
        match url.host() {
            Some(Host::Domain(name)) if is_name(name) && !text.ends_with(':') => Ok(Self::of(&url)),
            _ => Err(MalformedLinkHost),
        }
    }
}

fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(label)
}

impl fmt::Display for LinkHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for LinkHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names() {
        for (text, expected) in [
            ("Login.Shop.Example", "login.shop.example"),
            ("localhost:8443", "localhost:8443"),
            ("a.example:443", "a.example"),
        ] {
            assert_eq!(text.parse::<LinkHost>().unwrap().as_str(), expected);
        }
        for text in [
            "",
            "a.example/",
            "https://a.example",
            "a b",
            "1.2.3.4",
            "[::1]",
            "a..b",
            ".a",
            "a.",
            "-a.example",
            "a.example:",
            "a.example:99999",
            "user@a.example",
            "a_b.example",
        ] {
            assert_eq!(text.parse::<LinkHost>(), Err(MalformedLinkHost), "{text}");
        }
    }
}
