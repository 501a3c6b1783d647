//! Subjects: what a client knows a person by.
//!
//! A number's subject at an app is random, so it tells nothing about the number, and two apps cannot compare theirs. It
//! is replaced when the number may have another owner: after a silent period, and after the app redacted the number.

use std::fmt;
use std::time::Duration;

use base16ct::lower;
use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use thiserror::Error;

use crate::delivery::Decision;
use crate::login::ClaimedUserId;
use crate::primitives::base64url::Base64Url;
use crate::primitives::entropy::Entropy;
use crate::primitives::time::Timestamp;

/// The beginning of every number's subject. No user id of an app may have it.
const PREFIX: &str = "num_";

/// Maximum length of a subject (`OpenID` Connect Core, section 2).
const MAX_LENGTH: usize = 255;

/// The claim `sub`: at most 255 characters of ASCII.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sub(String);

/// The error for a user id that cannot be a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "a user id that is a subject has at most {MAX_LENGTH} visible ASCII characters, and does not begin with {PREFIX}"
)]
pub struct UnfitUserId;

impl Sub {
    /// Returns the subject of a user with a registered key: the user id that the app chose.
    ///
    /// # Errors
    /// Fails if the id is too long, is not visible ASCII, or could be taken for a number's subject.
    pub fn of_user(user: &ClaimedUserId) -> Result<Self, UnfitUserId> {
        let id = user.as_str();
        let fits = id.len() <= MAX_LENGTH && id.bytes().all(|c| c.is_ascii_graphic());
        if fits && !id.starts_with(PREFIX) {
            Ok(Self(id.to_owned()))
        } else {
            Err(UnfitUserId)
        }
    }

    /// Returns the text of the claim.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Shows nothing, because a user id is often an e-mail address.
impl fmt::Debug for Sub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sub(…)")
    }
}

/// A number's random subject.
#[serde_as]
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberSubject(#[serde_as(as = "Base64Url")] [u8; 16]);

impl NumberSubject {
    /// Creates a random subject.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        Self(bytes)
    }

    /// Returns the claim.
    #[must_use]
    pub fn sub(self) -> Sub {
        Sub(format!("{PREFIX}{}", lower::encode_string(&self.0)))
    }
}

impl fmt::Debug for NumberSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NumberSubject(…)")
    }
}

/// The subject of a number at an app. The document does not contain the number, and its key cannot be computed without
/// the provider's secret.
#[serde_with::skip_serializing_none]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    #[serde(rename = "sub")]
    pub subject: NumberSubject,
    /// Time of the first login.
    #[serde(rename = "first")]
    pub first_seen: Timestamp,
    /// Time of the latest login.
    #[serde(rename = "last")]
    pub last_seen: Timestamp,
    /// Treated as deleted from this time; `None` if it is kept forever.
    pub purge_at: Option<Timestamp>,
}

/// Returns the number's subject at a login, which is `fresh` if there is none, or none that is still in use. `silence` is
/// the time without a login after which a number may have another owner.
#[must_use]
pub fn log_in(
    current: Option<Subject>,
    fresh: NumberSubject,
    silence: Option<Duration>,
    now: Timestamp,
) -> Decision<Subject, NumberSubject> {
    let in_use = |known: &Subject| {
        let is_live = known.purge_at.is_none_or(|end| now < end);
        is_live && silence.is_none_or(|silence| now.since(known.last_seen) < silence)
    };
    let known = current.filter(in_use);
    let subject = known.map_or(fresh, |known| known.subject);
    let seen = Subject {
        subject,
        first_seen: known.map_or(now, |known| known.first_seen),
        last_seen: known.map_or(now, |known| known.last_seen.max(now)),
        purge_at: silence.map(|silence| now.plus(silence)),
    };
    Decision {
        outcome: subject,
        write: Some(seen),
    }
}

/// Ends a number's subject: its next login gets another one.
#[must_use]
pub fn end(current: Option<Subject>, now: Timestamp) -> Decision<Subject, ()> {
    let live = current.filter(|known| known.purge_at.is_none_or(|end| now < end));
    Decision {
        outcome: (),
        write: live.map(|known| Subject {
            purge_at: Some(now),
            ..known
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::entropy::FixedEntropy;

    const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);
    const DAY: Duration = Duration::from_hours(24);

    fn fresh(seed: u8) -> NumberSubject {
        NumberSubject::generate(&FixedEntropy(seed))
    }

    #[test]
    fn subject_stays_until_the_number_was_silent() {
        let silence = Some(DAY * 90);
        let first = log_in(None, fresh(1), silence, NOW);
        assert_eq!(first.outcome, fresh(1));
        let later = NOW.plus(DAY * 89);
        let second = log_in(first.write, fresh(2), silence, later);
        assert_eq!(second.outcome, fresh(1));
        let stored = second.write.unwrap();
        assert_eq!((stored.first_seen, stored.last_seen), (NOW, later));
        let third = log_in(second.write, fresh(3), silence, later.plus(DAY * 90));
        assert_eq!(third.outcome, fresh(3));
        assert_eq!(third.write.unwrap().first_seen, later.plus(DAY * 90));
    }

    #[test]
    fn setting_decides_even_about_earlier_logins() {
        let first = log_in(None, fresh(1), None, NOW);
        assert_eq!(first.write.unwrap().purge_at, None);
        let years = NOW.plus(DAY * 3_000);
        assert_eq!(log_in(first.write, fresh(2), None, years).outcome, fresh(1));
        let shorter = log_in(first.write, fresh(2), Some(DAY), NOW.plus(DAY));
        assert_eq!(shorter.outcome, fresh(2));
    }

    #[test]
    fn ended_subject_is_not_used_again() {
        assert_eq!(end(None, NOW).write, None);
        let first = log_in(None, fresh(1), None, NOW);
        let ended = end(first.write, NOW);
        assert_eq!(end(ended.write, NOW).write, None);
        assert_eq!(log_in(ended.write, fresh(2), None, NOW).outcome, fresh(2));
    }

    #[test]
    fn user_id_cannot_be_taken_for_a_numbers_subject() {
        let of_user = |id: &str| Sub::of_user(&id.parse().unwrap());
        assert_eq!(
            of_user("ada@shop.example").unwrap().as_str(),
            "ada@shop.example"
        );
        for bad in ["num_1", "Ünal", "a b", &"a".repeat(256)] {
            assert_eq!(of_user(bad), Err(UnfitUserId), "{bad}");
        }
        let sub = fresh(0xab).sub();
        assert_eq!(sub.as_str(), format!("num_{}", "ab".repeat(16)));
        assert_eq!(format!("{sub:?}"), "Sub(…)");
    }
}
