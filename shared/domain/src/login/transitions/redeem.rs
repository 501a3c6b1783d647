//! Redeeming the payload of a confirmed login, with the check code where the login requires one.

use super::own;
use crate::delivery::Decision;
use crate::login::{
    BlockReason, BrowserTokenHash, CheckCode, Login, MissedCodes, Phone, PhonePayload, ReceiptHash,
    Redeemed, Refusal, State, Status,
};
use crate::primitives::time::Timestamp;

/// Redeems the payload of a confirmed login. Removes a readable one from the item; keeps a sealed
/// one until its time is over, for a browser that repeats this with the same receipt because the
/// answer was lost.
///
/// Where the login requires a check code, the payload is the browser's only with the right one.
/// [`MAX_MISSES`](crate::login::MAX_MISSES) different wrong ones block the login. A code that the login
/// does not require is ignored.
#[must_use]
pub fn redeem(
    current: Option<Login>,
    browser: &BrowserTokenHash,
    receipt: &ReceiptHash,
    check_code: Option<CheckCode>,
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
        State::Confirmed { phone, missed, .. } => match check(&item, phone, missed, check_code) {
            Check::Passed => hand_over(item, *receipt, now),
            Check::Missing => Decision::refused(Refusal::CheckCodeRequired),
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

/// The result of comparing the browser's check code with the phone's.
enum Check {
    /// The login requires none, or it is the right one.
    Passed,
    /// There is none.
    Missing,
    /// It is wrong, and the browser has sent it before.
    MissedBefore { tries_left: u8 },
    /// It is wrong. Contains all misses.
    Missed(MissedCodes),
    /// It is wrong, and one too many.
    MissedTooOften,
}

fn check(item: &Login, phone: &Phone, missed: &MissedCodes, sent: Option<CheckCode>) -> Check {
    if !item.requires_check_code {
        return Check::Passed;
    }
    // No phone opens such a login without a code. If one had, nothing would redeem it.
    let (Some(sent), Some(shown)) = (sent, phone.check_code) else {
        return Check::Missing;
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
