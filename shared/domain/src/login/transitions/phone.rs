//! Transitions caused by the phone: initiate, confirm, deny.

use super::live;
use crate::delivery::Decision;
use crate::login::risk::RiskStatus;
use crate::login::{
    BlockReason, DenialPayload, DenyReason, Login, MissedCodes, MobileTokenHash,
    PayloadFingerprint, Phone, PhonePayload, REDEEMABLE, SCANNED, State, Status, VerifiedUser,
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
    /// This phone had opened the login before, and named another user.
    Different,
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
/// answer, so that a lost answer costs nothing. A second phone blocks the login. The phone MUST have a
/// check code exactly if the login requires one.
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
        // The rule never changes, so the caller read another login that had this id before.
        (Status::Created, _) if item.requires_check_code != phone.check_code.is_some() => {
            Decision::refuse(InitiateOutcome::Unknown)
        }
        (Status::Created, _) => {
            let state = State::Scanned {
                phone: Box::new(phone),
                expires_at: now.plus(SCANNED),
            };
            Decision::enter(item, state, InitiateOutcome::Opened)
        }
        (Status::Scanned, Some(first)) if is_its_own => {
            let is_same = first.user == phone.user;
            Decision::refuse(if is_same {
                InitiateOutcome::Repeated(Box::new(item))
            } else {
                InitiateOutcome::Different
            })
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

/// A confirmation as the phone sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Hash of the phone's token.
    pub token: MobileTokenHash,
    /// Data for the browser.
    pub payload: PhonePayload,
    /// Identifies this answer if the phone repeats it.
    pub fingerprint: PayloadFingerprint,
    /// The user whom the payload's proof shows, by a registered key.
    pub verified: Option<VerifiedUser>,
}

/// A denial as the phone sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// Hash of the phone's token.
    pub token: MobileTokenHash,
    /// Data for the app's server.
    pub payload: DenialPayload,
    /// The reason, if the phone denies by itself.
    pub reason: Option<DenyReason>,
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
    /// The payload is encrypted although the browser has no key, or readable although it has one.
    /// Nothing was changed.
    Unsuitable,
    /// The login has a context and the confirmation no proof, or the app requires proofs and none of a
    /// registered key was verified. Nothing was changed.
    ProofRequired,
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
        State::Scanned { .. } if !item.encryption.suits(answer.payload.payload()) => {
            Decision::refuse(ConfirmOutcome::Unsuitable)
        }
        State::Scanned { .. } if !is_proven(&item, &answer) => {
            Decision::refuse(ConfirmOutcome::ProofRequired)
        }
        State::Scanned { .. } => {
            let phone = Box::new(Phone {
                verified: answer.verified,
                ..*phone
            });
            let state = State::Confirmed {
                phone,
                at: now,
                payload: answer.payload,
                fingerprint: answer.fingerprint,
                redeem_by: now.plus(REDEEMABLE),
                missed: MissedCodes::default(),
            };
            Decision::decide(item, state, now, ConfirmOutcome::Confirmed)
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

/// Returns whether the confirmation has the proof that the login needs. A context needs one that the
/// app's server verifies, since nothing else says what the person approved.
fn is_proven(item: &Login, answer: &Answer) -> bool {
    let unsigned = item.context().is_some() && answer.payload.proof().is_none();
    let unverified = item.requires_proof && answer.verified.is_none();
    !unsigned && !unverified
}

/// The result of denying a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DenyOutcome {
    /// The login is denied, or blocked if the phone gave a reason. Contains the item after the
    /// change.
    Denied(Box<Login>),
    /// The login was denied before, for the same reason.
    Repeated,
    /// The login had ended otherwise.
    Ended(Status),
    /// The login has expired.
    Expired,
    /// The phone has no such login.
    Unknown,
}

/// Denies a login that this phone opened. The payload stays in the item for the app's server.
#[must_use]
pub fn deny(
    current: Option<Login>,
    denial: Denial,
    now: Timestamp,
) -> Decision<Login, DenyOutcome> {
    let Some((item, phone)) = opened_by(current, &denial.token, now) else {
        return Decision::refuse(DenyOutcome::Unknown);
    };
    let status = item.status(now);
    match (&item.state, denial.reason) {
        _ if status == Status::Expired => Decision::refuse(DenyOutcome::Expired),
        (State::Scanned { .. }, reason) => {
            let state = match reason {
                None => State::Denied {
                    phone,
                    at: now,
                    payload: denial.payload,
                },
                Some(DenyReason::KeyMismatch) => State::Blocked {
                    phone,
                    at: now,
                    reason: BlockReason::KeyMismatch(denial.payload),
                },
            };
            Decision::decide(item, state, now, DenyOutcome::Denied)
        }
        (State::Denied { .. }, None)
        | (
            State::Blocked {
                reason: BlockReason::KeyMismatch(_),
                ..
            },
            Some(DenyReason::KeyMismatch),
        ) => Decision::refuse(DenyOutcome::Repeated),
        _ => Decision::refuse(DenyOutcome::Ended(status)),
    }
}
