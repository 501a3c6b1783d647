//! Association keys, as operators see them.

use std::fmt;

use countersign_domain::login::AssociationKey;
use serde::{Deserialize, Serialize};

/// An active association key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AssociationKeyView {
    /// The key's RFC 7638 thumbprint.
    pub(crate) key_id: String,
    /// The user to whom it belongs.
    pub(crate) public_user_id: String,
    /// When the key was registered, in ISO 8601.
    pub(crate) registered_at: String,
}

impl AssociationKeyView {
    /// Describes a key; `None` if it is revoked.
    pub(crate) fn of(key: &AssociationKey) -> Option<Self> {
        Some(Self {
            key_id: key.id.to_string(),
            public_user_id: key.owner()?.as_str().to_owned(),
            registered_at: key.registered_at()?.to_string(),
        })
    }
}

impl fmt::Display for AssociationKeyView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            key_id,
            public_user_id,
            registered_at,
        } = self;
        write!(f, "{key_id}  registered {registered_at}  {public_user_id}")
    }
}
