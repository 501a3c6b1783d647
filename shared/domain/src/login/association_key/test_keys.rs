//! Association keys that test keys registered: separate from users' real keys, few, and forgotten after a
//! day.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::transitions::{RegisterRefusal, Registration, RevokeOutcome, register, revoke};
use super::{AssociationKey, KeyId, KeyState, MAX_KEYS};
use crate::delivery::Decision;
use crate::primitives::time::Timestamp;

/// Time that a test's key is valid after its registration, or its tombstone after the revocation. Tests
/// generate new keys, and rarely revoke them.
pub const TEST_KEYS_KEPT: Duration = Duration::from_hours(24);

/// Maximum number of an app's test keys, including revoked ones. Registering one more removes the
/// oldest.
pub const MAX_TEST_KEYS: usize = 64;

/// The association keys of an app's tests, oldest first. All of them are in one document: test keys have access to no
/// other, and real logins ignore it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestKeys {
    keys: Vec<AssociationKey>,
}

impl TestKeys {
    /// Returns the keys and tombstones that are not expired at `now`, oldest first.
    pub fn at(&self, now: Timestamp) -> impl Iterator<Item = &AssociationKey> {
        self.keys
            .iter()
            .filter(move |key| now < changed_at(key).plus(TEST_KEYS_KEPT))
    }

    /// Finds a key or its tombstone.
    #[must_use]
    pub fn find(&self, id: KeyId, now: Timestamp) -> Option<&AssociationKey> {
        self.at(now).find(|key| key.id == id)
    }

    /// Returns the time when all keys and tombstones have expired.
    #[must_use]
    pub fn forgotten_at(&self) -> Option<Timestamp> {
        let last = self.keys.iter().map(changed_at).max();
        last.map(|at| at.plus(TEST_KEYS_KEPT))
    }

    /// Returns the unexpired keys with this one as the newest.
    fn with(&self, new: AssociationKey, now: Timestamp) -> Self {
        let others = self.at(now).filter(|key| key.id != new.id);
        let mut keys: Vec<_> = others.cloned().collect();
        keys.push(new);
        let surplus = keys.len().saturating_sub(MAX_TEST_KEYS);
        keys.drain(..surplus);
        Self { keys }
    }

    /// Removes the oldest keys of the new key's owner if the owner would otherwise have too many.
    fn with_place_for(mut self, new: &AssociationKey) -> Self {
        let is_owners = |key: &AssociationKey| key.owner() == new.owner();
        let count = self.keys.iter().filter(|key| is_owners(key)).count();
        let mut surplus = (count + 1).saturating_sub(MAX_KEYS);
        self.keys.retain(|key| {
            let goes = surplus > 0 && is_owners(key);
            surplus -= usize::from(goes);
            !goes
        });
        self
    }
}

/// Returns the time of the registration, or of the revocation.
const fn changed_at(key: &AssociationKey) -> Timestamp {
    match key.state {
        KeyState::Active { registered_at, .. } => registered_at,
        KeyState::Revoked { at, .. } => at,
    }
}

/// Registers a key of a test. The rules are the same as for real keys, but the oldest key is removed if there are too
/// many: tests run again and again, with new keys for the same users.
#[must_use]
pub fn register_test(
    current: Option<TestKeys>,
    new: AssociationKey,
    now: Timestamp,
) -> Decision<TestKeys, Result<Registration, RegisterRefusal>> {
    let keys = current.unwrap_or_default();
    let Decision { outcome, write } = register(keys.find(new.id, now).cloned(), new, 0);
    let write = write.map(|new| keys.with_place_for(&new).with(new, now));
    Decision { outcome, write }
}

/// Revokes a key of a test.
#[must_use]
pub fn revoke_test(
    current: Option<TestKeys>,
    id: KeyId,
    now: Timestamp,
) -> Decision<TestKeys, RevokeOutcome> {
    let keys = current.unwrap_or_default();
    let Decision { outcome, write } = revoke(keys.find(id, now).cloned(), now);
    let write = write.map(|tombstone| keys.with(tombstone, now));
    Decision { outcome, write }
}

#[cfg(test)]
mod tests {
    use super::super::{KeyKind, KeyPoint};
    use super::*;
    use crate::login::ClaimedUserId;
    use crate::primitives::ids::AppId;

    const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

    fn key(owner: &str, n: u8, at: Timestamp) -> AssociationKey {
        let app = "shop".parse::<AppId>().unwrap();
        let owner = owner.parse::<ClaimedUserId>().unwrap();
        let mut point = [n; 65];
        point[0] = 4;
        let point = KeyPoint::from_bytes(point).unwrap();
        AssociationKey::new(app, point, owner, at, KeyKind::App, None)
    }

    fn later(seconds: u64) -> Timestamp {
        NOW.plus(Duration::from_secs(seconds))
    }

    fn registered(keys: Option<TestKeys>, new: AssociationKey, now: Timestamp) -> TestKeys {
        let decision = register_test(keys, new, now);
        assert_eq!(decision.outcome, Ok(Registration::New));
        decision.write.unwrap()
    }

    #[test]
    fn key_belongs_to_one_user_and_is_forgotten_after_a_day() {
        let keys = registered(None, key("zoe", 1, NOW), NOW);
        let again = register_test(Some(keys.clone()), key("zoe", 1, later(1)), later(1));
        assert_eq!(again, Decision::refuse(Ok(Registration::Repeated)));
        let taken = register_test(Some(keys.clone()), key("max", 1, NOW), NOW);
        assert_eq!(
            taken,
            Decision::refuse(Err(RegisterRefusal::OwnedByAnother))
        );
        let end = NOW.plus(TEST_KEYS_KEPT);
        assert_eq!(keys.forgotten_at(), Some(end));
        assert!(keys.find(key("zoe", 1, NOW).id, later(86_399)).is_some());
        assert!(keys.find(key("zoe", 1, NOW).id, end).is_none());
        let next = registered(Some(keys), key("max", 1, end), end);
        assert_eq!(next.at(end).count(), 1);
    }

    #[test]
    fn oldest_keys_give_way() {
        let mut keys = TestKeys::default();
        for n in 0..20 {
            let at = later(u64::from(n));
            keys = registered(Some(keys), key("zoe", n, at), at);
        }
        let left: Vec<_> = keys.at(later(20)).map(|key| key.id).collect();
        let newest: Vec<_> = (4..20).map(|n| key("zoe", n, NOW).id).collect();
        assert_eq!(left, newest, "{MAX_KEYS} of one user");
        for n in 20..120 {
            let at = later(u64::from(n));
            keys = registered(Some(keys), key(&format!("user-{n}"), n, at), at);
        }
        assert_eq!(keys.at(later(120)).count(), MAX_TEST_KEYS);
        assert!(keys.find(key("zoe", 19, NOW).id, later(120)).is_none());
        assert!(keys.find(key("zoe", 119, NOW).id, later(120)).is_some());
    }

    #[test]
    fn revoked_key_stays_revoked_for_the_day() {
        let id = key("zoe", 1, NOW).id;
        assert_eq!(revoke_test(None, id, NOW).outcome, RevokeOutcome::Unknown);
        let keys = registered(None, key("zoe", 1, NOW), NOW);
        let revoked = revoke_test(Some(keys), id, later(9));
        assert_eq!(revoked.outcome, RevokeOutcome::Revoked);
        let keys = revoked.write.unwrap();
        assert_eq!(keys.find(id, later(9)).unwrap().owner(), None);
        let again = revoke_test(Some(keys.clone()), id, later(10));
        assert_eq!(again, Decision::refuse(RevokeOutcome::AlreadyRevoked));
        let back = register_test(Some(keys), key("zoe", 1, later(10)), later(10));
        assert_eq!(back, Decision::refuse(Err(RegisterRefusal::Revoked)));
    }
}
