//! What a text does: complete a session, or nothing.

use std::time::Duration;

use super::live;
use crate::confirmation::{Confirmation, Flow, Redactable, State, TextFingerprint, Verified};
use crate::delivery::transitions::Owes as _;
use crate::delivery::{Decision, Delivery, DeliveryPointer, HORIZON};
use crate::primitives::ids::AppId;
use crate::primitives::phone::PhoneNumber;
use crate::primitives::time::Timestamp;

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
