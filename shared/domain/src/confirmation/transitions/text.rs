//! The transition caused by a text, which completes the confirmation or changes nothing.

use std::time::Duration;

use super::live;
use crate::confirmation::{Confirmation, Flow, Redactable, State, TextFingerprint, Verified};
use crate::delivery::transitions::Owes as _;
use crate::delivery::{Decision, Delivery, DeliveryPointer, HORIZON};
use crate::primitives::ids::AppId;
use crate::primitives::phone::PhoneNumber;
use crate::primitives::time::Timestamp;

/// The facts about an inbound text, without the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEvidence {
    /// Sender of the text.
    pub from: PhoneNumber,
    /// Name of the sender's carrier; empty if the provider did not report it.
    pub carrier: String,
    /// Identifies the text.
    pub text: TextFingerprint,
}

/// The result of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyOutcome {
    /// The text completed the confirmation, and the webhook is owed.
    Verified {
        /// Pointer for the queue.
        pointer: DeliveryPointer,
        /// The app that started the confirmation.
        app: AppId,
    },
    /// The provider delivered the same text again.
    Repeated {
        /// Pointer for the queue, if no attempt was made yet: the first one may have been lost
        /// before it was queued.
        pointer: Option<DeliveryPointer>,
    },
    /// The text changed nothing.
    Refused(VerifyRefusal),
}

/// The reason why a text with a well-formed code changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerifyRefusal {
    /// No confirmation has this code.
    Unknown,
    /// The confirmation has expired.
    Expired,
    /// The caller had cancelled the confirmation.
    Cancelled,
    /// Another text had completed the confirmation.
    AlreadyUsed,
    /// The confirmation expects another number.
    WrongSender,
}

/// Completes a confirmation if it is open, not expired, and expects this sender or any. `retention`
/// is the time for which the item is kept after the end of the retries.
#[must_use]
pub fn verify(
    current: Option<Confirmation>,
    evidence: &TextEvidence,
    now: Timestamp,
    retention: Duration,
) -> Decision<Confirmation, VerifyOutcome> {
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
        subject: item.id.into(),
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
