//! Transitions of association keys.

use super::{AssociationKey, KeyState, MAX_KEYS};
use crate::app::quota::QuotaExceeded;
use crate::delivery::Decision;
use crate::primitives::time::Timestamp;

/// The result of registering a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterOutcome {
    /// The key is registered.
    Registered,
    /// The key was registered for this user before.
    Repeated,
    /// The key belongs to another user of the app.
    OwnedByAnother,
    /// The key was revoked.
    Revoked,
    /// The user already has [`MAX_KEYS`] active keys.
    TooMany,
    /// The app has as many keys and tombstones as its quota allows.
    AppFull,
    /// The app registered too many keys recently.
    Exceeded(QuotaExceeded),
}

/// Registers an active key. `owned` is the number of active keys that its owner has.
#[must_use]
pub fn register(
    current: Option<AssociationKey>,
    new: AssociationKey,
    owned: usize,
) -> Decision<AssociationKey, RegisterOutcome> {
    match current.map(|key| key.state) {
        Some(KeyState::Revoked { .. }) => Decision::refuse(RegisterOutcome::Revoked),
        Some(KeyState::Active { owner, .. }) if Some(&owner) == new.owner() => {
            Decision::refuse(RegisterOutcome::Repeated)
        }
        Some(KeyState::Active { .. }) => Decision::refuse(RegisterOutcome::OwnedByAnother),
        None if owned >= MAX_KEYS => Decision::refuse(RegisterOutcome::TooMany),
        None => Decision {
            outcome: RegisterOutcome::Registered,
            write: Some(new),
        },
    }
}

/// The result of revoking a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeOutcome {
    /// The key is revoked.
    Revoked,
    /// The key was revoked before.
    AlreadyRevoked,
    /// The app has no such key.
    Unknown,
}

/// Revokes a key. Its tombstone no longer holds the key or its owner's name.
#[must_use]
pub fn revoke(
    current: Option<AssociationKey>,
    now: Timestamp,
) -> Decision<AssociationKey, RevokeOutcome> {
    let Some(key) = current else {
        return Decision::refuse(RevokeOutcome::Unknown);
    };
    if let KeyState::Revoked { .. } = key.state {
        return Decision::refuse(RevokeOutcome::AlreadyRevoked);
    }
    let owner = key.owner_key();
    Decision {
        outcome: RevokeOutcome::Revoked,
        write: Some(AssociationKey {
            state: KeyState::Revoked { owner, at: now },
            ..key
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::KeyPoint;
    use super::*;
    use crate::login::ClaimedUserId;
    use crate::primitives::ids::AppId;

    const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

    fn key(owner: &str) -> AssociationKey {
        let app = "shop".parse::<AppId>().unwrap();
        let owner = owner.parse::<ClaimedUserId>().unwrap();
        AssociationKey::new(app, KeyPoint::from_bytes([4; 65]).unwrap(), owner, NOW)
    }

    fn revoked() -> AssociationKey {
        revoke(Some(key("zoe")), NOW).write.unwrap()
    }

    #[test]
    fn key_is_registered_once_for_one_user() {
        let first = register(None, key("zoe"), MAX_KEYS - 1);
        assert_eq!(first.outcome, RegisterOutcome::Registered);
        assert_eq!(first.write, Some(key("zoe")));
        for (known, owned, outcome) in [
            (key("zoe"), 1, RegisterOutcome::Repeated),
            (key("zoe"), MAX_KEYS, RegisterOutcome::Repeated),
            (key("max"), 0, RegisterOutcome::OwnedByAnother),
            (key("max"), MAX_KEYS, RegisterOutcome::OwnedByAnother),
        ] {
            let again = register(Some(known), key("zoe"), owned);
            assert_eq!((again.outcome, again.write), (outcome, None));
        }
    }

    #[test]
    fn users_keys_are_limited() {
        let refused = register(None, key("zoe"), MAX_KEYS);
        assert_eq!(refused.outcome, RegisterOutcome::TooMany);
        assert_eq!(refused.write, None);
    }

    #[test]
    fn revoked_key_never_returns() {
        for owner in ["zoe", "max"] {
            let again = register(Some(revoked()), key(owner), 0);
            let refused = (RegisterOutcome::Revoked, None);
            assert_eq!((again.outcome, again.write), refused);
        }
        let again = revoke(Some(revoked()), NOW);
        let refused = (RevokeOutcome::AlreadyRevoked, None);
        assert_eq!((again.outcome, again.write), refused);
        assert_eq!(revoke(None, NOW).outcome, RevokeOutcome::Unknown);
    }

    #[test]
    fn tombstone_holds_neither_key_nor_name() {
        let active = key("zoe");
        let tombstone = revoked();
        assert_eq!((&tombstone.app, tombstone.id), (&active.app, active.id));
        let owner = active.owner_key();
        assert_eq!(tombstone.state, KeyState::Revoked { owner, at: NOW });
        assert_eq!(tombstone.owner_key(), owner);
        assert_eq!((tombstone.owner(), tombstone.registered_at()), (None, None));
    }
}
