//! Transitions caused by the phone: initiate, confirm, deny.

use super::live;
use crate::delivery::Decision;
use crate::login::risk::RiskStatus;
use crate::login::{
    BlockReason, BrowserBinding, DenialPayload, DenyReason, Encryption, Login, MissedCodes,
    MobileTokenHash, PayloadFingerprint, Phone, PhonePayload, Refusal, SCANNED_TTL, State, Status,
    VerifiedUser,
};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// Opens a login for a phone. Repeating this with the same token changes nothing and gets the same answer, so a request
/// whose answer was lost can be repeated. A second phone blocks the login. A phone that names a different user from the
/// one that the app's server expects changes nothing: it neither takes the code from the user's phone nor blocks it.
/// The phone MUST have the evidence that the login requires.
#[must_use]
pub fn initiate(
    current: Option<Login>,
    app: &AppId,
    phone: Phone,
    now: Timestamp,
) -> Decision<Login, Result<Box<Login>, Refusal>> {
    let Some(item) = live(current, now).filter(|item| item.app == *app) else {
        return Decision::refused(Refusal::Unknown);
    };
    let is_its_own = item.phone().is_some_and(|known| known.token == phone.token);
    match (item.status(now), item.phone().cloned().map(Box::new)) {
        (Status::Expired, _) if is_its_own => Decision::refused(Refusal::Expired),
        (Status::Expired, _) => Decision::refused(Refusal::Unknown),
        (Status::Created | Status::Scanned, _) if names_another(&item, &phone) => {
            Decision::refused(Refusal::UserMismatch)
        }
        // The rule of a login never changes, so the caller had read a different login that
        // previously had this id.
        (Status::Created, _) if !suits(&item, phone.binding) => Decision::refused(Refusal::Unknown),
        (Status::Created, _) => {
            let state = State::Scanned {
                phone: Box::new(phone),
                expires_at: now.plus(SCANNED_TTL),
            };
            let opened = Login { state, ..item };
            Decision {
                outcome: Ok(Box::new(opened.clone())),
                write: Some(opened),
            }
        }
        (Status::Scanned, Some(first)) if is_its_own => {
            let is_same = first.user == phone.user;
            Decision::refuse(if is_same {
                Ok(Box::new(item))
            } else {
                Err(Refusal::Different)
            })
        }
        (Status::Scanned, Some(first)) => {
            let state = State::Blocked {
                phone: first,
                at: now,
                reason: BlockReason::SecondPhone,
            };
            Decision::enter(item, state, Err(Refusal::SecondPhone))
        }
        _ => Decision::refused(Refusal::Over),
    }
}

/// Returns whether the phone names a different user from the one who must decide.
fn names_another(item: &Login, phone: &Phone) -> bool {
    let named = phone.user.as_ref().zip(item.expected_user());
    named.is_some_and(|(user, expected)| user != expected)
}

/// Returns whether a phone with this evidence may open the login: the token of a return if the login has a return
/// page, otherwise a check code if and only if the login requires one.
fn suits(item: &Login, binding: Option<BrowserBinding>) -> bool {
    match binding {
        Some(BrowserBinding::Return(_)) => item.return_url.is_some(),
        Some(BrowserBinding::CheckCode(_)) => item.requires_check_code,
        None => !item.requires_check_code,
    }
}

/// A confirmation as the phone sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhoneConfirmation {
    /// Hash of the phone's token.
    pub token: MobileTokenHash,
    /// Data for the browser.
    pub payload: PhonePayload,
    /// Fingerprint of this answer, to recognize the phone's repetitions of it.
    pub fingerprint: PayloadFingerprint,
    /// The user that the payload's proof verified with a registered key.
    pub verified: Option<VerifiedUser>,
}

/// A denial as the phone sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// Hash of the phone's token.
    pub token: MobileTokenHash,
    /// Data for the app's server.
    pub payload: DenialPayload,
    /// The reason, if the phone denied the login by itself.
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

/// Confirms a login that this phone opened, unless the risk is too high.
#[must_use]
pub fn confirm(
    current: Option<Login>,
    answer: PhoneConfirmation,
    now: Timestamp,
) -> Decision<Login, Result<(), Refusal>> {
    let Some((mut item, phone)) = opened_by(current, &answer.token, now) else {
        return Decision::refused(Refusal::Unknown);
    };
    let status = item.status(now);
    match &item.state {
        _ if status == Status::Expired => Decision::refused(Refusal::Expired),
        State::Scanned { .. } if phone.risk.status() == RiskStatus::Deny => {
            let state = State::Blocked {
                phone,
                at: now,
                reason: BlockReason::Risk,
            };
            Decision::enter(item, state, Err(Refusal::Forbidden))
        }
        State::Scanned { .. } if !item.encryption.suits(answer.payload.payload()) => {
            Decision::refused(match item.encryption {
                Encryption::Plain => Refusal::Encrypted,
                Encryption::Sealed(_) => Refusal::Readable,
            })
        }
        State::Scanned { .. } if !is_proven(&item, &answer) => {
            Decision::refused(Refusal::ProofRequired)
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
                redeem_by: now.plus(item.creator.confirmed_for()),
                missed: MissedCodes::default(),
            };
            item.add_notice(now);
            Decision::enter(item, state, Ok(()))
        }
        State::Confirmed { fingerprint, .. } | State::Consumed { fingerprint, .. }
            if *fingerprint == answer.fingerprint =>
        {
            Decision::refuse(Ok(()))
        }
        State::Blocked {
            reason: BlockReason::Risk,
            ..
        } => Decision::refused(Refusal::Forbidden),
        _ => Decision::refused(Refusal::WrongStatus(status)),
    }
}

/// Returns whether the confirmation has the proof that the login needs. A context requires a proof
/// that the app's server verifies, because nothing else shows what the person approved.
fn is_proven(item: &Login, answer: &PhoneConfirmation) -> bool {
    let unsigned = item.context().is_some() && answer.payload.proof().is_none();
    let unverified = item.requires_proof && answer.verified.is_none();
    !unsigned && !unverified
}

/// Denies a login that this phone opened. The payload remains in the item for the app's server.
#[must_use]
pub fn deny(
    current: Option<Login>,
    denial: Denial,
    now: Timestamp,
) -> Decision<Login, Result<(), Refusal>> {
    let Some((mut item, phone)) = opened_by(current, &denial.token, now) else {
        return Decision::refused(Refusal::Unknown);
    };
    let status = item.status(now);
    match (&item.state, denial.reason) {
        _ if status == Status::Expired => Decision::refused(Refusal::Expired),
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
            item.add_notice(now);
            Decision::enter(item, state, Ok(()))
        }
        (State::Denied { .. }, None)
        | (
            State::Blocked {
                reason: BlockReason::KeyMismatch(_),
                ..
            },
            Some(DenyReason::KeyMismatch),
        ) => Decision::refuse(Ok(())),
        _ => Decision::refused(Refusal::WrongStatus(status)),
    }
}
