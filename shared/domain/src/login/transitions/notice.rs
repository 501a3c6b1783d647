//! What the dispatcher and the sweep do with the webhook of a decided login.

use super::live;
use crate::delivery::{
    Decision, LATENESS, PostponeOutcome, SettleOutcome, SettledAttempt, Settlement,
};
use crate::login::{KEPT, Login};
use crate::primitives::time::Timestamp;

/// What a claim got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimNoticeOutcome {
    /// The attempt is this caller's to make. The item as it is now.
    Claimed(Box<Login>),
    /// Nothing to do: another made it, its time has not come, or it is no longer owed.
    Stale,
}

/// Claims the attempt after `attempts_claimed` others ([`Delivery::claim`]).
///
/// [`Delivery::claim`]: crate::delivery::Delivery::claim
#[must_use]
pub fn claim_notice(
    current: Option<Login>,
    attempts_claimed: u32,
    now: Timestamp,
) -> Decision<Login, ClaimNoticeOutcome> {
    let Some(mut item) = live(current, now) else {
        return Decision::refuse(ClaimNoticeOutcome::Stale);
    };
    let notice = item.notice.as_mut();
    if !notice.is_some_and(|notice| notice.delivery.claim(attempts_claimed, now)) {
        return Decision::refuse(ClaimNoticeOutcome::Stale);
    }
    Decision {
        outcome: ClaimNoticeOutcome::Claimed(Box::new(item.clone())),
        write: Some(item),
    }
}

/// Writes down how the attempt ended that the caller had claimed. Where none follows, the notice
/// leaves the item, which is then kept no longer than any other.
#[must_use]
pub fn settle_notice(
    current: Option<Login>,
    settled: SettledAttempt,
    now: Timestamp,
) -> Decision<Login, SettleOutcome> {
    let superseded = Decision::refuse(SettleOutcome::Superseded);
    let Some(mut item) = live(current, now) else {
        return superseded;
    };
    let settlement = settled.settlement;
    let notice = item.notice.as_mut();
    if !notice.is_some_and(|notice| notice.delivery.settle(settled, now)) {
        return superseded;
    }
    match settlement {
        Settlement::Retry { at, .. } => {
            item.purge_at = item.purge_at.max(at.plus(LATENESS));
        }
        Settlement::Delivered | Settlement::Failed => {
            item.notice = None;
            item.purge_at = item.expires_at().max(now).plus(KEPT);
        }
    }
    Decision {
        outcome: SettleOutcome::Settled {
            pointer: item.pointer(),
        },
        write: Some(item),
    }
}

/// Advances the instant at which the sweep looks after a notice, if it is still the one seen.
#[must_use]
pub fn postpone_notice(
    current: Option<Login>,
    seen_due_at: Timestamp,
    now: Timestamp,
) -> Decision<Login, PostponeOutcome> {
    let superseded = Decision::refuse(PostponeOutcome::Superseded);
    let Some(mut item) = live(current, now) else {
        return superseded;
    };
    let Some(pointer) = item.pointer() else {
        return superseded;
    };
    let notice = item.notice.as_mut();
    if !notice.is_some_and(|notice| notice.delivery.postpone(seen_due_at, now)) {
        return superseded;
    }
    Decision {
        outcome: PostponeOutcome::Postponed(pointer),
        write: Some(item),
    }
}
