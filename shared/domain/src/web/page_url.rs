//! Pages of an app that links lead to.

use std::fmt;
use std::str::FromStr;

use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;
use url::Url;

use super::origin::is_this_machine;

/// Maximum length of a page's URL in bytes.
pub const MAX_PAGE_URL: usize = 1024;

/// The address of a page that people open: `https`, or `http` on this machine, without user name and password. It may
/// have a query and a fragment.
#[derive(Clone, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub struct PageUrl(String);

/// The reason why a text is not the address of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum MalformedPageUrl {
    #[error("the URL of a page must not be longer than {MAX_PAGE_URL} bytes")]
    TooLong,
    #[error(
        "the URL of a page is its whole address in ASCII, such as https://shop.example/account"
    )]
    Malformed,
    /// The scheme is `http`, but the host is not this machine.
    #[error(
        "the URL of a page begins with https://; http:// is for localhost and loopback addresses"
    )]
    NotHttps,
    #[error("the URL of a page must not contain a user name or a password")]
    UserInfo,
}

impl PageUrl {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PageUrl {
    type Err = MalformedPageUrl;

    /// Parses the address of a page, and writes it as browsers do.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > MAX_PAGE_URL {
            return Err(MalformedPageUrl::TooLong);
        }
        if !text.bytes().all(|c| c.is_ascii_graphic()) {
            return Err(MalformedPageUrl::Malformed);
        }
        let url = Url::parse(text).map_err(|_| MalformedPageUrl::Malformed)?;
        match url.scheme() {
            "https" => {}
            "http" if is_this_machine(&url) => {}
            "http" => return Err(MalformedPageUrl::NotHttps),
            _ => return Err(MalformedPageUrl::Malformed),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(MalformedPageUrl::UserInfo);
        }
        Ok(Self(url.into()))
    }
}

impl fmt::Display for PageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_a_secure_address() {
        for (text, written) in [
            ("https://Shop.Example", "https://shop.example/"),
            (
                "https://shop.example/account?tab=phones#new",
                "https://shop.example/account?tab=phones#new",
            ),
            (
                "http://localhost:3000/phones",
                "http://localhost:3000/phones",
            ),
        ] {
            assert_eq!(text.parse::<PageUrl>().unwrap().as_str(), written);
        }
        for (text, refused) in [
            ("", MalformedPageUrl::Malformed),
            ("shop.example/x", MalformedPageUrl::Malformed),
            ("javascript:alert(1)", MalformedPageUrl::Malformed),
            ("https://shop.example/a b", MalformedPageUrl::Malformed),
            ("http://shop.example/", MalformedPageUrl::NotHttps),
            ("https://a:b@shop.example/", MalformedPageUrl::UserInfo),
        ] {
            assert_eq!(text.parse::<PageUrl>(), Err(refused), "{text}");
        }
        let long = format!("https://shop.example/{}", "a".repeat(MAX_PAGE_URL));
        assert_eq!(long.parse::<PageUrl>(), Err(MalformedPageUrl::TooLong));
    }
}
