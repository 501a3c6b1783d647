//! Transitions caused by callers: create, cancel, redact, redeliver.

use std::time::Duration;

use super::{live, owned};
use crate::app::quota::QuotaExceeded;
use crate::app::scope::Scope;
use crate::confirmation::carrier::Carrier;
use crate::confirmation::{Confirmation, Flow, Redactable, State, Status};
use crate::delivery::transitions::HasDelivery as _;
use crate::delivery::{Decision, DeliveryPointer, MAX_RETRY_WINDOW, Progress, SWEEP_LEASE};
use crate::primitives::canonical_json::CanonicalObject;
use crate::primitives::time::Timestamp;

/// The result of creating a confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateOutcome {
    /// The confirmation was stored.
    Created,
    /// An item with this id already exists: from the same request, or from an earlier use of the
    /// same idempotency key.
    Exists(Box<Confirmation>),
    /// The app's quota is exceeded, and nothing was written.
    Exceeded(QuotaExceeded),
}

/// Creates a confirmation unless an item with its id exists.
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

/// The result of cancelling a confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CancelOutcome {
    Cancelled(Box<Confirmation>),
    /// The confirmation had already ended.
    Ended(Status),
    /// The app has no such confirmation.
    Unknown,
}

/// Cancels an open confirmation.
#[must_use]
pub fn cancel(
    current: Option<Confirmation>,
    scope: Scope<'_>,
    now: Timestamp,
) -> Decision<Confirmation, CancelOutcome> {
    let Some(mut item) = owned(current, scope, now) else {
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

/// The result of erasing personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedactOutcome {
    /// Numbers and metadata have been erased, by this call or an earlier one.
    Redacted(Box<Confirmation>),
    /// The confirmation is still open.
    Open,
    /// The webhook, which needs the data, is still pending.
    WebhookPending,
    /// The app has no such confirmation.
    Unknown,
}

/// Erases the numbers and the metadata of a finished confirmation.
#[must_use]
pub fn redact(
    current: Option<Confirmation>,
    scope: Scope<'_>,
    now: Timestamp,
) -> Decision<Confirmation, RedactOutcome> {
    let Some(mut item) = owned(current, scope, now) else {
        return Decision::refuse(RedactOutcome::Unknown);
    };
    if item.status(now) == Status::Open {
        return Decision::refuse(RedactOutcome::Open);
    }
    if item.redacted_at.is_some() {
        return Decision::refuse(RedactOutcome::Redacted(Box::new(item)));
    }
    if let State::Verified(verified) = &mut item.state {
        let delivery = verified.delivery.as_mut();
        if let Some(delivery) = delivery {
            if delivery.is_pending() {
                return Decision::refuse(RedactOutcome::WebhookPending);
            }
            delivery.signature = None;
            delivery.refusal = None;
        }
        verified.phone_number = Redactable::Redacted;
        verified.carrier = Carrier::Undecided;
        verified.second_sender = None;
    }
    if let Flow::Confirmation { expected } = &mut item.flow {
        *expected = Redactable::Redacted;
    }
    if let Some(openid) = &mut item.openid {
        openid.subject = None;
    }
    item.metadata = Redactable::<CanonicalObject>::Redacted;
    item.redacted_at = Some(now);
    Decision {
        outcome: RedactOutcome::Redacted(Box::new(item.clone())),
        write: Some(item),
    }
}

/// The result of requesting another delivery of the webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedeliverOutcome {
    /// The webhook is pending again, and its first attempt is due immediately.
    Pending {
        /// The item after the change.
        confirmation: Box<Confirmation>,
        /// Pointer for the queue.
        pointer: DeliveryPointer,
    },
    /// There is no webhook, because the number was not verified.
    NotVerified(Status),
    /// An attempt is in progress.
    InFlight,
    /// The data for the webhook was erased.
    Redacted,
    /// The confirmation has no webhook: the service's `OpenID` provider started it.
    NoWebhook,
    /// The app has no such confirmation.
    Unknown,
}

/// Makes the webhook pending again, with a full round of attempts and the same webhook id.
#[must_use]
pub fn redeliver(
    current: Option<Confirmation>,
    scope: Scope<'_>,
    now: Timestamp,
    retention: Duration,
) -> Decision<Confirmation, RedeliverOutcome> {
    let Some(mut item) = owned(current, scope, now) else {
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
    let Some(delivery) = &mut verified.delivery else {
        return Decision::refuse(RedeliverOutcome::NoWebhook);
    };
    if delivery.is_in_flight(now) {
        return Decision::refuse(RedeliverOutcome::InFlight);
    }
    delivery.round_began_at = delivery.attempts_claimed;
    delivery.progress = Progress::Pending {
        next_attempt_at: now,
        due_at: now.plus(SWEEP_LEASE),
        claimed_at: None,
    };
    item.purge_at = item
        .purge_at
        .max(now.plus(MAX_RETRY_WINDOW).plus(retention));
    let Some(pointer) = item.pointer() else {
        return Decision::refuse(RedeliverOutcome::NoWebhook);
    };
    let outcome = RedeliverOutcome::Pending {
        confirmation: Box::new(item.clone()),
        pointer,
    };
    Decision {
        outcome,
        write: Some(item),
    }
}
