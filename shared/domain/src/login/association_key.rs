//! Association keys that apps have registered with the service.

mod credential_id;
mod id;
mod kind;
mod obstacle;
mod point;
pub mod test_keys;
pub mod transitions;

pub use credential_id::{CredentialId, MalformedCredentialId};
pub use id::{KeyId, MalformedKeyId};
pub use kind::{KeyKind, MalformedRpId, Passkey, RpId};
pub use obstacle::KeyObstacle;
pub use point::{KeyPoint, MalformedPoint};
use serde::{Deserialize, Serialize};

use super::user::{ClaimedUserId, UserKey};
use crate::app::key_label::KeyLabel;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// Maximum number of active keys of one user of an app: one for each of the user's phones. Old
/// phones' keys are rarely revoked, so the limit leaves room for a few of them.
pub const MAX_KEYS: usize = 16;

/// A public key of one of an app's users, or its tombstone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssociationKey {
    /// The app at which the key is registered.
    pub app: AppId,
    /// The id of the key, by which proofs refer to it.
    pub id: KeyId,
    /// The current state.
    pub state: KeyState,
}

/// The state of an association key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// Proofs signed with the key are the owner's.
    Active {
        /// The public half of the key.
        point: KeyPoint,
        /// The user to whom the key belongs.
        owner: ClaimedUserId,
        /// Time of the registration.
        registered_at: Timestamp,
        /// The kind, which decides the form of the key's proofs.
        #[serde(default, skip_serializing_if = "KeyKind::is_app")]
        kind: KeyKind,
        /// The phone's name, by which people tell a user's phones apart.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<KeyLabel>,
        /// The id of a passkey on its phone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        credential: Option<CredentialId>,
    },
    /// The app revoked the key. The key can never be registered again, so this tombstone is kept.
    Revoked {
        /// Hash of the user to whom the key belonged.
        owner: UserKey,
        /// Time of the revocation.
        at: Timestamp,
    },
}

impl AssociationKey {
    /// Creates an active key.
    #[must_use]
    pub fn new(
        app: AppId,
        point: KeyPoint,
        owner: ClaimedUserId,
        registered_at: Timestamp,
        kind: KeyKind,
        label: Option<KeyLabel>,
    ) -> Self {
        Self {
            app,
            id: point.key_id(),
            state: KeyState::Active {
                point,
                owner,
                registered_at,
                kind,
                label,
                credential: None,
            },
        }
    }

    /// Adds the id of a passkey on its phone.
    #[must_use]
    pub fn with_credential(mut self, id: Option<CredentialId>) -> Self {
        if let KeyState::Active { credential, .. } = &mut self.state {
            *credential = id;
        }
        self
    }

    /// Returns the id of a passkey on its phone, if it is known.
    #[must_use]
    pub const fn credential(&self) -> Option<&CredentialId> {
        match &self.state {
            KeyState::Active { credential, .. } => credential.as_ref(),
            KeyState::Revoked { .. } => None,
        }
    }

    /// Returns the user to whom the key belongs; `None` once it is revoked.
    #[must_use]
    pub const fn owner(&self) -> Option<&ClaimedUserId> {
        match &self.state {
            KeyState::Active { owner, .. } => Some(owner),
            KeyState::Revoked { .. } => None,
        }
    }

    /// Returns the hash of the user to whom the key belongs or belonged.
    #[must_use]
    pub fn owner_key(&self) -> UserKey {
        match &self.state {
            KeyState::Active { owner, .. } => owner.verified_key(&self.app),
            KeyState::Revoked { owner, .. } => *owner,
        }
    }

    /// Returns the public half of the key; `None` once it is revoked.
    #[must_use]
    pub const fn point(&self) -> Option<&KeyPoint> {
        match &self.state {
            KeyState::Active { point, .. } => Some(point),
            KeyState::Revoked { .. } => None,
        }
    }

    /// Returns the time at which the key was registered; `None` once it is revoked.
    #[must_use]
    pub const fn registered_at(&self) -> Option<Timestamp> {
        match &self.state {
            KeyState::Active { registered_at, .. } => Some(*registered_at),
            KeyState::Revoked { .. } => None,
        }
    }

    /// Returns the kind of the key; `None` once it is revoked.
    #[must_use]
    pub const fn kind(&self) -> Option<&KeyKind> {
        match &self.state {
            KeyState::Active { kind, .. } => Some(kind),
            KeyState::Revoked { .. } => None,
        }
    }

    /// Returns the name of the phone that has the key; `None` if it has no name, or once the key is revoked.
    #[must_use]
    pub const fn label(&self) -> Option<&KeyLabel> {
        match &self.state {
            KeyState::Active { label, .. } => label.as_ref(),
            KeyState::Revoked { .. } => None,
        }
    }
}
