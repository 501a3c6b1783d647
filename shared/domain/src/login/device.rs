//! Tokens presented where browser and phone have the same rights.

use std::fmt;
use std::str::FromStr;

use super::state::Login;
use super::token::{BrowserToken, BrowserTokenHash, MobileToken, MobileTokenHash};
use crate::primitives::token::MalformedToken;

/// A token that is the browser's or the phone's; which of the two, only the login says.
#[derive(Clone)]
pub struct DeviceToken(DeviceTokenHash);

/// The hashes of a [`DeviceToken`], one for each device that it may belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceTokenHash {
    /// The stored hash if the token is the browser's.
    pub browser: BrowserTokenHash,
    /// The stored hash if the token is the phone's.
    pub phone: MobileTokenHash,
}

impl DeviceToken {
    #[must_use]
    pub const fn hash(&self) -> DeviceTokenHash {
        self.0
    }
}

impl DeviceTokenHash {
    /// Returns whether the token belongs to the browser or the phone of the login.
    #[must_use]
    pub fn fits(&self, login: &Login) -> bool {
        let is_phone = login.phone().is_some_and(|phone| phone.token == self.phone);
        login.browser_token == self.browser || is_phone
    }
}

impl From<&BrowserToken> for DeviceToken {
    fn from(token: &BrowserToken) -> Self {
        Self(DeviceTokenHash {
            browser: token.hash(),
            phone: MobileToken::from_bytes(*token.as_bytes()).hash(),
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

    /// Parses the text form, which both devices' tokens share.
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
    fn device_token_has_the_hashes_of_both_devices() {
        let browser = BrowserToken::generate(&FixedEntropy(3));
        let phone = MobileToken::generate(&FixedEntropy(3));
        let device = browser.reveal().parse::<DeviceToken>().unwrap();
        let hash = DeviceTokenHash {
            browser: browser.hash(),
            phone: phone.hash(),
        };
        assert_eq!(device.hash(), hash);
        assert_eq!(DeviceToken::from(&phone).hash(), hash);
        assert_eq!(format!("{device:?}"), "DeviceToken(…)");
    }
}
