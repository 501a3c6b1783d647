//! The tokens of the page that shows a registration, and of the phone that opened it. Only their hashes are stored.

use std::fmt;
use std::str::FromStr;

use crate::primitives::token::{Holder, MalformedToken, Token, TokenHash};

/// The app's page that shows the link and takes the digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupPage {}

/// The phone that opened the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opener {}

impl Holder for SetupPage {
    const DOMAIN: &'static [u8] = b"countersign/phone-setup/page-token/1\0";
    const NAME: &'static str = "SetupPageToken";
}

impl Holder for Opener {
    const DOMAIN: &'static [u8] = b"countersign/phone-setup/phone-token/1\0";
    const NAME: &'static str = "SetupPhoneToken";
}

/// The token that the service makes for the app's page.
pub type SetupPageToken = Token<SetupPage>;

/// The token that the phone chose before it opened the link.
pub type SetupPhoneToken = Token<Opener>;

/// The stored hash of a [`SetupPageToken`].
pub type SetupPageTokenHash = TokenHash<SetupPage>;

/// The stored hash of a [`SetupPhoneToken`].
pub type SetupPhoneTokenHash = TokenHash<Opener>;

/// The hashes of a token that belongs to the page or to the phone; only the registration shows to which.
#[derive(Clone, Copy)]
pub struct RegistrationToken {
    page: SetupPageTokenHash,
    phone: SetupPhoneTokenHash,
}

impl RegistrationToken {
    /// Returns whether the token belongs to this page or to this phone.
    #[must_use]
    pub fn is_of(&self, page: &SetupPageTokenHash, phone: Option<&SetupPhoneTokenHash>) -> bool {
        self.page == *page || phone == Some(&self.phone)
    }
}

impl FromStr for RegistrationToken {
    type Err = MalformedToken;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self {
            page: text.parse::<SetupPageToken>()?.hash(),
            phone: text.parse::<SetupPhoneToken>()?.hash(),
        })
    }
}

impl fmt::Debug for RegistrationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RegistrationToken(…)")
    }
}
