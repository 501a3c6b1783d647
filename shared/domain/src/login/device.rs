//! Tokens for requests that browser, page and phone are equally allowed to make.

use std::fmt;
use std::str::FromStr;

use super::state::Login;
use super::token::{
    BrowserToken, BrowserTokenHash, LoginPageToken, LoginPageTokenHash, MobileToken,
    MobileTokenHash,
};
use crate::primitives::token::MalformedToken;

/// A token of a browser, a phone or a page that only watches; only the login shows which of them.
#[derive(Clone)]
pub struct DeviceToken(DeviceTokenHash);

/// The hashes of a [`DeviceToken`], one for each device that it may belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceTokenHash {
    /// The stored hash if the token belongs to a browser.
    pub browser: BrowserTokenHash,
    /// The stored hash if the token belongs to a phone.
    pub phone: MobileTokenHash,
    /// The stored hash if the token belongs to a page that shows a login of the app's server.
    pub page: LoginPageTokenHash,
}

impl DeviceToken {
    #[must_use]
    pub const fn hash(&self) -> DeviceTokenHash {
        self.0
    }
}

impl DeviceTokenHash {
    /// Returns whether the token belongs to the browser or the phone of the login, or to the page that shows it.
    #[must_use]
    pub fn fits(&self, login: &Login) -> bool {
        let is_phone = login.phone().is_some_and(|phone| phone.token == self.phone);
        let is_page = login.page_token.is_some_and(|token| token == self.page);
        login.browser_token == self.browser || is_phone || is_page
    }
}

impl From<&BrowserToken> for DeviceToken {
    fn from(token: &BrowserToken) -> Self {
        Self(DeviceTokenHash {
            browser: token.hash(),
            phone: MobileToken::from_bytes(*token.as_bytes()).hash(),
            page: LoginPageToken::from_bytes(*token.as_bytes()).hash(),
        })
    }
}

impl From<&MobileToken> for DeviceToken {
    fn from(token: &MobileToken) -> Self {
        Self::from(&BrowserToken::from_bytes(*token.as_bytes()))
    }
}

impl FromStr for DeviceToken {
    type Err = MalformedToken;

    /// Parses the text form, which all these tokens share.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::from(&text.parse::<BrowserToken>()?))
    }
}

impl fmt::Debug for DeviceToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::entropy::FixedEntropy;

    #[test]
    fn device_token_has_the_hash_of_each_device() {
        let browser = BrowserToken::generate(&FixedEntropy(3));
        let phone = MobileToken::generate(&FixedEntropy(3));
        let device = browser.reveal().parse::<DeviceToken>().unwrap();
        let hash = DeviceTokenHash {
            browser: browser.hash(),
            phone: phone.hash(),
            page: LoginPageToken::generate(&FixedEntropy(3)).hash(),
        };
        assert_eq!(device.hash(), hash);
        assert_eq!(DeviceToken::from(&phone).hash(), hash);
        assert_eq!(format!("{device:?}"), "DeviceToken(…)");
    }
}
