//! Pages to which an app on the same phone returns.

use std::fmt;
use std::str::FromStr;

use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;
use url::Url;

use super::origin::WebOrigin;

/// Maximum length of a return URL in bytes.
pub const MAX_RETURN_URL: usize = 1024;

/// The page to which an app returns. It has no fragment, because the token goes there: browsers send it to no server. It
/// has no query either, which often says where to go on.
#[derive(Clone, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub struct ReturnUrl(String);

/// The error for a text that is not a return URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "a return URL is the address of a page, at most 1,024 bytes, without user name, query and fragment"
)]
pub struct MalformedReturnUrl;

impl ReturnUrl {
    /// Returns whether the URL is one of this origin's pages.
    #[must_use]
    pub fn is_of(&self, origin: &WebOrigin) -> bool {
        let own = Url::parse(&self.0).map(|url| url.origin().ascii_serialization());
        own.is_ok_and(|own| own == origin.as_str())
    }
}

impl FromStr for ReturnUrl {
    type Err = MalformedReturnUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let visible = text.bytes().all(|c| c.is_ascii_graphic());
        let url = Url::parse(text).ok();
        let url = url.filter(|_| visible && text.len() <= MAX_RETURN_URL);
        let url = url.filter(|url| matches!(url.scheme(), "https" | "http"));
        match url {
            Some(url)
                if url.fragment().is_none()
                    && url.query().is_none()
                    && url.username().is_empty()
                    && url.password().is_none() =>
            {
                Ok(Self(url.into()))
            }
            _ => Err(MalformedReturnUrl),
        }
    }
}

impl fmt::Display for ReturnUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_of_the_origin_is_a_return_url() {
        let origin = |text: &str| text.parse::<WebOrigin>().unwrap();
        let shop = origin("https://shop.example");
        let url = "https://Shop.Example:443/sign-in";
        let url = url.parse::<ReturnUrl>().unwrap();
        assert!(url.is_of(&shop));
        assert!(!url.is_of(&origin("https://shop.example:8443")));
        assert!(!url.is_of(&origin("https://evil.example")));
        let local = "http://localhost:3000/".parse::<ReturnUrl>().unwrap();
        assert!(local.is_of(&origin("http://localhost:3000")));
    }

    #[test]
    fn other_addresses_are_refused() {
        let long = format!("https://shop.example/{}", "a".repeat(MAX_RETURN_URL));
        for bad in [
            "",
            "/sign-in",
            "javascript:alert(1)",
            "shop:sign-in",
            "https://shop.example/#",
            "https://shop.example/?",
            "https://shop.example/sign-in?next=/cart",
            "https://shop.example/#countersign=x",
            "https://a@shop.example/",
            "https://a:b@shop.example/",
            "https://shop.example/a b",
            "https://shop.example/ä",
            &long,
        ] {
            assert!(bad.parse::<ReturnUrl>().is_err(), "{bad}");
        }
    }
}
