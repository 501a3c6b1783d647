//! The port to the store of association keys.

use async_trait::async_trait;

use super::transitions::{RegisterOutcome, RevokeOutcome};
use super::{AssociationKey, KeyId};
use crate::app::quota::Allowance;
use crate::login::user::ClaimedUserId;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// A store of association keys and their tombstones.
///
/// Every implementation MUST decide as [`transitions`](super::transitions) do, atomically for each
/// key and for the limit on a user's keys; MUST keep the keys of two apps apart; and MUST keep
/// tombstones forever. Once [`revoke`](Self::revoke) has answered, no call in any process may find
/// the key active.
#[async_trait]
pub trait AssociationKeyStore: Send + Sync {
    /// Registers an active key, unless its id is known or its owner has too many.
    async fn register(&self, new: AssociationKey) -> Result<RegisterOutcome, Unavailable>;

    /// Registers a key as [`register`](Self::register) does, within the quota of its app. Stores that
    /// enforce quotas MUST decide as [`transitions::register_within`](super::transitions::register_within)
    /// does: a key that is known is not counted. The provided method enforces no quota.
    async fn register_within(
        &self,
        new: AssociationKey,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<RegisterOutcome, Unavailable> {
        let _ = (allowance, now);
        self.register(new).await
    }

    /// Finds a key or its tombstone. MUST see every earlier write, so it MUST NOT answer from a
    /// cache.
    async fn find_key(&self, app: &AppId, id: KeyId)
    -> Result<Option<AssociationKey>, Unavailable>;

    /// Returns the active keys of a user, ordered by registration and id. There are at most
    /// [`MAX_KEYS`](super::MAX_KEYS).
    async fn list(
        &self,
        app: &AppId,
        owner: &ClaimedUserId,
    ) -> Result<Vec<AssociationKey>, Unavailable>;

    /// Revokes a key of an app and leaves its tombstone.
    async fn revoke(
        &self,
        app: &AppId,
        id: KeyId,
        now: Timestamp,
    ) -> Result<RevokeOutcome, Unavailable>;
}
