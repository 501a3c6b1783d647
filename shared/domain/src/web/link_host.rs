//! Hosts of login links.

use std::fmt;
use std::str::FromStr;

use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;
use url::{Host, Url};

/// Hosts that mean the machine itself. Other spellings of them are not accepted.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The host of an app's links: a lower-case name, with a port unless it is the default port of the
/// [scheme](Self::scheme). Phones with the app open links to this host in the app.
///
/// A loopback host (`localhost`, `127.0.0.1`, `[::1]`) belongs to a server in local mode.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr)]
pub struct LinkHost(String);

/// The error for a text that is not a link host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a link host is a name with an optional port, such as login.shop.example")]
pub struct MalformedLinkHost;

impl LinkHost {
    pub(crate) fn from_url(url: &Url) -> Self {
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

    /// Returns whether links to this host lead to the machine itself.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        LOOPBACK.iter().any(|name| {
            let rest = self.0.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        })
    }

    /// Returns the scheme of links to this host: `https`, or `http` for a server in local mode, which has no
    /// certificate. Data sent to such a server never leaves the machine.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        if self.is_loopback() { "http" } else { "https" }
    }
}

impl FromStr for LinkHost {
    type Err = MalformedLinkHost;

    /// Parses a host. IP addresses other than the loopback hosts are refused, because app links are only
    /// verified for names.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = |c: u8| c.is_ascii_alphanumeric() || b".-:[]".contains(&c);
        if text.is_empty() || text.len() > 260 || text.ends_with(':') || !text.bytes().all(plain) {
            return Err(MalformedLinkHost);
        }
        let written = Self(text.to_ascii_lowercase());
        // The default port of each scheme is omitted.
        let url = Url::parse(&format!("{}://{text}", written.scheme()));
        let url = url.map_err(|_| MalformedLinkHost)?;
        match url.host() {
            _ if written.is_loopback() => Ok(Self::from_url(&url)),
            Some(Host::Domain(name)) if is_name(name) => Ok(Self::from_url(&url)),
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
            ("localhost.example:8443", "localhost.example:8443"),
            ("a.example:443", "a.example"),
            ("a.example:80", "a.example:80"),
        ] {
            let host = text.parse::<LinkHost>().unwrap();
            assert_eq!(host.as_str(), expected);
            assert_eq!(host.scheme(), "https", "{text}");
        }
        for text in [
            "",
            "a.example/",
            "https://a.example",
            "a b",
            "1.2.3.4",
            "127.0.0.2",
            "127.1",
            "0x7f.0.0.1",
            "127.0.0.1.",
            "::1",
            "[::1",
            "[::1]x",
            "[::2]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
            "localhost:",
            "localhost:x",
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

    #[test]
    fn loopback_host_has_http_and_leaves_out_its_port() {
        for (text, expected) in [
            ("LocalHost:8787", "localhost:8787"),
            ("localhost:80", "localhost"),
            ("localhost:443", "localhost:443"),
            ("127.0.0.1:8787", "127.0.0.1:8787"),
            ("[::1]:8787", "[::1]:8787"),
            ("[::1]", "[::1]"),
        ] {
            let host = text.parse::<LinkHost>().unwrap();
            assert_eq!(host.as_str(), expected);
            assert!(host.is_loopback(), "{text}");
            assert_eq!(host.scheme(), "http", "{text}");
            assert_eq!(expected.parse::<LinkHost>(), Ok(host));
        }
        for text in [
            "x.localhost",
            "localhost.example",
            "localhost-x",
            "127.0.0.1.example",
        ] {
            assert_eq!(
                text.parse::<LinkHost>().unwrap().scheme(),
                "https",
                "{text}"
            );
        }
    }
}
