//! Who knows what was promised to whom, from what callers, providers and receivers were told and
//! sent, and holds the store against it: after each call, and at the end.

mod at_the_end;
mod item;
mod promise;
mod webhook;

use std::collections::BTreeMap;
use std::time::Duration;

use countersign_domain::confirmation::{Confirmation, TextFingerprint};
use countersign_domain::primitives::canonical_json::CanonicalObject;
use countersign_domain::primitives::idempotency::WINDOW;
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;

use crate::weather::Weather;
use crate::wire::Keys;
pub use promise::{Promise, Violation};

/// How long a request may be under way, at the very most. Of two requests with one key that are
/// under way over the same midnight (UTC) each may start a session: the code of a key changes with
/// the day, and neither sees the other's. This is known, and excused.
const UNDER_WAY: Duration = Duration::from_mins(4);

/// What a caller asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The number to confirm, if one was named.
    pub phone_number: Option<PhoneNumber>,
    /// Where the webhook is to go.
    pub callback: CallbackUrl,
    /// What is to come back in it.
    pub metadata: CanonicalObject,
    /// The `Idempotency-Key`.
    pub key: Option<String>,
}

/// What a caller was told: the session is theirs from then on.
#[derive(Clone, Debug)]
pub struct Told {
    /// What was asked for.
    pub asked: Asked,
    /// The session's id.
    pub id: ConfirmationId,
    /// The text that the person must send.
    pub message: String,
    /// When the session was made.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// A text, as its sender and its provider know it.
#[derive(Clone, Debug)]
pub struct Text {
    /// Which session's code it holds.
    pub session: ConfirmationId,
    /// Who sent it.
    pub from: PhoneNumber,
    /// When it was first handed to us.
    pub first_sent_at: Timestamp,
}

/// All that is known of one confirmation.
#[derive(Debug, Default)]
struct Case {
    told: Option<Told>,
    /// What was kept of it when last seen.
    item: Option<Confirmation>,
    /// When a caller first asked for its end, heard or not.
    cancel_asked_at: Option<Timestamp>,
    promised: Promised,
    /// The number of attempts when a redelivery was last promised.
    redeliver_told: Option<u32>,
    posted: u32,
    accepted: u32,
    /// Whether we must have heard that it was accepted, since it was last owed.
    heard: bool,
}

/// What somebody was told of a confirmation that must be so at the end.
#[derive(Debug, Default)]
struct Promised {
    cancelled: bool,
    redacted: bool,
    /// A text was taken in time, from whom it should be, and nobody had asked for the end.
    verified: bool,
}

/// Who knows what was promised.
pub struct Oracle {
    cases: BTreeMap<ConfirmationId, Case>,
    texts: BTreeMap<[u8; 16], Text>,
    keys: Keys,
    /// How far the clocks of two processes may be apart.
    skew: Duration,
    calm_from: Timestamp,
    violation: Option<Violation>,
}

impl Oracle {
    /// Who knows nothing yet.
    #[must_use]
    pub fn new(keys: Keys, weather: &Weather) -> Self {
        Self {
            cases: BTreeMap::new(),
            texts: BTreeMap::new(),
            keys,
            skew: Duration::from_millis(weather.skew),
            calm_from: weather.calm_from(),
            violation: None,
        }
    }

    /// The first promise that was broken.
    #[must_use]
    pub const fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// Writes down that a promise was broken, if it is the first.
    pub fn broken(&mut self, promise: Promise, what: impl Into<String>) {
        self.violation.get_or_insert_with(|| Violation {
            promise,
            what: what.into(),
        });
    }

    fn case(&mut self, id: ConfirmationId) -> &mut Case {
        self.cases.entry(id).or_default()
    }

    /// A caller was told of a session, now or again.
    pub fn started(&mut self, told: Told) {
        let id = told.id;
        if let Some(before) = &self.case(id).told {
            let same = before.asked == told.asked
                && before.message == told.message
                && before.created_at == told.created_at
                && before.expires_at == told.expires_at;
            if !same {
                self.broken(Promise::SameAnswerAgain, format!("{id}: {told:?}"));
            }
            return;
        }
        if let Some(other) = self.other_session_of(&told) {
            let what = format!("{:?}: {id} and {}", told.asked.key, other.id);
            self.broken(Promise::OneSessionForAKey, what);
        }
        self.case(id).told = Some(told);
    }

    /// Another session that stands for the same key, though it must not.
    fn other_session_of(&self, told: &Told) -> Option<&Told> {
        let key = told.asked.key.as_ref()?;
        let within = WINDOW.saturating_sub(self.skew);
        let sessions = self.cases.values().filter_map(|case| case.told.as_ref());
        sessions
            .filter(|other| other.asked.key.as_ref() == Some(key))
            .find(|other| {
                let (a, b) = (told.created_at, other.created_at);
                let apart = a.since(b).max(b.since(a));
                let days = [a, b].map(|at| at.as_secs() / WINDOW.as_secs());
                let over_midnight = days[0] != days[1] && apart < UNDER_WAY;
                apart < within && !over_midnight
            })
    }

    /// A provider hands us a text for the first time.
    pub fn text_sent(&mut self, fingerprint: TextFingerprint, text: Text) {
        self.texts.insert(*fingerprint.as_bytes(), text);
    }

    /// A provider was told that we took a text.
    pub fn text_taken(&mut self, fingerprint: TextFingerprint, now: Timestamp) {
        let Some(text) = self.texts.get(fingerprint.as_bytes()).cloned() else {
            return;
        };
        let skew = self.skew;
        let case = self.case(text.session);
        let Some(told) = &case.told else { return };
        let right = told
            .asked
            .phone_number
            .as_ref()
            .is_none_or(|expected| *expected == text.from);
        let in_time = now.plus(skew) < told.expires_at;
        if right && in_time && case.cancel_asked_at.is_none() {
            case.promised.verified = true;
        }
    }

    /// A caller asks us to end a session.
    pub fn cancel_asked(&mut self, id: ConfirmationId, now: Timestamp) {
        self.case(id).cancel_asked_at.get_or_insert(now);
    }

    /// A caller was told that the session has ended.
    pub fn cancel_told(&mut self, id: ConfirmationId) {
        self.case(id).promised.cancelled = true;
    }

    /// A caller was told that the personal data is erased.
    pub fn redact_told(&mut self, id: ConfirmationId) {
        self.case(id).promised.redacted = true;
    }

    /// A caller was told that the webhook will come again, after so many attempts.
    pub fn redeliver_told(&mut self, id: ConfirmationId, attempts_claimed: u32) {
        self.case(id).redeliver_told = Some(attempts_claimed);
    }
}
