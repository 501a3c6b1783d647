//! The oracle's knowledge of association keys, and checks of their changes and of answers to servers.

use countersign_domain::login::{AssociationKey, ClaimedUserId, KeyId, KeyState};
use countersign_domain::primitives::time::Timestamp;

use super::{Exchange, Finding, Oracle, Promise};
use crate::association_keys::{KeyAnswer, KeyRequest, Registration};

/// An observed state of a stored key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Absent,
    /// Registered for this user.
    Active(ClaimedUserId),
    Revoked,
}

/// Everything that the oracle knows about one key.
#[derive(Debug)]
pub(super) struct KeyCase {
    /// Every requested registration.
    asked: Vec<Registration>,
    revoke_asked: bool,
    /// Every observed state with the time from which it was observed, oldest first.
    seen: Vec<(Timestamp, Seen)>,
}

impl Default for KeyCase {
    fn default() -> Self {
        Self {
            asked: Vec::new(),
            revoke_asked: false,
            seen: vec![(Timestamp::from_millis(0), Seen::Absent)],
        }
    }
}

impl KeyCase {
    fn last(&self) -> &Seen {
        self.seen.last().map_or(&Seen::Absent, |(_, seen)| seen)
    }

    /// Returns every state of the key between two times.
    fn during(&self, from: Timestamp, to: Timestamp) -> Vec<&Seen> {
        let ends = self.seen.iter().skip(1).map(|(since, _)| *since);
        let ends = ends.chain([Timestamp::from_millis(u64::MAX)]);
        let all = self.seen.iter().zip(ends);
        let during = all.filter(|((since, _), end)| *since <= to && from <= *end);
        during.map(|((_, seen), _)| seen).collect()
    }

    /// Checks a change of the stored key.
    fn changed(&self, is: &Seen, requires_proof: bool) -> Option<Finding> {
        let what = format!("{:?} becomes {is:?}", self.last());
        match (self.last(), is) {
            (Seen::Absent, Seen::Active(owner)) => {
                let mut asked = self.asked.iter().filter(|asked| asked.owner == *owner);
                let is_shown = asked.any(|asked| asked.shows_possession(requires_proof));
                (!is_shown).then_some((Promise::PossessionShown, what))
            }
            (Seen::Active(_), Seen::Active(_)) => Some((Promise::OneOwner, what)),
            (Seen::Active(_), Seen::Revoked) if self.revoke_asked => None,
            (Seen::Revoked, _) => Some((Promise::RevokedForEver, what)),
            _ => Some((Promise::KeyKept, what)),
        }
    }
}

impl Registration {
    /// Returns whether the service may register the key.
    fn shows_possession(&self, requires_proof: bool) -> bool {
        match &self.signature {
            Some(signature) => signature.is_true,
            None => !requires_proof,
        }
    }
}

impl Oracle {
    /// Records whether the app requires proofs.
    pub const fn app_requires_proof(&mut self, requires_proof: bool) {
        self.requires_proof = requires_proof;
    }

    /// Records that the app's server sends a request about a key.
    pub fn key_asked(&mut self, request: &KeyRequest) {
        match request {
            KeyRequest::Register(asked) => {
                let case = self.association_keys.entry(asked.id).or_default();
                case.asked.push(asked.clone());
            }
            KeyRequest::Revoke(id) => {
                let case = self.association_keys.entry(*id).or_default();
                case.revoke_asked = true;
            }
            KeyRequest::List(_) => {}
        }
    }

    /// Records that a request about a key got no answer.
    pub fn key_unanswered(&mut self, request: &KeyRequest, asked_at: Timestamp) {
        if asked_at >= self.calm_from {
            self.broken(Promise::Answered, request.name());
        }
    }

    /// Checks a stored key, or its absence, against the earlier observations.
    pub fn observe_key(&mut self, id: KeyId, key: Option<&AssociationKey>, now: Timestamp) {
        let is = match key.map(|key| &key.state) {
            None => Seen::Absent,
            Some(KeyState::Active { owner, .. }) => Seen::Active(owner.clone()),
            Some(KeyState::Revoked { .. }) => Seen::Revoked,
        };
        let case = self.association_keys.entry(id).or_default();
        if *case.last() == is {
            return;
        }
        let found = case.changed(&is, self.requires_proof);
        case.seen.push((now, is));
        self.key_broken(id, found);
    }

    /// Checks the stored keys once nothing is left to do.
    pub(super) fn check_keys(&mut self, items: &[AssociationKey]) {
        let end = Timestamp::from_millis(u64::MAX);
        for id in self.association_keys.keys().copied().collect::<Vec<_>>() {
            let item = items.iter().find(|item| item.id == id);
            self.observe_key(id, item, end);
        }
    }

    fn key_broken(&mut self, id: KeyId, finding: Option<Finding>) {
        if let Some((promise, what)) = finding {
            self.broken(promise, format!("key {id}: {what}"));
        }
    }

    /// Checks the answer to a server's request about a key.
    pub fn key_told(&mut self, request: &KeyRequest, answer: &KeyAnswer, exchange: Exchange) {
        match request {
            KeyRequest::Register(asked) => {
                let found = self.registered(asked, answer, exchange);
                self.key_broken(asked.id, found);
            }
            KeyRequest::Revoke(id) => {
                let found = self.revoked(*id, answer, exchange);
                self.key_broken(*id, found);
            }
            KeyRequest::List(owner) => {
                let KeyAnswer::Keys(keys) = answer else {
                    return self.broken(Promise::SameAnswerAgain, format!("list: {answer:?}"));
                };
                for id in self.association_keys.keys().copied().collect::<Vec<_>>() {
                    let is_listed = keys.iter().any(|key| key.id == id);
                    let found = self.listed(id, owner, is_listed, exchange);
                    self.key_broken(id, found);
                }
            }
        }
    }

    /// Returns every state that a key was in during an exchange.
    pub(in crate::oracle) fn key_during(&self, id: KeyId, exchange: Exchange) -> Vec<&Seen> {
        let case = self.association_keys.get(&id);
        case.map_or(vec![&Seen::Absent], |case| {
            case.during(exchange.asked_at, exchange.answered_at)
        })
    }

    fn registered(
        &self,
        asked: &Registration,
        answer: &KeyAnswer,
        exchange: Exchange,
    ) -> Option<Finding> {
        let states = self.key_during(asked.id, exchange);
        let has = |is: &dyn Fn(&Seen) -> bool| states.iter().any(|seen| is(seen));
        let is_theirs = |seen: &Seen| *seen == Seen::Active(asked.owner.clone());
        let is_anothers =
            |seen: &Seen| matches!(seen, Seen::Active(owner) if *owner != asked.owner);
        let is_shown = asked.shows_possession(self.requires_proof);
        let is_signed = asked.signature.is_some();
        let (promise, is_right) = match answer {
            KeyAnswer::Registered(_) if !is_shown => (Promise::PossessionShown, false),
            KeyAnswer::SignatureMissing => (Promise::PossessionShown, !is_shown && !is_signed),
            KeyAnswer::SignatureFalse => (Promise::PossessionShown, !is_shown && is_signed),
            KeyAnswer::Registered(_) if has(&is_anothers) && !has(&is_theirs) => {
                (Promise::OneOwner, false)
            }
            KeyAnswer::Registered(_) if states == [&Seen::Revoked] => {
                (Promise::RevokedForEver, false)
            }
            KeyAnswer::Registered(id) => (Promise::KeyKept, *id == asked.id && has(&is_theirs)),
            KeyAnswer::OwnedByAnother => (Promise::SameAnswerAgain, has(&is_anothers)),
            KeyAnswer::WasRevoked => (Promise::KeyKept, states.contains(&&Seen::Revoked)),
            _ => (Promise::SameAnswerAgain, false),
        };
        (!is_right).then(|| (promise, format!("{answer:?} while {states:?}")))
    }

    fn revoked(&self, id: KeyId, answer: &KeyAnswer, exchange: Exchange) -> Option<Finding> {
        let states = self.key_during(id, exchange);
        let (promise, is_right) = match answer {
            KeyAnswer::Revoked => (
                Promise::RevokedAtOnce,
                states.last() == Some(&&Seen::Revoked),
            ),
            KeyAnswer::Unknown => (Promise::KeyKept, states.contains(&&Seen::Absent)),
            _ => (Promise::SameAnswerAgain, false),
        };
        (!is_right).then(|| (promise, format!("{answer:?} while {states:?}")))
    }

    /// Checks that a list has exactly the active keys of a user.
    fn listed(
        &self,
        id: KeyId,
        owner: &ClaimedUserId,
        is_listed: bool,
        exchange: Exchange,
    ) -> Option<Finding> {
        let states = self.key_during(id, exchange);
        let is_theirs = |seen: &&&Seen| **seen == &Seen::Active(owner.clone());
        let theirs = states.iter().filter(is_theirs).count();
        let what = format!("listed: {is_listed}, while {states:?}");
        match (is_listed, theirs) {
            (true, 0) if states == [&Seen::Revoked] => Some((Promise::RevokedForEver, what)),
            (true, 0) => Some((Promise::OneOwner, what)),
            (false, theirs) if theirs == states.len() => Some((Promise::KeyKept, what)),
            _ => None,
        }
    }
}
