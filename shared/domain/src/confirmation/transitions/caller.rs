//! What a caller does: start a session, end it, erase it, ask for its webhook again.

use std::time::Duration;

use super::{live, owned};
use crate::app::quota::QuotaExceeded;
use crate::confirmation::{Confirmation, Flow, Redactable, State, Status};
use crate::delivery::{Decision, DeliveryPointer, HORIZON, Progress, SWEEP_LEASE};
use crate::primitives::canonical_json::CanonicalObject;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// What became of a new session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateOutcome {
    /// It is on disk.
    Created,
    /// An item with its id was there already: the request's replay, or an older use of the same
    /// idempotency key.
    Exists(Box<Confirmation>),
    /// Nothing was written: the app's quota is used up.
    Exceeded(QuotaExceeded),
}

/// Puts a new session if there is none with its id.
#[must_use]
pub fn create(
    current: Option<Confirmation>,
    new: Confirmation,
    now: Timestamp,
) -> Decision<Confirmation, CreateOutcome> {
    match live(current, now) {
        Some(item) => Decision::refuse(CreateOutcome::Exists(Box::new(item))),
        None => Decision {
            outcome: CreateOutcome::Created,
            write: Some(new),
        },
    }
}

/// As [`create`], where the app's quota allows it. `check` is asked only about an item that would be
/// written, so that a replay is never refused.
#[must_use]
pub fn create_within(
    current: Option<Confirmation>,
    new: Confirmation,
    check: impl FnOnce(&Confirmation) -> Result<(), QuotaExceeded>,
    now: Timestamp,
) -> Decision<Confirmation, CreateOutcome> {
    let decision = create(current, new, now);
    match decision.write.as_ref().map(check) {
        Some(Err(exceeded)) => Decision::refuse(CreateOutcome::Exceeded(exceeded)),
        Some(Ok(())) | None => decision,
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
) -> Decision<Confirmation, CancelOutcome> {
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
) -> Decision<Confirmation, RedactOutcome> {
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
) -> Decision<Confirmation, RedeliverOutcome> {
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
    if verified.delivery.is_in_flight(now) {
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
        subject: item.id.into(),
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
