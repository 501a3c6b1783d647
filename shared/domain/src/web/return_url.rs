//! Pages to which an app on the same phone returns.

use std::fmt;
use std::str::FromStr;

use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;
use url::Url;

use super::origin::{WebOrigin, is_this_machine};

/// Maximum length of a return URL in bytes.
pub const MAX_RETURN_URL: usize = 1024;

/// The page to which an app returns. It has no fragment, because the token is put there: browsers never send it to
/// servers. It has no query either, because queries often contain redirect targets.
#[derive(Clone, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub struct ReturnUrl(String);

/// The reason why a text is not a return URL, with what to write instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum MalformedReturnUrl {
    #[error("a return URL must not be longer than {MAX_RETURN_URL} bytes")]
    TooLong,
    /// The text is not a complete address, or has characters that a browser would write
    /// differently.
    #[error(
        "a return URL is the whole address of a page as the browser shows it, such as \
         https://shop.example/login: in ASCII, without spaces, the host in Punycode and the path \
         percent-encoded"
    )]
    Malformed,
    /// The scheme is `http`, but the host is not this machine: pages there cannot open logins.
    #[error("a return URL begins with https://; http:// is for localhost and loopback addresses")]
    NotHttps,
    /// Browsers treat a host with a final dot as a different one.
    #[error("the host of a return URL must not end with a dot")]
    FinalDot,
    #[error("a return URL must not contain a user name or a password")]
    UserInfo,
    /// A query often contains a redirect target.
    #[error("a return URL must not have a query (?): let the page keep what it needs")]
    Query,
    #[error(
        "a return URL must not have a fragment (#), because the token of the return is put there"
    )]
    Fragment,
}

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

    /// Parses the address of a page. Capitals in the host, the default port of the scheme and a missing
    /// path are normalized, as in browsers.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > MAX_RETURN_URL {
            return Err(MalformedReturnUrl::TooLong);
        }
        if !text.bytes().all(|c| c.is_ascii_graphic()) {
            return Err(MalformedReturnUrl::Malformed);
        }
        let url = Url::parse(text).map_err(|_| MalformedReturnUrl::Malformed)?;
        let host = url.host_str().unwrap_or_default();
        match url.scheme() {
            "https" => {}
            "http" if is_this_machine(&url) => {}
            "http" => return Err(MalformedReturnUrl::NotHttps),
            _ => return Err(MalformedReturnUrl::Malformed),
        }
        if host.ends_with('.') {
            Err(MalformedReturnUrl::FinalDot)
        } else if !url.username().is_empty() || url.password().is_some() {
            Err(MalformedReturnUrl::UserInfo)
        } else if url.query().is_some() {
            Err(MalformedReturnUrl::Query)
        } else if url.fragment().is_some() {
            Err(MalformedReturnUrl::Fragment)
        } else {
            Ok(Self(url.into()))
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
    fn address_is_written_as_browsers_write_it() {
        for (text, expected) in [
            (
                "https://Shop.Example:443/Sign-In",
                "https://shop.example/Sign-In",
            ),
            ("https://shop.example", "https://shop.example/"),
            (
                "https://shop.example:8443/a/../b",
                "https://shop.example:8443/b",
            ),
            ("http://LocalHost:80/x", "http://localhost/x"),
            ("http://[::1]:3000/x", "http://[::1]:3000/x"),
        ] {
            assert_eq!(text.parse::<ReturnUrl>().unwrap().to_string(), expected);
        }
    }

    #[test]
    fn page_that_is_never_returned_to_is_refused_with_the_reason() {
        use MalformedReturnUrl::{
            FinalDot, Fragment, Malformed, NotHttps, Query, TooLong, UserInfo,
        };
        let long = format!("https://shop.example/{}", "a".repeat(MAX_RETURN_URL));
        for (bad, reason) in [
            ("", Malformed),
            ("/sign-in", Malformed),
            ("shop.example/sign-in", Malformed),
            ("javascript:alert(1)", Malformed),
            ("shop:sign-in", Malformed),
            ("https://shop.example/a b", Malformed),
            ("https://shop.example/ä", Malformed),
            ("https://bücher.example/", Malformed),
            ("http://shop.example/sign-in", NotHttps),
            ("http://192.168.1.2/sign-in", NotHttps),
            ("http://localhost.example/", NotHttps),
            ("https://shop.example./sign-in", FinalDot),
            ("https://shop.example.:8443/", FinalDot),
            ("https://a@shop.example/", UserInfo),
            ("https://a:b@shop.example/", UserInfo),
            ("https://:b@shop.example/", UserInfo),
            ("https://shop.example/?", Query),
            ("https://shop.example/sign-in?next=/cart", Query),
            ("https://shop.example/#", Fragment),
            ("https://shop.example/#countersign=x", Fragment),
            (&long, TooLong),
        ] {
            assert_eq!(bad.parse::<ReturnUrl>(), Err(reason), "{bad}");
        }
    }
}
