//! The way back from an app to the browser that shows the link on the same phone.
//!
//! The app opens the page again with a one-time token, in the phone's browser. So a login whose link somebody sent to
//! the person ends in the person's browser, which has not opened it, and not in the sender's.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, SerializeDisplay};
use sha2::{Digest, Sha256};
use thiserror::Error;
use url::Url;

use super::token::MobileToken;
use crate::primitives::ids::LoginId;
use crate::primitives::token::{Holder, Token, TokenHash};
use crate::web::origin::WebOrigin;

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

    /// Returns what the app opens after the confirmation.
    #[must_use]
    pub fn with(&self, id: LoginId, token: &ReturnToken) -> ReturnLink {
        ReturnLink(format!("{}#countersign={id}.{}", self.0, token.reveal()))
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

/// What the app opens after the confirmation: a return URL, and the token after its `#`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReturnLink(String);

impl ReturnLink {
    /// Returns whether the link leads to one of this origin's pages.
    #[must_use]
    pub fn is_of(&self, origin: &WebOrigin) -> bool {
        self.page().is_ok_and(|page| page.is_of(origin))
    }

    /// Returns the link, which no log may get.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    fn page(&self) -> Result<ReturnUrl, MalformedReturnUrl> {
        let (page, _) = self.0.split_once('#').ok_or(MalformedReturnUrl)?;
        page.parse()
    }
}

impl TryFrom<String> for ReturnLink {
    type Error = MalformedReturnUrl;

    fn try_from(text: String) -> Result<Self, MalformedReturnUrl> {
        let link = Self(text);
        link.page()?;
        Ok(link)
    }
}

impl From<ReturnLink> for String {
    fn from(link: ReturnLink) -> Self {
        link.0
    }
}

impl fmt::Debug for ReturnLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReturnLink(..)")
    }
}

/// The browser to which an app returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturningBrowser {}

impl Holder for ReturningBrowser {
    const DOMAIN: &'static [u8] = b"countersign/qr/return-token/1\0";
    const NAME: &'static str = "ReturnToken";
}

/// The one-time token that the app passes to the page.
pub type ReturnToken = Token<ReturningBrowser>;

/// The stored hash of a [`ReturnToken`].
pub type ReturnTokenHash = TokenHash<ReturningBrowser>;

impl ReturnToken {
    /// Derives the token from the phone's, so that a repeated request gets the same one although it is not stored.
    #[must_use]
    pub fn of(phone: &MobileToken, id: LoginId) -> Self {
        let digest = Sha256::new()
            .chain_update(b"countersign/qr/return/1\0")
            .chain_update(phone.as_bytes())
            .chain_update(id.to_string())
            .finalize();
        Self::from_bytes(digest.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::entropy::FixedEntropy;
    use crate::primitives::ids::LoginKind;

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

    #[test]
    fn token_is_one_phones_and_one_logins() {
        let [one, two] = [1, 2].map(|n| MobileToken::generate(&FixedEntropy(n)));
        let [a, b] = [1, 2].map(|n| LoginId::from_bytes(LoginKind::Plain, [n; 16]));
        let token = ReturnToken::of(&one, a);
        assert!(token == ReturnToken::of(&one, a));
        assert!(token != ReturnToken::of(&one, b) && token != ReturnToken::of(&two, a));
        let url = "https://shop.example/".parse::<ReturnUrl>().unwrap();
        let link = format!("https://shop.example/#countersign={a}.{}", token.reveal());
        let made = url.with(a, &token);
        assert_eq!(made.reveal(), link);
        assert_eq!(format!("{made:?}"), "ReturnLink(..)");
        assert_eq!(ReturnLink::try_from(link), Ok(made));
    }
}
