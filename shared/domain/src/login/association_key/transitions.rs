//! Transitions of association keys.

use thiserror::Error;

use super::{AssociationKey, KeyKind, KeyState, MAX_KEYS};
use crate::app::quota::QuotaExceeded;
use crate::delivery::Decision;
use crate::primitives::time::Timestamp;

/// A key to register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registration {
    New,
    /// The key is already registered for this user.
    Repeated,
}

/// The reason why a key was not registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RegisterRefusal {
    #[error("a key of ANON cannot be registered, because it would not identify a user")]
    Anonymous,
    #[error(
        "a public key is a P-256 SubjectPublicKeyInfo with an uncompressed point, DER, in standard \
         Base64 with padding"
    )]
    MalformedKey,
    #[error("the app requires proofs, so the registration needs the key's signature")]
    SignatureMissing,
    #[error("the signature over app key and public user id was not made by this key")]
    SignatureFalse,
    #[error("the key belongs to another user")]
    OwnedByAnother,
    #[error("the key is already registered as one of another kind")]
    OtherKind,
    #[error("the key was revoked and cannot be registered again")]
    Revoked,
    #[error("the user already has {MAX_KEYS} keys; revoke one first")]
    TooMany,
    #[error("the app has as many keys as its quota allows, including revoked ones")]
    AppFull,
    #[error(transparent)]
    QuotaExceeded(#[from] QuotaExceeded),
}

/// Registers an active key. `owned` is the number of active keys of its owner.
#[must_use]
pub fn register(
    current: Option<AssociationKey>,
    new: AssociationKey,
    owned: usize,
) -> Decision<AssociationKey, Result<Registration, RegisterRefusal>> {
    match current.map(|key| key.state) {
        Some(KeyState::Revoked { .. }) => Decision::refuse(Err(RegisterRefusal::Revoked)),
        Some(KeyState::Active { owner, kind, .. }) if Some(&owner) == new.owner() => {
            // The form of a key's proofs never changes.
            let same = new.kind().map(KeyKind::name) == Some(kind.name());
            Decision::refuse(if same {
                Ok(Registration::Repeated)
            } else {
                Err(RegisterRefusal::OtherKind)
            })
        }
        Some(KeyState::Active { .. }) => Decision::refuse(Err(RegisterRefusal::OwnedByAnother)),
        None if owned >= MAX_KEYS => Decision::refuse(Err(RegisterRefusal::TooMany)),
        None => Decision {
            outcome: Ok(Registration::New),
            write: Some(new),
        },
    }
}

/// The result of revoking a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeOutcome {
    /// The key is revoked.
    Revoked,
    /// The key was already revoked.
    AlreadyRevoked,
    /// The app has no such key.
    Unknown,
}

/// Revokes a key. Its tombstone contains neither the key nor the owner's name.
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
    use super::super::{KeyPoint, Passkey};
    use super::*;
    use crate::login::ClaimedUserId;
    use crate::primitives::ids::AppId;

    const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

    fn key(owner: &str) -> AssociationKey {
        key_of(owner, KeyKind::App)
    }

    fn key_of(owner: &str, kind: KeyKind) -> AssociationKey {
        let app = "shop".parse::<AppId>().unwrap();
        let owner = owner.parse::<ClaimedUserId>().unwrap();
        let point = KeyPoint::from_bytes([4; 65]).unwrap();
        AssociationKey::new(app, point, owner, NOW, kind, None)
    }

    fn passkey(synced: bool) -> KeyKind {
        let host = "login.shop.example".parse().unwrap();
        KeyKind::Passkey(Passkey::of_host(&host, synced).unwrap())
    }

    fn revoked() -> AssociationKey {
        revoke(Some(key("zoe")), NOW).write.unwrap()
    }

    #[test]
    fn key_is_registered_once_for_one_user() {
        let first = register(None, key("zoe"), MAX_KEYS - 1);
        assert_eq!(first.outcome, Ok(Registration::New));
        assert_eq!(first.write, Some(key("zoe")));
        for (known, owned, outcome) in [
            (key("zoe"), 1, Ok(Registration::Repeated)),
            (key("zoe"), MAX_KEYS, Ok(Registration::Repeated)),
            (key("max"), 0, Err(RegisterRefusal::OwnedByAnother)),
            (key("max"), MAX_KEYS, Err(RegisterRefusal::OwnedByAnother)),
        ] {
            let again = register(Some(known), key("zoe"), owned);
            assert_eq!((again.outcome, again.write), (outcome, None));
        }
    }

    #[test]
    fn key_keeps_its_kind() {
        for (known, new, outcome) in [
            (KeyKind::App, passkey(true), Err(RegisterRefusal::OtherKind)),
            (passkey(true), KeyKind::App, Err(RegisterRefusal::OtherKind)),
            (
                KeyKind::App,
                KeyKind::Browser,
                Err(RegisterRefusal::OtherKind),
            ),
            // A passkey may have been copied since.
            (passkey(false), passkey(true), Ok(Registration::Repeated)),
        ] {
            let again = register(Some(key_of("zoe", known)), key_of("zoe", new), 1);
            assert_eq!((again.outcome, again.write), (outcome, None));
        }
    }

    #[test]
    fn users_keys_are_limited() {
        let refused = register(None, key("zoe"), MAX_KEYS);
        assert_eq!(refused.outcome, Err(RegisterRefusal::TooMany));
        assert_eq!(refused.write, None);
    }

    #[test]
    fn revoked_key_never_returns() {
        for owner in ["zoe", "max"] {
            let again = register(Some(revoked()), key(owner), 0);
            let refused = (Err(RegisterRefusal::Revoked), None);
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
        assert_eq!((tombstone.kind(), tombstone.label()), (None, None));
    }
}
