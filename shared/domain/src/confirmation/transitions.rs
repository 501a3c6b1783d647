//! Every change that a confirmation can go through, as a decision about one item.
//!
//! A store makes the decision atomic and nothing more: it reads the item, asks here, and writes
//! what it is told in one conditional write (or expresses the same condition in its own language
//! and asks here only for the name of a refusal). `current` is `None` where there is no item; an
//! item from its `purge_at` on counts as none.

use std::time::Duration;

use super::{Confirmation, Flow, Redactable, State, Status, TextFingerprint, Verified};
use crate::canonical_json::CanonicalObject;
use crate::delivery::{
    Attempt, CLAIM_LEASE, Delivery, DeliveryPointer, HORIZON, KEPT_ATTEMPTS, KeptSignature,
    Progress, SWEEP_LEASE,
};
use crate::ids::AppId;
use crate::phone::PhoneNumber;
use crate::time::Timestamp;

#[cfg(test)]
mod properties;

/// What a store is to do: answer `outcome`, after writing `write` where there is something to
/// write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision<O> {
    /// The answer.
    pub outcome: O,
    /// The item as it shall be.
    pub write: Option<Confirmation>,
}

impl<O> Decision<O> {
    const fn refuse(outcome: O) -> Self {
        Self {
            outcome,
            write: None,
        }
    }
}

/// The webhook owed or once owed, where the session was verified.
fn delivery_of(item: &mut Confirmation) -> Option<&mut Delivery> {
    match &mut item.state {
        State::Verified(verified) => Some(&mut verified.delivery),
        State::Open | State::Cancelled { .. } => None,
    }
}

/// Whether an item counts as there.
fn live(current: Option<Confirmation>, now: Timestamp) -> Option<Confirmation> {
    current.filter(|item| now < item.purge_at)
}

/// The item, if it is there and the app's own.
fn owned(current: Option<Confirmation>, app: &AppId, now: Timestamp) -> Option<Confirmation> {
    live(current, now).filter(|item| item.app == *app)
}

/// What became of a new session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateOutcome {
    /// It is on disk.
    Created,
    /// An item with its id was there already: the request's replay, or an older use of the same
    /// idempotency key.
    Exists(Box<Confirmation>),
}

/// Puts a new session if there is none with its id.
#[must_use]
pub fn create(
    current: Option<Confirmation>,
    new: Confirmation,
    now: Timestamp,
) -> Decision<CreateOutcome> {
    match live(current, now) {
        Some(item) => Decision::refuse(CreateOutcome::Exists(Box::new(item))),
        None => Decision {
            outcome: CreateOutcome::Created,
            write: Some(new),
        },
    }
}

/// What a text that arrived says, code aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEvidence {
    /// Who sent it.
    pub from: PhoneNumber,
    /// The sender's carrier, empty where nobody said.
    pub carrier: String,
    /// Which text it is.
    pub text: TextFingerprint,
}

/// What a text did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyOutcome {
    /// It completed the session; the webhook is owed from now on.
    Verified {
        /// To put into the queue.
        pointer: DeliveryPointer,
        /// Which app's session it was.
        app: AppId,
    },
    /// The provider sent the same text again.
    Repeated {
        /// To put into the queue again, where no attempt was made yet: the first answer may have
        /// been lost before the pointer was sent.
        pointer: Option<DeliveryPointer>,
    },
    /// It changed nothing.
    Refused(VerifyRefusal),
}

/// Why a text with a well-formed code changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerifyRefusal {
    /// No session has this code.
    Unknown,
    /// It came too late.
    Expired,
    /// The caller had ended the session.
    Cancelled,
    /// Another text had completed the session.
    AlreadyUsed,
    /// The session expects another number.
    WrongSender,
}

/// Lets a text complete a session: it must be open, not expired, and expect this sender or any.
/// `retention` is how long the item is kept past the retry horizon.
#[must_use]
pub fn verify(
    current: Option<Confirmation>,
    evidence: &TextEvidence,
    now: Timestamp,
    retention: Duration,
) -> Decision<VerifyOutcome> {
    let refuse = |refusal| Decision::refuse(VerifyOutcome::Refused(refusal));
    let Some(mut item) = live(current, now) else {
        return refuse(VerifyRefusal::Unknown);
    };
    match &item.state {
        State::Verified(verified) if verified.text == evidence.text => {
            let first = verified.delivery.attempts_claimed == 0;
            let pointer = item.pointer().filter(|_| first);
            return Decision::refuse(VerifyOutcome::Repeated { pointer });
        }
        State::Verified(_) => return refuse(VerifyRefusal::AlreadyUsed),
        State::Cancelled { .. } => return refuse(VerifyRefusal::Cancelled),
        State::Open if now >= item.expires_at => return refuse(VerifyRefusal::Expired),
        State::Open => {}
    }
    if let Flow::Confirmation { expected } = &item.flow
        && expected.present() != Some(&evidence.from)
    {
        return refuse(VerifyRefusal::WrongSender);
    }
    let delivery = Delivery::owed(now);
    let pointer = DeliveryPointer {
        confirmation: item.id,
        attempts_claimed: delivery.attempts_claimed,
        group: item.group(),
    };
    item.state = State::Verified(Box::new(Verified {
        phone_number: Redactable::Present(evidence.from.clone()),
        carrier: evidence.carrier.clone(),
        at: now,
        text: evidence.text,
        delivery,
    }));
    item.purge_at = item.purge_at.max(now.plus(HORIZON).plus(retention));
    let app = item.app.clone();
    Decision {
        outcome: VerifyOutcome::Verified { pointer, app },
        write: Some(item),
    }
}

/// What a cancellation did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CancelOutcome {
    /// The session is cancelled.
    Cancelled(Box<Confirmation>),
    /// It had ended already.
    Ended(Status),
    /// The app has no such session.
    Unknown,
}

/// Ends an open session.
#[must_use]
pub fn cancel(
    current: Option<Confirmation>,
    app: &AppId,
    now: Timestamp,
) -> Decision<CancelOutcome> {
    let Some(mut item) = owned(current, app, now) else {
        return Decision::refuse(CancelOutcome::Unknown);
    };
    match item.status(now) {
        Status::Open => {
            item.state = State::Cancelled { at: now };
            let outcome = CancelOutcome::Cancelled(Box::new(item.clone()));
            Decision {
                outcome,
                write: Some(item),
            }
        }
        ended => Decision::refuse(CancelOutcome::Ended(ended)),
    }
}

/// What a redaction did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedactOutcome {
    /// Number and metadata are erased, now or earlier.
    Redacted(Box<Confirmation>),
    /// The session is still open.
    Open,
    /// Its webhook, which carries the data, is still owed.
    WebhookOwed,
    /// The app has no such session.
    Unknown,
}

/// Erases the numbers and the metadata of a session that has ended.
#[must_use]
pub fn redact(
    current: Option<Confirmation>,
    app: &AppId,
    now: Timestamp,
) -> Decision<RedactOutcome> {
    let Some(mut item) = owned(current, app, now) else {
        return Decision::refuse(RedactOutcome::Unknown);
    };
    if item.status(now) == Status::Open {
        return Decision::refuse(RedactOutcome::Open);
    }
    if item.redacted_at.is_some() {
        return Decision::refuse(RedactOutcome::Redacted(Box::new(item)));
    }
    if let State::Verified(verified) = &mut item.state {
        if verified.delivery.is_pending() {
            return Decision::refuse(RedactOutcome::WebhookOwed);
        }
        verified.phone_number = Redactable::Redacted;
        verified.carrier.clear();
        verified.delivery.signature = None;
    }
    if let Flow::Confirmation { expected } = &mut item.flow {
        *expected = Redactable::Redacted;
    }
    item.metadata = Redactable::<CanonicalObject>::Redacted;
    item.redacted_at = Some(now);
    Decision {
        outcome: RedactOutcome::Redacted(Box::new(item.clone())),
        write: Some(item),
    }
}

/// What a request to send the webhook again did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedeliverOutcome {
    /// It is owed again, first attempt at once.
    Owed {
        /// The item as it is now.
        confirmation: Box<Confirmation>,
        /// To put into the queue.
        pointer: DeliveryPointer,
    },
    /// There is no webhook: the session was not verified.
    NotVerified(Status),
    /// An attempt is under way at this moment.
    InFlight,
    /// What the webhook would carry was erased.
    Redacted,
    /// The app has no such session.
    Unknown,
}

/// Makes the webhook owed again, with a whole round of attempts and the same webhook id.
#[must_use]
pub fn redeliver(
    current: Option<Confirmation>,
    app: &AppId,
    now: Timestamp,
    retention: Duration,
) -> Decision<RedeliverOutcome> {
    let Some(mut item) = owned(current, app, now) else {
        return Decision::refuse(RedeliverOutcome::Unknown);
    };
    let status = item.status(now);
    let redacted = item.redacted_at.is_some();
    let State::Verified(verified) = &mut item.state else {
        return Decision::refuse(RedeliverOutcome::NotVerified(status));
    };
    if redacted {
        return Decision::refuse(RedeliverOutcome::Redacted);
    }
    if is_in_flight(&verified.delivery.progress, now) {
        return Decision::refuse(RedeliverOutcome::InFlight);
    }
    verified.delivery.round_began_at = verified.delivery.attempts_claimed;
    verified.delivery.progress = Progress::Pending {
        next_attempt_at: now,
        due_at: now.plus(SWEEP_LEASE),
        claimed_at: None,
    };
    let attempts_claimed = verified.delivery.attempts_claimed;
    item.purge_at = item.purge_at.max(now.plus(HORIZON).plus(retention));
    let pointer = DeliveryPointer {
        confirmation: item.id,
        attempts_claimed,
        group: item.group(),
    };
    let outcome = RedeliverOutcome::Owed {
        confirmation: Box::new(item.clone()),
        pointer,
    };
    Decision {
        outcome,
        write: Some(item),
    }
}

/// Whether an attempt is under way, and not for so long that its maker must have died.
fn is_in_flight(progress: &Progress, now: Timestamp) -> bool {
    match progress {
        Progress::Pending {
            claimed_at: Some(at),
            ..
        } => now < at.plus(CLAIM_LEASE),
        _ => false,
    }
}

/// What a claim got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The attempt is this caller's to make. The item as it is now.
    Claimed(Box<Confirmation>),
    /// Nothing to do: another made it, or it is no longer owed.
    Stale,
}

/// Claims the attempt after `attempts_claimed` others. The due index is not touched.
#[must_use]
pub fn claim(
    current: Option<Confirmation>,
    attempts_claimed: u32,
    now: Timestamp,
) -> Decision<ClaimOutcome> {
    let Some(mut item) = live(current, now) else {
        return Decision::refuse(ClaimOutcome::Stale);
    };
    let Some(delivery) = delivery_of(&mut item) else {
        return Decision::refuse(ClaimOutcome::Stale);
    };
    if delivery.attempts_claimed != attempts_claimed || is_in_flight(&delivery.progress, now) {
        return Decision::refuse(ClaimOutcome::Stale);
    }
    let Progress::Pending { claimed_at, .. } = &mut delivery.progress else {
        return Decision::refuse(ClaimOutcome::Stale);
    };
    *claimed_at = Some(now);
    delivery.attempts_claimed += 1;
    Decision {
        outcome: ClaimOutcome::Claimed(Box::new(item.clone())),
        write: Some(item),
    }
}

/// What follows an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The receiver took it.
    Delivered,
    /// Another attempt.
    Retry {
        /// When.
        at: Timestamp,
        /// When the sweep looks after it: a lease later where a queue carries the pointer, else
        /// the same instant.
        due_at: Timestamp,
    },
    /// Given up.
    Failed,
}

/// The result of an attempt, to be written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledAttempt {
    /// The attempt; its number is what the settlement is conditional on.
    pub attempt: Attempt,
    /// The signature that was sent, to be kept.
    pub signature: Option<KeptSignature>,
    /// What follows.
    pub settlement: Settlement,
}

/// What a settlement did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettleOutcome {
    /// It is written down.
    Settled {
        /// The next attempt, where one follows.
        pointer: Option<DeliveryPointer>,
    },
    /// Another attempt had taken its place meanwhile.
    Superseded,
}

/// Writes down how the attempt ended that the caller had claimed.
#[must_use]
pub fn settle(
    current: Option<Confirmation>,
    settled: SettledAttempt,
    now: Timestamp,
    retention: Duration,
) -> Decision<SettleOutcome> {
    let superseded = Decision::refuse(SettleOutcome::Superseded);
    let Some(mut item) = live(current, now) else {
        return superseded;
    };
    let Some(delivery) = delivery_of(&mut item) else {
        return superseded;
    };
    let claimed = matches!(
        delivery.progress,
        Progress::Pending {
            claimed_at: Some(_),
            ..
        }
    );
    if !claimed || delivery.attempts_claimed != settled.attempt.number {
        return superseded;
    }
    delivery.attempts.push(settled.attempt);
    let surplus = delivery.attempts.len().saturating_sub(KEPT_ATTEMPTS);
    delivery.attempts.drain(..surplus);
    if settled.signature.is_some() {
        delivery.signature = settled.signature;
    }
    delivery.progress = match settled.settlement {
        Settlement::Delivered => Progress::Delivered { at: now },
        Settlement::Failed => Progress::Failed { at: now },
        Settlement::Retry { at, due_at } => Progress::Pending {
            next_attempt_at: at,
            due_at,
            claimed_at: None,
        },
    };
    if let Settlement::Retry { at, .. } = settled.settlement {
        item.purge_at = item.purge_at.max(at.plus(retention));
    }
    Decision {
        outcome: SettleOutcome::Settled {
            pointer: item.pointer(),
        },
        write: Some(item),
    }
}

/// What a postponement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostponeOutcome {
    /// The sweep may put this pointer into the queue.
    Postponed(DeliveryPointer),
    /// The delivery moved on, or another sweep has it.
    Superseded,
}

/// Advances the instant at which the sweep looks after a delivery, if it is still the one seen.
#[must_use]
pub fn postpone(
    current: Option<Confirmation>,
    seen_due_at: Timestamp,
    now: Timestamp,
) -> Decision<PostponeOutcome> {
    let superseded = Decision::refuse(PostponeOutcome::Superseded);
    let Some(mut item) = live(current, now) else {
        return superseded;
    };
    let Some(pointer) = item.pointer() else {
        return superseded;
    };
    let Some(delivery) = delivery_of(&mut item) else {
        return superseded;
    };
    let Progress::Pending { due_at, .. } = &mut delivery.progress else {
        return superseded;
    };
    if *due_at != seen_due_at {
        return superseded;
    }
    *due_at = now.plus(SWEEP_LEASE);
    Decision {
        outcome: PostponeOutcome::Postponed(pointer),
        write: Some(item),
    }
}
