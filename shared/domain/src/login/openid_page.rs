//! The page of the `OpenID` provider that opened a login.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::primitives::base64url::Base64Url;

/// A keyed hash of a page's request and of its browser's cookie. Only this page, in this browser, can return to its
/// client with the login.
#[serde_as]
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenIdPage(#[serde_as(as = "Base64Url")] [u8; 32]);

impl OpenIdPage {
    /// Creates a mark from its bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for OpenIdPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpenIdPage(…)")
    }
}
