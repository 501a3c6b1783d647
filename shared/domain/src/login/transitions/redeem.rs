//! Redeeming the payload of a confirmed login, with what ties the person to the browser.

use super::own;
use crate::delivery::Decision;
use crate::login::{
    BlockReason, BrowserTokenHash, Login, MissedCodes, Phone, PhonePayload, ReceiptHash, Redeemed,
    Refusal, State, Status, Tie,
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
            Check::Passed => hand_over(item, *receipt, now),
            Check::CodeMissing => Decision::refused(Refusal::CheckCodeRequired),
            Check::NotReturned => Decision::refused(Refusal::ReturnTokenRequired),
            Check::MissedBefore { tries_left } => {
                Decision::refused(Refusal::CheckCodeWrong { tries_left })
            }
            Check::Missed(missed) => note_miss(item, missed),
            Check::MissedTooOften => {
                let state = State::Blocked {
                    phone: phone.clone(),
                    at: now,
                    reason: BlockReason::CheckCode,
                };
                Decision::enter(item, state, Err(Refusal::CheckCodeBlocked))
            }
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
fn note_miss(item: Login, all: MissedCodes) -> Decision<Login, Result<PhonePayload, Refusal>> {
    let tries_left = all.tries_left();
    let mut state = item.state.clone();
    if let State::Confirmed { missed, .. } = &mut state {
        *missed = all;
    }
    Decision::enter(item, state, Err(Refusal::CheckCodeWrong { tries_left }))
}

/// The result of comparing what the browser shows with what the phone has.
enum Check {
    /// The login requires nothing, or it is the same.
    Passed,
    /// There is no check code.
    CodeMissing,
    /// The token of the return is missing, or wrong. Nobody guesses it, so nothing is counted.
    NotReturned,
    /// The check code is wrong, and the browser has sent it before.
    MissedBefore { tries_left: u8 },
    /// It is wrong. Contains all misses.
    Missed(MissedCodes),
    /// It is wrong, and one too many.
    MissedTooOften,
}

fn check(item: &Login, phone: &Phone, missed: &MissedCodes, sent: Option<Tie>) -> Check {
    let (sent, shown) = match (sent, phone.tie) {
        (sent, Some(Tie::Return(token))) => {
            return if sent == Some(Tie::Return(token)) {
                Check::Passed
            } else {
                Check::NotReturned
            };
        }
        _ if !item.requires_check_code => return Check::Passed,
        (Some(Tie::CheckCode(sent)), Some(Tie::CheckCode(shown))) => (sent, shown),
        // No phone opens such a login without a code. If one had, nothing would redeem it.
        _ => return Check::CodeMissing,
    };
    if sent == shown {
        return Check::Passed;
    }
    if missed.contains(sent) {
        let tries_left = missed.tries_left();
        return Check::MissedBefore { tries_left };
    }
    missed
        .clone()
        .with(sent)
        .map_or(Check::MissedTooOften, Check::Missed)
}
