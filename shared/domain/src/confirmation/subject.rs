//! The key under which a person's subject at an app is stored.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::primitives::base64url::Base64Url;

/// A keyed hash of an app and a phone number. Without the service's secret, neither can a number be computed from it
/// nor a guess be verified.
#[serde_as]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SubjectKey(#[serde_as(as = "Base64Url")] [u8; 32]);

impl SubjectKey {
    /// Restores a key from its bytes, for stores.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for SubjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SubjectKey(…)")
    }
}
