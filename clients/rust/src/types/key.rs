//! Association keys registered with the service.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::time::optional;
use super::words::AssociationKeyKind;

/// A request to register a user's key. Always provide the signature.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RegisterKey {
    /// The app's own id of the user to whom the key belongs.
    pub public_user_id: String,
    /// The public half of the key, as received from the phone.
    pub public_key: String,
    /// The signature that proves possession of the private half.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl RegisterKey {
    /// Creates a request for a user's key, as received from the phone.
    #[must_use]
    pub fn new(public_user_id: impl Into<String>, public_key: impl Into<String>) -> Self {
        Self {
            public_user_id: public_user_id.into(),
            public_key: public_key.into(),
            signature: None,
        }
    }

    /// Sets the phone's signature, which proves possession of the private half.
    #[must_use]
    pub fn signature(mut self, signature: impl Into<String>) -> Self {
        self.signature = Some(signature.into());
        self
    }
}

/// An association key, by its id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct AssociationKeyId {
    /// The key's JWK thumbprint ([RFC 7638](https://www.rfc-editor.org/rfc/rfc7638)), which proofs
    /// contain.
    pub key_id: String,
}

/// An active association key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct RegisteredKey {
    /// The key's id.
    pub key_id: String,
    /// The public half of the key, in Base64.
    pub public_key: String,
    /// Time at which the key was registered.
    #[serde(with = "optional")]
    pub registered_at: Option<SystemTime>,
    /// Where the private half of the key is.
    pub kind: AssociationKeyKind,
    /// The name of the phone that has the key, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The domain that a passkey belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rp_id: Option<String>,
    /// The origin that each assertion of a passkey must name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Whether the phone's system may copy a passkey to the user's other devices, as it said when the key was
    /// registered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synced: Option<bool>,
}
