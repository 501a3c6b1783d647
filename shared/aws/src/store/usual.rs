//! The usual case of each transition as a conditional update.
//!
//! Each is made only where the domain's function of the same name would make it, and then does the
//! same. It may be refused where the domain would not refuse: what an expression cannot say is
//! left to the slower way.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::confirmation::transitions::{SettledAttempt, Settlement, TextEvidence};
use countersign_domain::delivery::{
    CLAIM_LEASE, CLAIM_TOLERANCE, HORIZON, KEPT_ATTEMPTS, LATENESS, SWEEP_LEASE,
};
use countersign_domain::ids::{AppId, ConfirmationId};
use countersign_domain::ports::Due;
use countersign_domain::time::Timestamp;

use super::attributes::confirmation::{
    APP, ATTEMPTS, BODY_HASH, CANCELLED_AT, CARRIER, CLAIMED_AT, CLAIMS, ENDED_AT, EXPECTED,
    EXPIRES_AT, FLOW, KEY_ID, METADATA, NEXT_AT, NUMBER, PROGRESS, PURGE_AT, REDACTED_AT, ROUND,
    SIGNATURE, STATE, TEXT, VERIFIED_AT,
};
use super::attributes::{DUE_AT, DUE_SHARD, Key, TTL, shard_of};
use super::change::Change;
use super::item::{bytes, instant, number, seconds, text};
use super::record::{encode_attempt, flow, progress, state};

/// A text completes an open session, and the webhook is owed from now on.
pub(super) fn verify(
    id: ConfirmationId,
    evidence: &TextEvidence,
    now: Timestamp,
    retention: Duration,
) -> Change {
    let change = live(id, now)
        .when(format!("#{STATE} = :open"))
        .when(format!("#{EXPIRES_AT} > :now"))
        .when(format!("(#{FLOW} = :anyone OR #{EXPECTED} = :from)"))
        .given(":open", text(state::OPEN))
        .given(":anyone", text(flow::ACQUISITION))
        .given(":from", text(evidence.from.as_str()))
        .set(STATE, text(state::VERIFIED))
        .set(NUMBER, text(evidence.from.as_str()))
        .set(VERIFIED_AT, instant(now))
        .set(TEXT, bytes(*evidence.text.as_bytes()))
        .set(CLAIMS, number(0_u32))
        .set(ROUND, number(0_u32))
        .set(ATTEMPTS, AttributeValue::L(Vec::new()));
    let change = match evidence.carrier.as_str() {
        "" => change,
        carrier => change.set(CARRIER, text(carrier)),
    };
    kept_until(owed(change, id, now), now.plus(HORIZON).plus(retention))
}

/// A caller ends an open session.
pub(super) fn cancel(id: ConfirmationId, app: &AppId, now: Timestamp) -> Change {
    owned(id, app, now)
        .when(format!("#{STATE} = :open"))
        .when(format!("#{EXPIRES_AT} > :now"))
        .given(":open", text(state::OPEN))
        .set(STATE, text(state::CANCELLED))
        .set(CANCELLED_AT, instant(now))
}

/// Personal data of a session that has ended is erased.
pub(super) fn redact(id: ConfirmationId, app: &AppId, now: Timestamp) -> Change {
    let ended = format!(
        "(#{STATE} = :cancelled OR (#{STATE} = :open AND #{EXPIRES_AT} <= :now) \
         OR (#{STATE} = :verified AND #{PROGRESS} <> :pending))"
    );
    owned(id, app, now)
        .when(ended)
        .when(format!("attribute_not_exists(#{REDACTED_AT})"))
        .given(":cancelled", text(state::CANCELLED))
        .given(":open", text(state::OPEN))
        .given(":verified", text(state::VERIFIED))
        .given(":pending", text(progress::PENDING))
        .remove(NUMBER)
        .remove(CARRIER)
        .remove(EXPECTED)
        .remove(METADATA)
        .remove(BODY_HASH)
        .remove(KEY_ID)
        .remove(SIGNATURE)
        .set(REDACTED_AT, instant(now))
}

/// The webhook is owed again, with a new round of attempts.
pub(super) fn redeliver(
    id: ConfirmationId,
    app: &AppId,
    now: Timestamp,
    retention: Duration,
) -> Change {
    let change = owned(id, app, now)
        .when(format!("#{STATE} = :verified"))
        .when(format!("attribute_not_exists(#{REDACTED_AT})"))
        .given(":verified", text(state::VERIFIED))
        .set_to(format!("#{ROUND} = #{CLAIMS}"))
        .remove(CLAIMED_AT)
        .remove(ENDED_AT);
    let change = owed(none_in_flight(change, now), id, now);
    kept_until(change, now.plus(HORIZON).plus(retention))
}

/// An attempt is claimed. Touches no attribute of the index.
pub(super) fn claim(id: ConfirmationId, attempts_claimed: u32, now: Timestamp) -> Change {
    let change = pending(live(id, now))
        .when(format!("#{CLAIMS} = :claims"))
        .when(format!("#{NEXT_AT} <= :nearly_now"))
        .given(":claims", number(attempts_claimed))
        .given(":nearly_now", instant(now.plus(CLAIM_TOLERANCE)))
        .set(CLAIMED_AT, instant(now))
        .add(CLAIMS, ":one");
    none_in_flight(change, now)
}

/// It is written down how an attempt ended. Not for one more than is kept, nor where a retry is
/// due so late that the item must be kept for longer.
pub(super) fn settle(
    id: ConfirmationId,
    settled: &SettledAttempt,
    now: Timestamp,
    retention: Duration,
) -> Change {
    let attempt = AttributeValue::L(vec![encode_attempt(&settled.attempt)]);
    let mut change = pending(live(id, now))
        .when(format!("attribute_exists(#{CLAIMED_AT})"))
        .when(format!("#{CLAIMS} = :number"))
        .when(format!("size(#{ATTEMPTS}) < :kept"))
        .given(":number", number(settled.attempt.number))
        .given(":kept", number(KEPT_ATTEMPTS as u64))
        .given(":attempt", attempt)
        .set_to(format!("#{ATTEMPTS} = list_append(#{ATTEMPTS}, :attempt)"))
        .remove(CLAIMED_AT);
    if let Some(kept) = &settled.signature {
        change = change
            .set(BODY_HASH, bytes(kept.body_hash))
            .set(KEY_ID, text(kept.key_id.as_str()))
            .set(SIGNATURE, bytes(kept.der.clone()));
    }
    match settled.settlement {
        Settlement::Delivered => over(change, progress::DELIVERED, now),
        Settlement::Failed => over(change, progress::FAILED, now),
        Settlement::Retry { at, due_at } => change
            .when(format!("#{PURGE_AT} >= :needed"))
            .given(":needed", instant(at.plus(LATENESS).plus(retention)))
            .set(NEXT_AT, instant(at))
            .set(DUE_AT, instant(due_at)),
    }
}

/// The sweep puts off when it looks after a delivery.
pub(super) fn postpone(due: Due, now: Timestamp) -> Change {
    pending(live(due.confirmation, now))
        .when(format!("#{DUE_AT} = :seen"))
        .given(":seen", instant(due.due_at))
        .set(DUE_AT, instant(now.plus(SWEEP_LEASE)))
}

/// Of an item that is there and has not had its time.
fn live(id: ConfirmationId, now: Timestamp) -> Change {
    Change::of(Key::confirmation(id))
        .when(format!("#{PURGE_AT} > :now"))
        .given(":now", instant(now))
}

/// Of an item of the app's own.
fn owned(id: ConfirmationId, app: &AppId, now: Timestamp) -> Change {
    live(id, now)
        .when(format!("#{APP} = :app"))
        .given(":app", text(app.as_str()))
}

/// Only where a webhook is owed.
fn pending(change: Change) -> Change {
    change
        .when(format!("#{STATE} = :verified"))
        .when(format!("#{PROGRESS} = :pending"))
        .given(":verified", text(state::VERIFIED))
        .given(":pending", text(progress::PENDING))
}

/// Only where no attempt is under way, or for so long that its maker must have died.
fn none_in_flight(change: Change, now: Timestamp) -> Change {
    let not_claimed = format!("attribute_not_exists(#{CLAIMED_AT})");
    let lease = u64::try_from(CLAIM_LEASE.as_millis()).unwrap_or(u64::MAX);
    match now.as_millis().checked_sub(lease) {
        None => change.when(not_claimed),
        Some(long_ago) => change
            .when(format!("({not_claimed} OR #{CLAIMED_AT} <= :long_ago)"))
            .given(":long_ago", number(long_ago)),
    }
}

/// A webhook is owed, first attempt at once.
fn owed(change: Change, id: ConfirmationId, now: Timestamp) -> Change {
    change
        .set(PROGRESS, text(progress::PENDING))
        .set(NEXT_AT, instant(now))
        .set(DUE_SHARD, number(shard_of(id)))
        .set(DUE_AT, instant(now.plus(SWEEP_LEASE)))
}

/// No webhook is owed any more: the item leaves the index.
fn over(change: Change, how: &str, now: Timestamp) -> Change {
    change
        .set(PROGRESS, text(how))
        .set(ENDED_AT, instant(now))
        .remove(NEXT_AT)
        .remove(DUE_SHARD)
        .remove(DUE_AT)
}

/// The item is kept until then. Not where it is to be kept for longer already.
fn kept_until(change: Change, until: Timestamp) -> Change {
    change
        .when(format!("#{PURGE_AT} <= :until"))
        .given(":until", instant(until))
        .set(PURGE_AT, instant(until))
        .set(TTL, seconds(until))
}
