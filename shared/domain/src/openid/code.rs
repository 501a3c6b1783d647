//! Authorization codes, and the ids of their grants.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use sha2::{Digest as _, Sha256};

use crate::primitives::base64url::Base64Url;
use crate::primitives::token::{Holder, Token};

/// The client to which a browser brings a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {}

impl Holder for Client {
    const DOMAIN: &'static [u8] = b"countersign/openid/grant/1\0";
    const NAME: &'static str = "AuthorizationCode";
}

/// An authorization code: 256 bits that only the service can compute.
pub type AuthorizationCode = Token<Client>;

/// The id of a grant: a one-way hash of its code.
#[serde_as]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GrantId(#[serde_as(as = "Base64Url")] [u8; 16]);

impl GrantId {
    /// Returns the id of a code's grant.
    #[must_use]
    pub fn of(code: &AuthorizationCode) -> Self {
        let digest = Sha256::new()
            .chain_update(b"countersign/openid/grant-id/1\0")
            .chain_update(code.as_bytes())
            .finalize();
        let mut id = [0; 16];
        id.copy_from_slice(&digest[..16]);
        Self(id)
    }

    /// Restores an id from its bytes, for stores.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the 16 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GrantId(…)")
    }
}
