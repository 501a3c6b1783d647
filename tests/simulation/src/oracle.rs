//! The oracle: derives every promise from what callers, providers and receivers sent and received,
//! and checks the store against it after each call and at the end.

mod association_keys;
mod at_the_end;
mod delivery;
mod exchange;
mod item;
mod login;
mod promise;
mod webhook;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use countersign_domain::app::whatsapp::WhatsAppNumber;
use countersign_domain::confirmation::{Confirmation, TextFingerprint};
use countersign_domain::delivery::DeliverySubject;
use countersign_domain::login::KeyId;
use countersign_domain::primitives::canonical_json::CanonicalObject;
use countersign_domain::primitives::idempotency::WINDOW;
use countersign_domain::primitives::ids::{ConfirmationId, LoginId};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::watcher::WatcherId;
use countersign_domain::web::callback_url::CallbackUrl;
use tokio_util::sync::CancellationToken;

use crate::weather::Weather;
use crate::wire::Keys;
use association_keys::KeyCase;
use delivery::Posts;
pub use exchange::Exchange;
use login::LoginCase;
pub use login::Signed;
pub use promise::{Promise, Violation};

/// Maximum duration of a request. If two requests with the same key are in flight across the same
/// midnight (UTC), each may start a confirmation: the code derived from a key changes with the day, and
/// neither request sees the other's code. This is a known limitation, which the oracle allows.
const UNDER_WAY: Duration = Duration::from_mins(4);

/// A broken promise, and how it was broken.
type Finding = (Promise, String);

/// A caller's request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The number to confirm, if the caller gave one.
    pub phone_number: Option<PhoneNumber>,
    /// The URL to which the webhook goes.
    pub callback: CallbackUrl,
    /// The metadata that the webhook returns.
    pub metadata: CanonicalObject,
    /// The `Idempotency-Key`.
    pub key: Option<String>,
}

/// An answer to a caller about a confirmation, which must exist from then on.
#[derive(Clone, Debug)]
pub struct Told {
    /// The caller's request.
    pub asked: Asked,
    pub id: ConfirmationId,
    /// The text that the user must send.
    pub message: String,
    /// The number to which the user may also send it on WhatsApp.
    pub whatsapp: Option<WhatsAppNumber>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of expiry.
    pub expires_at: Timestamp,
}

/// A text, as its sender and its provider see it.
#[derive(Clone, Debug)]
pub struct Text {
    /// The confirmation whose code the text contains.
    pub confirmation: ConfirmationId,
    /// The sender's number.
    pub from: PhoneNumber,
    /// Our WhatsApp number to which the text was sent; `None` if it came over a mobile network.
    pub whatsapp: Option<WhatsAppNumber>,
    /// When a provider first sent it to us.
    pub first_sent_at: Timestamp,
}

/// Everything that the oracle knows about one confirmation.
#[derive(Debug, Default)]
struct Case {
    told: Option<Told>,
    /// The item as last seen in the store.
    item: Option<Confirmation>,
    /// When a caller first asked to cancel the confirmation, whether or not the request arrived.
    cancel_asked_at: Option<Timestamp>,
    promised: Promised,
    /// The number of attempts when a redelivery was last promised.
    redeliver_told: Option<u32>,
}

/// Answers to callers and providers about a confirmation, and the conditions that follow at the
/// end.
#[derive(Debug, Default)]
struct Promised {
    cancelled: bool,
    redacted: bool,
    /// A text from the right sender was accepted in time, before anyone asked to cancel.
    verified: bool,
}

/// Records promises and checks that they are kept.
pub struct Oracle {
    cases: BTreeMap<ConfirmationId, Case>,
    texts: BTreeMap<TextFingerprint, Text>,
    logins: BTreeMap<LoginId, LoginCase>,
    association_keys: BTreeMap<KeyId, KeyCase>,
    /// The claims that phones signed, by the text of the proof.
    proofs: BTreeMap<String, Signed>,
    /// True if the app requires proofs.
    requires_proof: bool,
    /// A number whose texts complete no acquisition, because the app refuses its type.
    refused: Option<PhoneNumber>,
    /// The webhooks of confirmations and logins.
    posts: BTreeMap<DeliverySubject, Posts>,
    /// Connections that their carrier has reported as closed.
    gone: BTreeSet<WatcherId>,
    /// Connections that must be notified of a change, each with its login.
    pokes_due: BTreeMap<WatcherId, LoginId>,
    keys: Keys,
    /// Maximum difference between the clocks of two processes.
    skew: Duration,
    /// The time at which the aftermath of the storm has ended.
    calm_from: Timestamp,
    /// The first broken promise.
    violation: Option<Violation>,
    /// Ends the run when a promise is broken.
    over: CancellationToken,
}

impl Oracle {
    /// Creates an oracle without any promises.
    #[must_use]
    pub fn new(keys: Keys, weather: &Weather, over: CancellationToken) -> Self {
        Self {
            cases: BTreeMap::new(),
            texts: BTreeMap::new(),
            logins: BTreeMap::new(),
            association_keys: BTreeMap::new(),
            proofs: BTreeMap::new(),
            requires_proof: false,
            refused: None,
            posts: BTreeMap::new(),
            gone: BTreeSet::new(),
            pokes_due: BTreeMap::new(),
            keys,
            skew: Duration::from_millis(weather.skew),
            calm_from: weather.calm_from(),
            violation: None,
            over,
        }
    }

    /// Returns the first broken promise.
    #[must_use]
    pub const fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// Records a broken promise if it is the first one, and ends the run.
    pub fn broken(&mut self, promise: Promise, what: impl Into<String>) {
        self.violation.get_or_insert_with(|| Violation {
            promise,
            what: what.into(),
        });
        self.over.cancel();
    }

    fn case(&mut self, id: ConfirmationId) -> &mut Case {
        self.cases.entry(id).or_default()
    }

    /// Records that a caller got an answer about a confirmation, for the first time or again.
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
        if let Some(other) = self.other_confirmation_of(&told) {
            let what = format!("{:?}: {id} and {}", told.asked.key, other.id);
            self.broken(Promise::OneConfirmationForAKey, what);
        }
        self.case(id).told = Some(told);
    }

    /// Returns another confirmation with the same key within its window, which must not exist.
    fn other_confirmation_of(&self, told: &Told) -> Option<&Told> {
        let key = told.asked.key.as_ref()?;
        let within = WINDOW.saturating_sub(self.skew);
        let all = self.cases.values().filter_map(|case| case.told.as_ref());
        all.filter(|other| other.asked.key.as_ref() == Some(key))
            .find(|other| {
                let (a, b) = (told.created_at, other.created_at);
                let apart = a.since(b).max(b.since(a));
                let days = [a, b].map(|at| at.as_secs() / WINDOW.as_secs());
                let over_midnight = days[0] != days[1] && apart < UNDER_WAY;
                apart < within && !over_midnight
            })
    }

    /// Records that a provider sends us a text for the first time.
    pub fn text_sent(&mut self, fingerprint: TextFingerprint, text: Text) {
        self.texts.insert(fingerprint, text);
    }

    /// Records that the app refuses this number's type.
    pub fn app_refuses(&mut self, number: PhoneNumber) {
        self.refused = Some(number);
    }

    /// Returns whether a text from this number may complete a confirmation of the expected number, or an
    /// acquisition.
    fn may_send(&self, from: &PhoneNumber, expected: Option<&PhoneNumber>) -> bool {
        match expected {
            Some(expected) => expected == from,
            None => self.refused.as_ref() != Some(from),
        }
    }

    /// Records that a provider got the answer that we accepted a text.
    pub fn text_taken(&mut self, fingerprint: TextFingerprint, now: Timestamp) {
        let Some(text) = self.texts.get(&fingerprint).cloned() else {
            return;
        };
        let skew = self.skew;
        let told = self.case(text.confirmation).told.clone();
        let Some(told) = told else { return };
        let right = self.may_send(&text.from, told.asked.phone_number.as_ref())
            && (text.whatsapp.is_none() || text.whatsapp == told.whatsapp);
        let in_time = now.plus(skew) < told.expires_at;
        let case = self.case(text.confirmation);
        if right && in_time && case.cancel_asked_at.is_none() {
            case.promised.verified = true;
        }
    }

    /// Records that a caller asks to cancel a confirmation.
    pub fn cancel_asked(&mut self, id: ConfirmationId, now: Timestamp) {
        self.case(id).cancel_asked_at.get_or_insert(now);
    }

    /// Records that a caller got the answer that the confirmation is cancelled.
    pub fn cancel_told(&mut self, id: ConfirmationId) {
        self.case(id).promised.cancelled = true;
    }

    /// Records that a caller got the answer that the personal data is erased.
    pub fn redact_told(&mut self, id: ConfirmationId) {
        self.case(id).promised.redacted = true;
    }

    /// Records that a caller was promised a redelivery, when `attempts_claimed` attempts had been claimed.
    pub fn redeliver_told(&mut self, id: ConfirmationId, attempts_claimed: u32) {
        self.case(id).redeliver_told = Some(attempts_claimed);
    }
}
