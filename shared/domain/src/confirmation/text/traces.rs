//! Short-lived data about providers' calls: nonces and signatures that may be used only once, and parts
//! of longer texts.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::primitives::base64url::Base64Url;
use crate::primitives::time::Timestamp;

/// Time that the parts of a text are kept after the first one arrives. Senders reuse references, so
/// a key identifies a text only for minutes.
pub const PARTS_RETENTION: Duration = Duration::from_mins(10);

/// Maximum number of parts of a text that are kept.
pub const MAX_KEPT_PARTS: usize = 10;

/// Hash of a provider's name with a nonce or a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NonceHash(pub [u8; 32]);

/// Hash of the content that a nonce was sent with.
#[serde_as]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContentHash(#[serde_as(as = "Base64Url")] pub [u8; 32]);

/// Hash of the data that all parts of a text share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextKey(pub [u8; 32]);

/// One part of a text, without the numbers, which are hashed into its key.
///
/// `Debug` hides the content.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPart {
    /// The part's number, from 1.
    pub number: u8,
    /// The provider's id for the part.
    pub message_id: String,
    /// Content of the part.
    pub text: String,
}

impl fmt::Debug for KeptPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptPart")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedNonce {
    /// Hash of the other data that came with the part.
    pub content: ContentHash,
    /// Treated as deleted from this time.
    pub purge_at: Timestamp,
}

/// The parts of a text that have arrived, in the order of arrival.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptText {
    /// The parts, each with a different number.
    pub parts: Vec<KeptPart>,
    /// Treated as deleted from this time.
    pub purge_at: Timestamp,
}

/// The result of taking a nonce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NonceOutcome {
    /// The nonce was unused and has now been stored.
    New,
    /// The nonce was already stored with the same content: a repeated delivery.
    Repeated,
    /// The nonce was already stored with different content: the call is not the provider's.
    Reused,
}

/// Decides whether a nonce is accepted.
#[must_use]
pub fn use_nonce(present: Option<&UsedNonce>, wanted: UsedNonce, now: Timestamp) -> NonceOutcome {
    match present.filter(|taken| now < taken.purge_at) {
        None => NonceOutcome::New,
        Some(taken) if taken.content == wanted.content => NonceOutcome::Repeated,
        Some(_) => NonceOutcome::Reused,
    }
}

/// Adds a part to the other parts of its text. `None` if nothing changes: a part with the same number is stored
/// already, or too many are.
#[must_use]
pub fn keep_part(present: Option<&KeptText>, part: KeptPart, now: Timestamp) -> Option<KeptText> {
    let Some(present) = present.filter(|text| now < text.purge_at) else {
        return Some(KeptText {
            parts: vec![part],
            purge_at: now.plus(PARTS_RETENTION),
        });
    };
    let known = present.parts.iter().any(|kept| kept.number == part.number);
    if known || present.parts.len() >= MAX_KEPT_PARTS {
        return None;
    }
    let mut parts = present.parts.clone();
    parts.push(part);
    Some(KeptText { parts, ..*present })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_500_000_000);

    fn part(number: u8, text: &str) -> KeptPart {
        KeptPart {
            number,
            message_id: format!("id-{number}"),
            text: text.to_owned(),
        }
    }

    #[test]
    fn nonce_counts_once_and_its_call_may_be_repeated() {
        let [ours, other] = [1, 2].map(|n| UsedNonce {
            content: ContentHash([n; 32]),
            purge_at: NOW.plus(Duration::from_hours(1)),
        });
        assert_eq!(use_nonce(None, ours, NOW), NonceOutcome::New);
        let again = |wanted, now| use_nonce(Some(&ours), wanted, now);
        assert_eq!(again(ours, NOW), NonceOutcome::Repeated);
        assert_eq!(again(other, NOW), NonceOutcome::Reused);
        assert_eq!(again(other, ours.purge_at), NonceOutcome::New);
    }

    #[test]
    fn parts_are_kept_for_ten_minutes_from_the_first() {
        let first = keep_part(None, part(2, "b"), NOW).unwrap();
        let later = NOW.plus(Duration::from_mins(9));
        let both = keep_part(Some(&first), part(1, "a"), later).unwrap();
        assert_eq!(both.parts, [part(2, "b"), part(1, "a")]);
        assert_eq!(both.purge_at, first.purge_at);
        let anew = keep_part(Some(&both), part(3, "c"), both.purge_at).unwrap();
        assert_eq!(anew.parts, [part(3, "c")]);
    }

    #[test]
    fn repeated_part_and_one_too_many_change_nothing() {
        let mut text = keep_part(None, part(1, "a"), NOW).unwrap();
        assert_eq!(keep_part(Some(&text), part(1, "x"), NOW), None);
        for number in 2..=10 {
            text = keep_part(Some(&text), part(number, "b"), NOW).unwrap();
        }
        assert_eq!(keep_part(Some(&text), part(11, "c"), NOW), None);
    }

    #[test]
    fn debug_hides_the_text() {
        let shown = format!("{:?}", part(1, "hunter2"));
        assert!(!shown.contains("hunter2") && !shown.contains("id-1"));
    }
}
