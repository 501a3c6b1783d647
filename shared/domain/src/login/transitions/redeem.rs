//! Redeeming the payload of a confirmed login, with what ties the person to the browser.

use super::{live, own};
use crate::delivery::Decision;
use crate::login::{
    BlockReason, BrowserTokenHash, CheckCode, Login, LoginPageTokenHash, MissedCodes, Phone,
    PhonePayload, ReceiptHash, Redeemed, Refusal, State, Status, Tie,
};
use crate::primitives::time::Timestamp;

/// Redeems the payload of a confirmed login. Removes a readable one from the item; keeps a sealed
/// one until its time is over, for a browser that repeats this with the same receipt because the
/// answer was lost.
///
/// Where something ties the person to the browser, the payload is the browser's only if it shows the same.
/// [`MAX_MISSES`](crate::login::MAX_MISSES) different wrong check codes block the login. What the login
/// does not require is ignored.
#[must_use]
pub fn redeem(
    current: Option<Login>,
    browser: &BrowserTokenHash,
    receipt: &ReceiptHash,
    shown: Option<Tie>,
    now: Timestamp,
) -> Decision<Login, Result<PhonePayload, Refusal>> {
    let Some(item) = own(current, browser, now) else {
        return Decision::refused(Refusal::Unknown);
    };
    let status = item.status(now);
    if status == Status::Expired {
        return Decision::refused(Refusal::Expired);
    }
    match &item.state {
        State::Confirmed { phone, missed, .. } => match check(&item, phone, missed, shown) {
            Ok(()) => hand_over(item, *receipt, now),
            Err(failed) => refuse(phone.clone(), item, failed, now),
        },
        State::Consumed {
            redeemed:
                Redeemed::Sealed {
                    payload,
                    receipt: first,
                    until,
                },
            ..
        } if first == receipt && now < *until => Decision::refuse(Ok(payload.clone())),
        State::Consumed { .. } => Decision::refused(Refusal::Redeemed),
        _ => Decision::refused(Refusal::WrongStatus(status)),
    }
}

/// Takes the digits that the page of a login of the app's server shows. Right ones end the login, and its payload is deleted:
/// the page only watches, and the server reads the proof. The rules about wrong ones are the same as for [`redeem`]. A login that
/// needs no digits does not change, so that such a page takes nothing away from the browser that redeems.
#[must_use]
pub fn check_code(
    current: Option<Login>,
    page: &LoginPageTokenHash,
    code: CheckCode,
    now: Timestamp,
) -> Decision<Login, Result<(), Refusal>> {
    let is_its_own = |item: &Login| item.page_token == Some(*page);
    let Some(item) = live(current, now).filter(is_its_own) else {
        return Decision::refused(Refusal::Unknown);
    };
    let status = item.status(now);
    if status == Status::Expired {
        return Decision::refused(Refusal::Expired);
    }
    let shown = Some(Tie::CheckCode(code));
    match item.state.clone() {
        State::Confirmed {
            phone,
            at: confirmed_at,
            payload,
            fingerprint,
            redeem_by: _,
            missed,
        } if phone.tie.is_some() => match check(&item, &phone, &missed, shown) {
            Ok(()) => {
                let proof = payload.proof().cloned();
                let state = State::Consumed {
                    phone,
                    confirmed_at,
                    fingerprint,
                    redeemed: Redeemed::Removed { proof },
                    at: now,
                };
                Decision::enter(item, state, Ok(()))
            }
            Err(failed) => refuse(phone, item, failed, now),
        },
        State::Consumed { phone, .. } if phone.tie == shown => Decision::refuse(Ok(())),
        _ => Decision::refused(Refusal::WrongStatus(status)),
    }
}

/// Refuses what a browser or a page shows, and keeps what it missed.
fn refuse<T>(
    phone: Box<Phone>,
    item: Login,
    failed: Failed,
    now: Timestamp,
) -> Decision<Login, Result<T, Refusal>> {
    match failed {
        Failed::CodeMissing => Decision::refused(Refusal::CheckCodeRequired),
        Failed::NotReturned => Decision::refused(Refusal::ReturnTokenRequired),
        Failed::MissedBefore { tries_left } => {
            Decision::refused(Refusal::CheckCodeWrong { tries_left })
        }
        Failed::Missed(missed) => note_miss(item, missed),
        Failed::MissedTooOften => {
            let state = State::Blocked {
                phone,
                at: now,
                reason: BlockReason::CheckCode,
            };
            Decision::enter(item, state, Err(Refusal::CheckCodeBlocked))
        }
    }
}

/// Hands the payload of a confirmed login to the browser.
fn hand_over(
    item: Login,
    receipt: ReceiptHash,
    now: Timestamp,
) -> Decision<Login, Result<PhonePayload, Refusal>> {
    let State::Confirmed {
        phone,
        at: confirmed_at,
        payload,
        fingerprint,
        redeem_by,
        missed: _,
    } = item.state.clone()
    else {
        let status = item.status(now);
        return Decision::refused(Refusal::WrongStatus(status));
    };
    let redeemed = if payload.is_encrypted() {
        Redeemed::Sealed {
            payload: payload.clone(),
            receipt,
            until: redeem_by,
        }
    } else {
        let proof = payload.proof().cloned();
        Redeemed::Removed { proof }
    };
    let state = State::Consumed {
        phone,
        confirmed_at,
        fingerprint,
        redeemed,
        at: now,
    };
    Decision::enter(item, state, Ok(payload))
}

/// Keeps the misses in a confirmed login.
fn note_miss<T>(item: Login, all: MissedCodes) -> Decision<Login, Result<T, Refusal>> {
    let tries_left = all.tries_left();
    let mut state = item.state.clone();
    if let State::Confirmed { missed, .. } = &mut state {
        *missed = all;
    }
    Decision::enter(item, state, Err(Refusal::CheckCodeWrong { tries_left }))
}

/// The reason why what the browser shows is not what the phone has.
enum Failed {
    /// There is no check code.
    CodeMissing,
    /// The token of the return is missing, or wrong. It cannot be guessed, so nothing is counted.
    NotReturned,
    /// The check code is wrong, and the browser has sent it before.
    MissedBefore { tries_left: u8 },
    /// It is wrong. Contains all misses.
    Missed(MissedCodes),
    /// It is wrong, and one too many.
    MissedTooOften,
}

/// Compares what the browser shows with what the phone has. Succeeds if it is the same, or if the login requires nothing.
fn check(
    item: &Login,
    phone: &Phone,
    missed: &MissedCodes,
    sent: Option<Tie>,
) -> Result<(), Failed> {
    let (sent, shown) = match (sent, phone.tie) {
        (sent, Some(Tie::Return(token))) => {
            return if sent == Some(Tie::Return(token)) {
                Ok(())
            } else {
                Err(Failed::NotReturned)
            };
        }
        _ if !item.requires_check_code => return Ok(()),
        (Some(Tie::CheckCode(sent)), Some(Tie::CheckCode(shown))) => (sent, shown),
        // No phone opens such a login without a code. If one had, nothing would redeem it.
        _ => return Err(Failed::CodeMissing),
    };
    if sent == shown {
        return Ok(());
    }
    if missed.contains(sent) {
        let tries_left = missed.tries_left();
        return Err(Failed::MissedBefore { tries_left });
    }
    Err(missed
        .clone()
        .with(sent)
        .map_or(Failed::MissedTooOften, Failed::Missed))
}
