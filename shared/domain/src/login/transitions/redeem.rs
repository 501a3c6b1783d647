//! Redemption of a confirmed login's payload, with the evidence that the person is at the browser.

use super::{live, own};
use crate::delivery::Decision;
use crate::login::{
    BlockReason, BrowserBinding, BrowserTokenHash, CheckCode, Login, LoginPageTokenHash,
    MissedCodes, Phone, PhonePayload, ReceiptHash, Redeemed, Refusal, State, Status,
};
use crate::primitives::time::Timestamp;

/// Redeems the payload of a confirmed login. Removes a readable payload from the item. Keeps a
/// sealed payload for a limited time, for a browser that repeats the request with the same receipt
/// because the answer was lost.
///
/// If the login requires evidence that the person is at the browser, the browser gets the payload only if
/// it presents this evidence. [`MAX_MISSES`](crate::login::MAX_MISSES) different wrong check codes block
/// the login. Evidence that the login does not require is ignored.
#[must_use]
pub fn redeem(
    current: Option<Login>,
    browser: &BrowserTokenHash,
    receipt: &ReceiptHash,
    shown: Option<BrowserBinding>,
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

/// Checks the digits sent by the page that shows a login of the app's server. The right digits end the login and delete
/// its payload: the page only watches, and the server reads the proof. Wrong digits are treated as in [`redeem`]. A
/// login that requires no digits does not change, so such a page cannot take the payload from the browser that redeems.
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
    let shown = Some(BrowserBinding::CheckCode(code));
    match item.state.clone() {
        State::Confirmed {
            phone,
            at: confirmed_at,
            payload,
            fingerprint,
            redeem_by: _,
            missed,
        } if phone.binding.is_some() => match check(&item, &phone, &missed, shown) {
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
        State::Consumed { phone, .. } if phone.binding == shown => Decision::refuse(Ok(())),
        _ => Decision::refused(Refusal::WrongStatus(status)),
    }
}

/// Refuses the evidence of a browser or a page, and records the wrong code.
fn refuse<T>(
    phone: Box<Phone>,
    item: Login,
    failed: BindingMismatch,
    now: Timestamp,
) -> Decision<Login, Result<T, Refusal>> {
    match failed {
        BindingMismatch::CodeMissing => Decision::refused(Refusal::CheckCodeRequired),
        BindingMismatch::NotReturned => Decision::refused(Refusal::ReturnTokenRequired),
        BindingMismatch::MissedBefore { tries_left } => {
            Decision::refused(Refusal::CheckCodeWrong { tries_left })
        }
        BindingMismatch::Missed(missed) => note_miss(item, missed),
        BindingMismatch::MissedTooOften => {
            let state = State::Blocked {
                phone,
                at: now,
                reason: BlockReason::CheckCode,
            };
            Decision::enter(item, state, Err(Refusal::CheckCodeBlocked))
        }
    }
}

/// Returns the payload of a confirmed login to the browser.
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

/// Records the wrong codes in a confirmed login.
fn note_miss<T>(item: Login, all: MissedCodes) -> Decision<Login, Result<T, Refusal>> {
    let tries_left = all.tries_left();
    let mut state = item.state.clone();
    if let State::Confirmed { missed, .. } = &mut state {
        *missed = all;
    }
    Decision::enter(item, state, Err(Refusal::CheckCodeWrong { tries_left }))
}

/// The reason why the browser's evidence does not match the phone's.
enum BindingMismatch {
    /// The check code is missing.
    CodeMissing,
    /// The token of the return is missing, or wrong. The token cannot be guessed, so failures are
    /// not counted.
    NotReturned,
    /// The check code is wrong, and the browser has sent it before.
    MissedBefore { tries_left: u8 },
    /// The check code is wrong. Contains all wrong codes.
    Missed(MissedCodes),
    /// The check code is wrong, and it is one too many.
    MissedTooOften,
}

/// Compares the browser's evidence with the phone's. Succeeds if they match, or if the login requires no evidence.
fn check(
    item: &Login,
    phone: &Phone,
    missed: &MissedCodes,
    sent: Option<BrowserBinding>,
) -> Result<(), BindingMismatch> {
    let (sent, shown) = match (sent, phone.binding) {
        (sent, Some(BrowserBinding::Return(token))) => {
            return if sent == Some(BrowserBinding::Return(token)) {
                Ok(())
            } else {
                Err(BindingMismatch::NotReturned)
            };
        }
        _ if !item.requires_check_code => return Ok(()),
        (Some(BrowserBinding::CheckCode(sent)), Some(BrowserBinding::CheckCode(shown))) => {
            (sent, shown)
        }
        // A phone cannot open such a login without a code. If one had, the login could not be
        // redeemed.
        _ => return Err(BindingMismatch::CodeMissing),
    };
    if sent == shown {
        return Ok(());
    }
    if missed.contains(sent) {
        let tries_left = missed.tries_left();
        return Err(BindingMismatch::MissedBefore { tries_left });
    }
    Err(missed
        .clone()
        .with(sent)
        .map_or(BindingMismatch::MissedTooOften, BindingMismatch::Missed))
}
