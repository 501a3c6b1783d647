//! Hosts of login links.

use std::fmt;
use std::str::FromStr;

use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;
use url::{Host, Url};

/// The host of an app's links: a lower-case name, with a port unless it is 443. Phones with the app
/// open links to this host in it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr)]
pub struct LinkHost(String);

/// The error for a text that is not a link host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a link host is a name with an optional port, such as login.shop.example")]
pub struct MalformedLinkHost;

impl LinkHost {
    pub(crate) fn of(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        Self(match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        })
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for LinkHost {
    type Err = MalformedLinkHost;

    /// Parses a host. IP addresses are refused, because app links are only verified for names.
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
    fn link_host_is_a_name_with_an_optional_port() {
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
