//! The return from an app to the browser that shows the link on the same phone.
//!
//! The app opens the page again with a one-time token, in the phone's browser. If a stranger sent the person the link,
//! the login therefore ends in the person's browser, which did not create the login, and not in the stranger's.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::token::MobileToken;
use crate::primitives::ids::LoginId;
use crate::primitives::token::{Holder, Token, TokenHash};
use crate::web::origin::WebOrigin;
use crate::web::return_url::{MalformedReturnUrl, ReturnUrl};

/// The link that the app opens after the confirmation: a return URL, with the token after `#`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReturnLink(String);

impl ReturnLink {
    /// Returns the link to a page for the browser of a login.
    #[must_use]
    pub fn new(page: &ReturnUrl, id: LoginId, token: &ReturnToken) -> Self {
        Self(format!("{page}#countersign={id}.{}", token.reveal()))
    }

    /// Returns whether the link leads to one of this origin's pages.
    #[must_use]
    pub fn is_of(&self, origin: &WebOrigin) -> bool {
        self.page().is_ok_and(|page| page.is_of(origin))
    }

    /// Returns the link, which must never be logged.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    fn page(&self) -> Result<ReturnUrl, MalformedReturnUrl> {
        let (page, _) = self
            .0
            .split_once('#')
            .ok_or(MalformedReturnUrl::Malformed)?;
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
    /// Derives the token from the phone's token, so that a repeated request gets the same one although it is not
    /// stored.
    #[must_use]
    pub fn derive(phone: &MobileToken, id: LoginId) -> Self {
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
    fn token_is_one_phones_and_one_logins() {
        let [one, two] = [1, 2].map(|n| MobileToken::generate(&FixedEntropy(n)));
        let [a, b] = [1, 2].map(|n| LoginId::from_bytes(LoginKind::Plain, [n; 16]));
        let token = ReturnToken::derive(&one, a);
        assert!(token == ReturnToken::derive(&one, a));
        assert!(token != ReturnToken::derive(&one, b) && token != ReturnToken::derive(&two, a));
        let url = "https://shop.example/".parse::<ReturnUrl>().unwrap();
        let link = format!("https://shop.example/#countersign={a}.{}", token.reveal());
        let made = ReturnLink::new(&url, a, &token);
        assert_eq!(made.reveal(), link);
        assert_eq!(format!("{made:?}"), "ReturnLink(..)");
        assert_eq!(ReturnLink::try_from(link), Ok(made));
    }
}
