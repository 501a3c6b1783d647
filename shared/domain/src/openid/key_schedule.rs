//! When the provider's keys sign, and how long each is published.
//!
//! Clients keep a copy of the keys. A new key is therefore published some time before it signs, and a former one until
//! the last token that it signed is over.

use std::time::Duration;

use thiserror::Error;

use super::id_token;
use crate::primitives::time::Timestamp;

/// Time between a key's publication and its first signature: longer than clients and caches keep the keys.
pub const PUBLISHED_BEFORE: Duration = Duration::from_mins(10);

/// Time for which a former key is published: until its last ID token is over, with a margin for clients whose clocks are
/// late. A client may need it for a logout (`id_token_hint`), which accepts every token.
pub const PUBLISHED_AFTER: Duration = id_token::VALIDITY.saturating_add(Duration::from_mins(50));

/// A key, and the time from which it signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduled<K> {
    pub key: K,
    pub signs_from: Timestamp,
}

/// The keys in the order in which they sign. There is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySchedule<K>(Vec<Scheduled<K>>);

/// The error for a schedule without keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("there is no key")]
pub struct NoKey;

/// Why a key cannot be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a new key was published, and signs from {0}: until then, no other one can be added")]
pub struct NextKeyWaits(pub Timestamp);

impl<K> KeySchedule<K> {
    /// Returns the schedule of a deployment's first key, which signs immediately: nobody has a copy of the keys yet.
    #[must_use]
    pub fn begin(key: K, now: Timestamp) -> Self {
        Self(vec![Scheduled {
            key,
            signs_from: now,
        }])
    }

    /// Restores a schedule from its keys.
    ///
    /// # Errors
    /// Fails if there are none.
    pub fn restore(mut keys: Vec<Scheduled<K>>) -> Result<Self, NoKey> {
        keys.sort_by_key(|key| key.signs_from);
        if keys.is_empty() {
            return Err(NoKey);
        }
        Ok(Self(keys))
    }

    /// Returns the keys with their times.
    #[must_use]
    pub fn keys(&self) -> &[Scheduled<K>] {
        &self.0
    }

    /// Returns the key that signs. If the clock was set back to before all of them, this is the first one.
    #[must_use]
    pub fn signing(&self, now: Timestamp) -> &K {
        &self.0[self.signing_at(now)].key
    }

    /// Returns the published keys: the signing one, then the next one, then the former ones.
    pub fn published(&self, now: Timestamp) -> impl Iterator<Item = &K> {
        let signing = self.signing_at(now);
        let former = (0..signing).rev().filter(move |at| !self.is_over(*at, now));
        let order = [signing]
            .into_iter()
            .chain(signing + 1..self.0.len())
            .chain(former);
        order.map(|at| &self.0[at].key)
    }

    /// Adds a key that signs once it has been published long enough.
    ///
    /// # Errors
    /// Fails while the previous new key does not sign yet.
    pub fn add(&mut self, key: K, now: Timestamp) -> Result<(), NextKeyWaits> {
        if let Some(next) = self.0.get(self.signing_at(now) + 1) {
            return Err(NextKeyWaits(next.signs_from));
        }
        self.0.push(Scheduled {
            key,
            signs_from: now.plus(PUBLISHED_BEFORE),
        });
        Ok(())
    }

    /// Removes former keys whose publication has ended, and passes the other former ones to `retire`, which discards
    /// what only a signing key needs.
    pub fn prune(&mut self, now: Timestamp, mut retire: impl FnMut(&mut K)) {
        let over = (0..self.signing_at(now)).take_while(|at| self.is_over(*at, now));
        let over = over.count();
        self.0.drain(..over);
        let signing = self.signing_at(now);
        for former in &mut self.0[..signing] {
            retire(&mut former.key);
        }
    }

    fn signing_at(&self, now: Timestamp) -> usize {
        let begun = self.0.iter().rposition(|key| key.signs_from <= now);
        begun.unwrap_or(0)
    }

    /// Returns whether the publication of the former key at this position has ended.
    fn is_over(&self, at: usize, now: Timestamp) -> bool {
        let replaced_at = self.0.get(at + 1).map(|next| next.signs_from);
        replaced_at.is_some_and(|replaced_at| now.since(replaced_at) >= PUBLISHED_AFTER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

    fn published(schedule: &KeySchedule<char>, now: Timestamp) -> String {
        schedule.published(now).collect()
    }

    #[test]
    fn new_key_is_published_before_it_signs_and_the_former_one_after() {
        let mut schedule = KeySchedule::begin('a', NOW);
        assert_eq!(
            (*schedule.signing(NOW), published(&schedule, NOW).as_str()),
            ('a', "a")
        );
        schedule.add('b', NOW).unwrap();
        let switch = NOW.plus(PUBLISHED_BEFORE);
        let before = Timestamp::from_millis(switch.as_millis() - 1);
        assert_eq!(
            (
                *schedule.signing(before),
                published(&schedule, before).as_str()
            ),
            ('a', "ab")
        );
        assert_eq!(schedule.add('c', before), Err(NextKeyWaits(switch)));
        assert_eq!(
            (
                *schedule.signing(switch),
                published(&schedule, switch).as_str()
            ),
            ('b', "ba")
        );
        // A token signed at the last moment is over long before its key is.
        let end = switch.plus(PUBLISHED_AFTER);
        let last = Timestamp::from_millis(end.as_millis() - 1);
        assert!(last > before.plus(id_token::VALIDITY));
        assert_eq!(published(&schedule, last), "ba");
        assert_eq!(published(&schedule, end), "b");
        schedule.add('c', switch).unwrap();
        assert_eq!(published(&schedule, switch), "bca");
    }

    #[test]
    fn former_key_is_retired_then_removed() {
        let mut schedule = KeySchedule::begin('a', NOW);
        schedule.add('b', NOW).unwrap();
        let switch = NOW.plus(PUBLISHED_BEFORE);
        let retire = |key: &mut char| *key = key.to_ascii_uppercase();
        schedule.prune(NOW, retire);
        assert_eq!(published(&schedule, NOW), "ab");
        schedule.prune(switch, retire);
        assert_eq!(published(&schedule, switch), "bA");
        schedule.prune(switch.plus(PUBLISHED_AFTER), retire);
        assert_eq!(schedule.keys().len(), 1);
        assert_eq!(*schedule.signing(switch), 'b');
    }

    #[test]
    fn clock_set_back_leaves_a_key_that_signs() {
        let keys = ['b', 'a'].map(|key| Scheduled {
            key,
            signs_from: NOW.plus(Duration::from_secs(u64::from(key == 'b'))),
        });
        let schedule = KeySchedule::restore(keys.into()).unwrap();
        let earlier = Timestamp::from_millis(1);
        assert_eq!(
            (
                *schedule.signing(earlier),
                published(&schedule, earlier).as_str()
            ),
            ('a', "ab")
        );
        assert_eq!(KeySchedule::<char>::restore(Vec::new()), Err(NoKey));
    }
}
