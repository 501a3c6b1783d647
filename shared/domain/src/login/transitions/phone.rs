//! What the phone does: open the code, confirm, deny.

use super::live;
use crate::delivery::Decision;
use crate::login::risk::RiskStatus;
use crate::login::{
    BlockReason, Login, MobileTokenHash, Payload, PayloadFingerprint, Phone, REDEEMABLE, SCANNED,
    State, Status,
};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// What opening a code did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitiateOutcome {
    /// The session is this phone's to decide. The item as it is now.
    Opened(Box<Login>),
    /// It was this phone's already: the answer is the same as before.
    Repeated(Box<Login>),
    /// Another phone had opened it, so that the code is in other hands too: from now on nobody
    /// can confirm it. The item as it is now.
    SecondPhone(Box<Login>),
    /// It had ended.
    Ended(Status),
    /// The time is over. Told to the phone that had opened it, and to no other.
    Expired,
    /// There is no such session, not of this app, or not any more.
    Unknown,
}

/// Opens a code. Repeated with the same token it changes nothing and answers the same, so that a
/// lost answer costs nothing; a second phone blocks the session.
#[must_use]
pub fn initiate(
    current: Option<Login>,
    app: &AppId,
    phone: Phone,
    now: Timestamp,
) -> Decision<Login, InitiateOutcome> {
    let Some(item) = live(current, now).filter(|item| item.app == *app) else {
        return Decision::refuse(InitiateOutcome::Unknown);
    };
    let is_its_own = item.phone().is_some_and(|known| known.token == phone.token);
    match (item.status(now), item.phone().cloned().map(Box::new)) {
        (Status::Expired, _) if is_its_own => Decision::refuse(InitiateOutcome::Expired),
        (Status::Expired, _) => Decision::refuse(InitiateOutcome::Unknown),
        (Status::Created, _) => {
            let state = State::Scanned {
                phone: Box::new(phone),
                expires_at: now.plus(SCANNED),
            };
            Decision::enter(item, state, InitiateOutcome::Opened)
        }
        (Status::Scanned, _) if is_its_own => {
            Decision::refuse(InitiateOutcome::Repeated(Box::new(item)))
        }
        (Status::Scanned, Some(first)) => {
            let state = State::Blocked {
                phone: first,
                at: now,
                reason: BlockReason::SecondPhone,
            };
            Decision::enter(item, state, InitiateOutcome::SecondPhone)
        }
        (ended, _) => Decision::refuse(InitiateOutcome::Ended(ended)),
    }
}

/// What the phone sends with its decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// By what the phone is known.
    pub token: MobileTokenHash,
    /// What it has to say.
    pub payload: Payload,
    /// What this very answer is known by when it comes again.
    pub fingerprint: PayloadFingerprint,
}

/// The session, if it is there and this phone opened it.
fn opened_by(
    current: Option<Login>,
    token: &MobileTokenHash,
    now: Timestamp,
) -> Option<(Login, Box<Phone>)> {
    let item = live(current, now)?;
    let phone = item.phone().filter(|phone| phone.token == *token)?.clone();
    Some((item, Box::new(phone)))
}

/// What a confirmation did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfirmOutcome {
    /// The payload waits for the browser. The item as it is now.
    Confirmed(Box<Login>),
    /// The same confirmation had come before.
    Repeated,
    /// The risk forbids it, and the session is stopped. The item as it is now.
    Forbidden(Box<Login>),
    /// The risk had forbidden it before.
    StillForbidden,
    /// The payload is encrypted and the browser has no key, or it is readable and must not be.
    /// Nothing changed.
    Unsuitable,
    /// It had ended, or was confirmed with another payload.
    Ended(Status),
    /// The time is over.
    Expired,
    /// The phone has no such session.
    Unknown,
}

/// Confirms a session that this phone opened, unless the risk forbids it.
#[must_use]
pub fn confirm(
    current: Option<Login>,
    answer: Answer,
    now: Timestamp,
) -> Decision<Login, ConfirmOutcome> {
    let Some((item, phone)) = opened_by(current, &answer.token, now) else {
        return Decision::refuse(ConfirmOutcome::Unknown);
    };
    let status = item.status(now);
    match &item.state {
        _ if status == Status::Expired => Decision::refuse(ConfirmOutcome::Expired),
        State::Scanned { .. } if phone.risk.status() == RiskStatus::Deny => {
            let state = State::Blocked {
                phone,
                at: now,
                reason: BlockReason::Risk,
            };
            Decision::enter(item, state, ConfirmOutcome::Forbidden)
        }
        State::Scanned { .. } if !item.encryption.suits(&answer.payload) => {
            Decision::refuse(ConfirmOutcome::Unsuitable)
        }
        State::Scanned { .. } => {
            let said = answer.payload.clone();
            let state = State::Confirmed {
                phone,
                at: now,
                payload: answer.payload,
                fingerprint: answer.fingerprint,
                redeem_by: now.plus(REDEEMABLE),
            };
            Decision::decide(item, state, &said, now, ConfirmOutcome::Confirmed)
        }
        State::Confirmed { fingerprint, .. } | State::Consumed { fingerprint, .. }
            if *fingerprint == answer.fingerprint =>
        {
            Decision::refuse(ConfirmOutcome::Repeated)
        }
        State::Blocked {
            reason: BlockReason::Risk,
            ..
        } => Decision::refuse(ConfirmOutcome::StillForbidden),
        _ => Decision::refuse(ConfirmOutcome::Ended(status)),
    }
}

/// What a denial did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DenyOutcome {
    /// The session is over. The item as it is now.
    Denied(Box<Login>),
    /// It was denied before.
    Repeated,
    /// It had ended otherwise.
    Ended(Status),
    /// The time is over.
    Expired,
    /// The phone has no such session.
    Unknown,
}

/// Denies a session that this phone opened. No payload keeps it from being denied, and none is
/// kept: there is nobody to read it but the app's server, which is told at once.
#[must_use]
pub fn deny(
    current: Option<Login>,
    answer: &Answer,
    now: Timestamp,
) -> Decision<Login, DenyOutcome> {
    let Some((item, phone)) = opened_by(current, &answer.token, now) else {
        return Decision::refuse(DenyOutcome::Unknown);
    };
    match item.status(now) {
        Status::Scanned => {
            let state = State::Denied { phone, at: now };
            Decision::decide(item, state, &answer.payload, now, DenyOutcome::Denied)
        }
        Status::Denied => Decision::refuse(DenyOutcome::Repeated),
        Status::Expired => Decision::refuse(DenyOutcome::Expired),
        ended => Decision::refuse(DenyOutcome::Ended(ended)),
    }
}
