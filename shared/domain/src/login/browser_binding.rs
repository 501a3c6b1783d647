//! The binding of the person to the browser that gets the payload.

use serde::{Deserialize, Serialize};

use super::check_code::CheckCode;
use super::return_link::ReturnTokenHash;

/// Evidence that the person who confirms is at the browser that redeems. The phone gets it when it opens the login,
/// and the browser must present the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BrowserBinding {
    /// The person reads the code on the phone and types it into the browser.
    CheckCode(CheckCode),
    /// The app opened the page again with the token, on the same phone.
    Return(ReturnTokenHash),
}

impl BrowserBinding {
    /// Returns the check code, if the evidence is one.
    #[must_use]
    pub const fn check_code(&self) -> Option<CheckCode> {
        match self {
            Self::CheckCode(code) => Some(*code),
            Self::Return(_) => None,
        }
    }
}
