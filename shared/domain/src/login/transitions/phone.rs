//! Transitions caused by the phone: initiate, confirm, deny.

use super::live;
use crate::delivery::Decision;
use crate::login::risk::RiskStatus;
use crate::login::{
    BlockReason, Login, MobileTokenHash, Payload, PayloadFingerprint, Phone, REDEEMABLE, SCANNED,
    State, Status,
};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// The result of opening a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitiateOutcome {
    /// The login is this phone's to decide. Contains the item after the change.
    Opened(Box<Login>),
    /// This phone had opened the login before, and gets the same answer.
    Repeated(Box<Login>),
    /// Another phone had opened the login, so the code is in other hands too: the login is blocked.
    /// Contains the item after the change.
    SecondPhone(Box<Login>),
    /// The login had ended.
    Ended(Status),
    /// The login has expired. Only the phone that opened it is told so.
    Expired,
    /// The app has no such login.
    Unknown,
}

/// Opens a login for a phone. Repeating this with the same token changes nothing and gets the same
/// answer, so that a lost answer costs nothing. A second phone blocks the login.
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

/// The phone's decision and the data it sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Hash of the phone's token.
    pub token: MobileTokenHash,
    /// Data for the browser or the app's server.
    pub payload: Payload,
    /// Identifies this answer if the phone repeats it.
    pub fingerprint: PayloadFingerprint,
}

/// Returns the login if it exists and this phone opened it.
fn opened_by(
    current: Option<Login>,
    token: &MobileTokenHash,
    now: Timestamp,
) -> Option<(Login, Box<Phone>)> {
    let item = live(current, now)?;
    let phone = item.phone().filter(|phone| phone.token == *token)?.clone();
    Some((item, Box::new(phone)))
}

/// The result of confirming a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfirmOutcome {
    /// The payload waits for the browser. Contains the item after the change.
    Confirmed(Box<Login>),
    /// The same confirmation was received before.
    Repeated,
    /// The risk was too high, and the login is blocked. Contains the item after the change.
    Forbidden(Box<Login>),
    /// The login had been blocked for its risk before.
    StillForbidden,
    /// The payload is encrypted although the browser has no key, or readable although the app
    /// requires encryption. Nothing was changed.
    Unsuitable,
    /// The login had ended, or was confirmed with another payload.
    Ended(Status),
    /// The login has expired.
    Expired,
    /// The phone has no such login.
    Unknown,
}

/// Confirms a login that this phone opened, unless the risk is too high.
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

/// The result of denying a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DenyOutcome {
    /// The login is denied. Contains the item after the change.
    Denied(Box<Login>),
    /// The login was denied before.
    Repeated,
    /// The login had ended otherwise.
    Ended(Status),
    /// The login has expired.
    Expired,
    /// The phone has no such login.
    Unknown,
}

/// Denies a login that this phone opened. Any payload is accepted and none is stored: only the
/// app's server, which is told at once, may read it.
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
