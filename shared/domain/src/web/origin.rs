//! Origins of the web pages that create logins.

use std::fmt;
use std::str::FromStr;

use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;
use url::{Host, Origin, Url};

/// Maximum length of an origin in bytes, enough for a scheme, a name of 253 characters and a port.
const MAX_BYTES: usize = 280;

/// The origin of a web page, as browsers write it in the `Origin` header (RFC 6454, section 6.2):
/// `https://shop.example`, `https://shop.example:8443`. `http` is allowed only for pages on the
/// developer's own machine.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr)]
pub struct WebOrigin(String);

/// The error for a text that is not an origin, or not one that may create logins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "not an origin: https://, a host without a final dot and an optional port, with no path; \
     http:// only for localhost and loopback addresses"
)]
pub struct MalformedOrigin;

impl WebOrigin {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns host and port without the scheme, for showing people which site is asking them.
    #[must_use]
    pub fn site(&self) -> &str {
        self.0.split_once("://").map_or(&self.0, |(_, site)| site)
    }

    /// Returns whether both origins are on the same port of the machine itself, like `localhost` and
    /// `127.0.0.1`.
    #[must_use]
    pub fn is_same_place(&self, other: &Self) -> bool {
        let place = |origin: &Self| {
            let url = Url::parse(&origin.0).ok().filter(is_this_machine)?;
            Some((url.scheme().to_owned(), url.port_or_known_default()))
        };
        place(self).is_some_and(|own| Some(own) == place(other))
    }
}

impl FromStr for WebOrigin {
    type Err = MalformedOrigin;

    /// Parses an origin. Normalizes capitals in the host and removes a final slash, because people
    /// write them.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let visible = text.bytes().all(|c| c.is_ascii_graphic());
        if text.len() > MAX_BYTES || !visible || text.contains(['?', '#', '@', '\\', '*']) {
            return Err(MalformedOrigin);
        }
        let url = Url::parse(text).map_err(|_| MalformedOrigin)?;
        let after_scheme = text.split_once("://").ok_or(MalformedOrigin)?.1;
        let bare = after_scheme.strip_suffix('/').unwrap_or(after_scheme);
        if bare.is_empty() || bare.contains('/') || url.path() != "/" {
            return Err(MalformedOrigin);
        }
        // Browsers treat a host with a final dot as a different one, which is never intended.
        let dotted = url.host_str().is_none_or(|host| host.ends_with('.'));
        let allowed = match url.scheme() {
            _ if dotted => false,
            "https" => true,
            "http" => is_this_machine(&url),
            _ => false,
        };
        match url.origin() {
            origin @ Origin::Tuple(..) if allowed => Ok(Self(origin.ascii_serialization())),
            _ => Err(MalformedOrigin),
        }
    }
}

/// Returns whether a URL leads to the machine itself: to `localhost`, a name below it, or a loopback address.
#[must_use]
pub fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

impl fmt::Display for WebOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for WebOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_normalised() {
        for (text, expected) in [
            ("https://shop.example", "https://shop.example"),
            ("https://Shop.Example:443/", "https://shop.example"),
            ("https://shop.example:8443", "https://shop.example:8443"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:8080", "http://[::1]:8080"),
        ] {
            let origin = text.parse::<WebOrigin>().unwrap();
            assert_eq!(origin.as_str(), expected);
            assert_eq!(origin.as_str().parse::<WebOrigin>(), Ok(origin));
        }
    }

    #[test]
    fn names_of_this_machine_lead_to_the_same_place() {
        let same = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|text| text.parse::<WebOrigin>().unwrap());
            a.is_same_place(&b)
        };
        let local = "http://localhost:3000";
        assert!(same(local, "http://127.0.0.1:3000"));
        assert!(same("http://[::1]:3000", local));
        for other in [
            "http://localhost:3001",
            "https://localhost:3000",
            "https://shop.example",
        ] {
            assert!(!same(local, other), "{other}");
        }
        assert!(!same("https://shop.example", "https://shop.example"));
    }

    #[test]
    fn text_that_is_not_an_origin_is_refused() {
        for text in [
            "",
            "null",
            "*",
            "shop.example",
            "https://",
            "https:shop.example",
            "https://*.shop.example",
            "https://shop.example/login",
            "https://shop.example//",
            "https://shop.example/.",
            "https://shop.example?a",
            "https://shop.example#a",
            "https://user@shop.example",
            "https://shop.example\\",
            "https://shop example",
            "https://shop.example.",
            "https://shop.example.:8443",
            "http://localhost.:3000",
            "http://shop.example",
            "http://localhost.shop.example",
            "file:///x",
            "chrome-extension://abcdef",
        ] {
            assert_eq!(text.parse::<WebOrigin>(), Err(MalformedOrigin), "{text}");
        }
    }

    #[test]
    fn site_is_host_and_port() {
        let origin = "https://shop.example:8443".parse::<WebOrigin>().unwrap();
        assert_eq!(origin.site(), "shop.example:8443");
    }
}
