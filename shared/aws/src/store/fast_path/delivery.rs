//! The fast path of deliveries, whether of a confirmation or a login.

use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::transitions::{Claim, Settle};
use countersign_domain::delivery::{
    CLAIM_LEASE, CLAIM_TOLERANCE, DeliverySubject, KEPT_ATTEMPTS, LATENESS, SWEEP_LEASE,
    SettledAttempt, Settlement,
};
use countersign_domain::login::KEPT;
use countersign_domain::primitives::time::Timestamp;
use countersign_records::{AttemptRecord, ProgressTag};

use super::kept_anyway;
use crate::store::attributes::common::{CALLBACK, EXPIRES_AT, PURGE_AT};
use crate::store::attributes::delivery::{
    ATTEMPTS, BODY_HASH, CLAIMED_AT, CLAIMS, ENDED_AT, KEY_ID, NEXT_AT, PROGRESS, ROUND, SIGNATURE,
};
use crate::store::attributes::login::NOTICE;
use crate::store::attributes::{DUE_AT, DUE_SHARD, Key, TTL};
use crate::store::change::Change;
use crate::store::item::{AttributeValue, bytes, instant, number, seconds, text};
use crate::store::lane;
use crate::store::record::value;

/// Claims an attempt. Touches no attribute of the index.
pub(in crate::store) fn claim(subject: DeliverySubject, claim: Claim) -> Change {
    let now = claim.now;
    let change = pending(subject, now)
        .when(format!("#{CLAIMS} = :claims"))
        .when(format!("#{NEXT_AT} <= :nearly_now"))
        .given(":claims", number(claim.attempts_claimed))
        .given(":nearly_now", instant(now.plus(CLAIM_TOLERANCE)))
        .set(CLAIMED_AT, instant(now))
        .add(CLAIMS, ":one");
    none_in_flight(change, now)
}

/// Records the result of an attempt. After the last attempt of a login's webhook, removes the webhook from
/// the item. The condition fails if a retry is due so late that the item must be kept longer, if the item
/// keeps its webhook and its list of attempts is full, or if the webhook would be removed from a login
/// that is still open.
pub(in crate::store) fn settle(subject: DeliverySubject, settle: &Settle) -> Change {
    let Settle {
        settled,
        now,
        retention,
    } = settle;
    let change = claimed(pending(subject, *now), settled);
    match (settled.settlement, subject) {
        (Settlement::Retry { at, due_at }, _) => {
            let kept = match subject {
                DeliverySubject::Confirmation(_) => at.plus(LATENESS).plus(*retention),
                DeliverySubject::Login(_) => at.plus(LATENESS),
            };
            let change = kept_anyway(written_down(change, settled), kept);
            lane::due_at(change.set(NEXT_AT, instant(at)), due_at)
        }
        (Settlement::Delivered, DeliverySubject::Confirmation(_)) => {
            over(written_down(change, settled), ProgressTag::Delivered, *now)
        }
        (Settlement::Failed, DeliverySubject::Confirmation(_)) => {
            over(written_down(change, settled), ProgressTag::Failed, *now)
        }
        (Settlement::Delivered | Settlement::Failed, DeliverySubject::Login(_)) => {
            gone(change, *now)
        }
    }
}

/// Postpones the time at which the sweep checks the delivery.
pub(in crate::store) fn postpone(due: Due, now: Timestamp) -> Change {
    let change = pending(due.subject, now)
        .when(format!("#{DUE_AT} = :seen"))
        .given(":seen", lane::sort_key(due.lane, due.due_at));
    lane::due_at(change, now.plus(SWEEP_LEASE))
}

/// Requires that no attempt is in flight, or only one whose lease has expired.
pub(super) fn none_in_flight(change: Change, now: Timestamp) -> Change {
    let not_claimed = format!("attribute_not_exists(#{CLAIMED_AT})");
    let lease = u64::try_from(CLAIM_LEASE.as_millis()).unwrap_or(u64::MAX);
    match now.as_millis().checked_sub(lease) {
        None => change.when(not_claimed),
        Some(long_ago) => change
            .when(format!("({not_claimed} OR #{CLAIMED_AT} <= :long_ago)"))
            .given(":long_ago", number(long_ago)),
    }
}

/// Requires that the item is live and owes a webhook. A login without a callback may have the
/// attributes of a delivery, but owes nothing.
fn pending(subject: DeliverySubject, now: Timestamp) -> Change {
    super::live(Key::of(subject), now)
        .when(format!("attribute_exists(#{CALLBACK})"))
        .when(format!("#{PROGRESS} = :pending"))
        .given(":pending", value(&ProgressTag::Pending))
}

/// Requires that this attempt was the last one claimed, and is not settled.
fn claimed(change: Change, settled: &SettledAttempt) -> Change {
    change
        .when(format!("attribute_exists(#{CLAIMED_AT})"))
        .when(format!("#{CLAIMS} = :number"))
        .given(":number", number(settled.attempt.number))
}

/// Appends the attempt and stores its signature. The condition fails if the list of attempts is full.
fn written_down(change: Change, settled: &SettledAttempt) -> Change {
    let attempt = AttributeValue::L(vec![value(&AttemptRecord::from(&settled.attempt))]);
    let change = change
        .when(format!("size(#{ATTEMPTS}) < :kept"))
        .given(":kept", number(KEPT_ATTEMPTS as u64))
        .given(":attempt", attempt)
        .set_to(format!("#{ATTEMPTS} = list_append(#{ATTEMPTS}, :attempt)"))
        .remove(CLAIMED_AT);
    match &settled.signature {
        None => change,
        Some(kept) => change
            .set(BODY_HASH, bytes(kept.body_hash))
            .set(KEY_ID, text(kept.key_id.as_str()))
            .set(SIGNATURE, bytes(kept.der.clone())),
    }
}

/// Ends a confirmation's delivery and removes the item from the index.
fn over(change: Change, how: ProgressTag, now: Timestamp) -> Change {
    change
        .set(PROGRESS, value(&how))
        .set(ENDED_AT, instant(now))
        .remove(NEXT_AT)
        .remove(DUE_SHARD)
        .remove(DUE_AT)
}

/// Removes a login's delivery from an item that has expired.
fn gone(change: Change, now: Timestamp) -> Change {
    let notice = [
        NOTICE, ATTEMPTS, BODY_HASH, CLAIMED_AT, CLAIMS, KEY_ID, NEXT_AT, PROGRESS, ROUND,
        SIGNATURE, DUE_AT,
    ];
    let until = now.plus(KEPT);
    let change = change
        .when(format!("#{EXPIRES_AT} <= :now"))
        .set(PURGE_AT, instant(until))
        .set(TTL, seconds(until));
    notice.into_iter().fold(change, Change::remove)
}
