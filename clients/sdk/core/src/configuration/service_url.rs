//! The service's URL.

use std::fmt;
use std::str::FromStr;

use countersign_domain::web::origin::is_this_machine;
use url::Url;

use super::ConfigurationError;

/// The service's URL, without a trailing slash. `http` is only for services on the same machine.
#[derive(Clone, PartialEq, Eq)]
pub struct ServiceUrl(String);

impl ServiceUrl {
    /// Returns the URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ServiceUrl {
    type Err = ConfigurationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let visible = text.bytes().all(|c| c.is_ascii_graphic() && c != b'\\');
        let url = Url::parse(text).ok().filter(|_| visible);
        let url = url.ok_or(ConfigurationError::ServiceUrl)?;
        let scheme = match url.scheme() {
            "https" => true,
            "http" => is_this_machine(&url),
            _ => false,
        };
        let is_bare = !text.contains(['?', '#', '@']) && text.contains("://");
        if !scheme || !is_bare || url.host_str().is_none_or(str::is_empty) {
            return Err(ConfigurationError::ServiceUrl);
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }
}

impl fmt::Display for ServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_https_or_on_this_machine() {
        for (text, normal) in [
            ("https://Api.Shop.Example", "https://api.shop.example"),
            ("https://api.shop.example:443/", "https://api.shop.example"),
            (
                "https://shop.example:8443/a/",
                "https://shop.example:8443/a",
            ),
            ("https://192.0.2.7", "https://192.0.2.7"),
            ("http://127.0.0.1:8787", "http://127.0.0.1:8787"),
            ("http://[::1]:8787/", "http://[::1]:8787"),
            ("http://localhost", "http://localhost"),
            ("http://login.localhost:1", "http://login.localhost:1"),
        ] {
            assert_eq!(text.parse::<ServiceUrl>().unwrap().as_str(), normal);
        }
        for text in [
            "",
            "api.shop.example",
            "https:api.shop.example",
            "https://",
            "http://shop.example",
            "http://192.168.0.1",
            "http://localhost.example",
            "ftp://localhost",
            "https://u@shop.example",
            "https://shop.example?a",
            "https://shop.example#a",
            "https://shop.example/ a",
            "https:\\\\shop.example",
        ] {
            let refused = text.parse::<ServiceUrl>();
            assert_eq!(refused, Err(ConfigurationError::ServiceUrl), "{text}");
        }
    }
}
