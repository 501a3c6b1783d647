//! What a delivery goes through, whatever it tells of.

use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::delivery::{
    CLAIM_LEASE, CLAIM_TOLERANCE, DeliveryLane, KEPT_ATTEMPTS, SWEEP_LEASE, SettledAttempt,
};
use countersign_domain::primitives::time::Timestamp;
use countersign_records::{AttemptRecord, ProgressTag};

use crate::store::attributes::DUE_AT;
use crate::store::attributes::delivery::{
    ATTEMPTS, BODY_HASH, CLAIMED_AT, CLAIMS, KEY_ID, NEXT_AT, PROGRESS, SIGNATURE,
};
use crate::store::change::Change;
use crate::store::item::{bytes, instant, number, text};
use crate::store::lane;
use crate::store::record::value;

/// Only where a webhook is owed.
pub(super) fn pending(change: Change) -> Change {
    change
        .when(format!("#{PROGRESS} = :pending"))
        .given(":pending", value(&ProgressTag::Pending))
}

/// An attempt is claimed. Touches no attribute of the index.
pub(super) fn claim(change: Change, attempts_claimed: u32, now: Timestamp) -> Change {
    let change = change
        .when(format!("#{CLAIMS} = :claims"))
        .when(format!("#{NEXT_AT} <= :nearly_now"))
        .given(":claims", number(attempts_claimed))
        .given(":nearly_now", instant(now.plus(CLAIM_TOLERANCE)))
        .set(CLAIMED_AT, instant(now))
        .add(CLAIMS, ":one");
    none_in_flight(change, now)
}

/// Only where no attempt is under way, or for so long that its maker must have died.
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

/// Only where this attempt was the last that was claimed, and nobody settled it.
pub(super) fn claimed(change: Change, settled: &SettledAttempt) -> Change {
    change
        .when(format!("attribute_exists(#{CLAIMED_AT})"))
        .when(format!("#{CLAIMS} = :number"))
        .given(":number", number(settled.attempt.number))
}

/// The attempt joins those that were made, with its signature. Not where as many are kept as may
/// be.
pub(super) fn written_down(change: Change, settled: &SettledAttempt) -> Change {
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

/// The sweep puts off when it looks after a delivery.
pub(super) fn postpone(
    change: Change,
    lane: DeliveryLane,
    seen_due_at: Timestamp,
    now: Timestamp,
) -> Change {
    let change = change
        .when(format!("#{DUE_AT} = :seen"))
        .given(":seen", lane::sort_key(lane, seen_due_at));
    lane::due_at(change, now.plus(SWEEP_LEASE))
}
