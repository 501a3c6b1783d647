//! The fast path of confirmations.

use std::time::Duration;

use countersign_domain::confirmation::carrier::CarrierName;
use countersign_domain::confirmation::miss::Unfit;
use countersign_domain::confirmation::transitions::{Reached, TextEvidence};
use countersign_domain::delivery::{HORIZON, SWEEP_LEASE};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::time::Timestamp;
use countersign_records::{FlowTag, MissTag, ProgressTag, StateTag};

use super::{delivery, kept_until};
use crate::store::attributes::confirmation::{
    APP, ATTEMPTS, BODY_HASH, CANCELLED_AT, CARRIER, CLAIMED_AT, CLAIMS, ENDED_AT, EXPECTED,
    EXPIRES_AT, FLOW, KEY_ID, METADATA, MISS, MISSED_AT, NEXT_AT, NUMBER, PROGRESS, REDACTED_AT,
    ROUND, SIGNATURE, STATE, TEXT, VERIFIED_AT, WHATSAPP,
};
use crate::store::attributes::{DUE_SHARD, Key, shard_of};
use crate::store::change::Change;
use crate::store::item::{AttributeValue, bytes, instant, number, text};
use crate::store::lane;
use crate::store::record::value;

/// Verifies an open confirmation by a text, and owes its webhook.
pub(in crate::store) fn verify(
    id: ConfirmationId,
    evidence: &TextEvidence,
    now: Timestamp,
    retention: Duration,
) -> Change {
    let change = live(id, now)
        .when(format!("#{STATE} = :open"))
        .when(format!("#{EXPIRES_AT} > :now"))
        .when(format!("(#{FLOW} = :anyone OR #{EXPECTED} = :from)"))
        .given(":open", value(&StateTag::Open))
        .given(":anyone", value(&FlowTag::Acquisition))
        .given(":from", text(evidence.from.as_str()))
        .set(STATE, value(&StateTag::Verified))
        .set(NUMBER, text(evidence.from.as_str()))
        .set(VERIFIED_AT, instant(now))
        .set(TEXT, bytes(*evidence.text.as_bytes()))
        .set(CLAIMS, number(0_u32))
        .set(ROUND, number(0_u32))
        .set(ATTEMPTS, AttributeValue::L(Vec::new()))
        .remove(MISS)
        .remove(MISSED_AT);
    let change = match &evidence.reached {
        Reached::Sms => change,
        Reached::WhatsApp(number) => change
            .when(format!("#{WHATSAPP} = :whatsapp"))
            .given(":whatsapp", text(number.as_str())),
    };
    let change = match evidence.carrier.as_str() {
        "" => change,
        carrier => change.set(CARRIER, text(carrier)),
    };
    kept_until(owed(change, id, now), now.plus(HORIZON).plus(retention))
}

/// Cancels an open confirmation.
pub(in crate::store) fn cancel(id: ConfirmationId, app: &AppId, now: Timestamp) -> Change {
    owned(id, app, now)
        .when(format!("#{STATE} = :open"))
        .when(format!("#{EXPIRES_AT} > :now"))
        .given(":open", value(&StateTag::Open))
        .set(STATE, value(&StateTag::Cancelled))
        .set(CANCELLED_AT, instant(now))
        .remove(MISS)
        .remove(MISSED_AT)
}

/// Records the first miss of an open confirmation that has not expired.
pub(in crate::store) fn record_miss(id: ConfirmationId, unfit: Unfit, now: Timestamp) -> Change {
    live(id, now)
        .when(format!("#{STATE} = :open"))
        .when(format!("#{EXPIRES_AT} > :now"))
        .when(format!("attribute_not_exists(#{MISS})"))
        .when(format!("attribute_not_exists(#{REDACTED_AT})"))
        .given(":open", value(&StateTag::Open))
        .set(MISS, value(&MissTag::from(unfit.reason())))
        .set(MISSED_AT, instant(now))
}

/// Decides the carrier of a verified confirmation. Touches no attribute of the index.
pub(in crate::store) fn decide_carrier(
    id: ConfirmationId,
    name: &CarrierName,
    now: Timestamp,
) -> Change {
    live(id, now)
        .when(format!("#{STATE} = :verified"))
        .when(format!("attribute_not_exists(#{CARRIER})"))
        .when(format!("size(#{ATTEMPTS}) = :none"))
        .when(format!("attribute_not_exists(#{REDACTED_AT})"))
        .given(":verified", value(&StateTag::Verified))
        .given(":none", number(0_u32))
        .set(CARRIER, text(name.as_str()))
}

/// Erases the personal data of a confirmation that has ended.
pub(in crate::store) fn redact(id: ConfirmationId, app: &AppId, now: Timestamp) -> Change {
    let ended = format!(
        "(#{STATE} = :cancelled OR (#{STATE} = :open AND #{EXPIRES_AT} <= :now) \
         OR (#{STATE} = :verified AND #{PROGRESS} <> :pending))"
    );
    owned(id, app, now)
        .when(ended)
        .when(format!("attribute_not_exists(#{REDACTED_AT})"))
        .given(":cancelled", value(&StateTag::Cancelled))
        .given(":open", value(&StateTag::Open))
        .given(":verified", value(&StateTag::Verified))
        .given(":pending", value(&ProgressTag::Pending))
        .remove(NUMBER)
        .remove(CARRIER)
        .remove(EXPECTED)
        .remove(METADATA)
        .remove(BODY_HASH)
        .remove(KEY_ID)
        .remove(SIGNATURE)
        .set(REDACTED_AT, instant(now))
}

/// Owes the webhook again, with a new round of attempts.
pub(in crate::store) fn redeliver(
    id: ConfirmationId,
    app: &AppId,
    now: Timestamp,
    retention: Duration,
) -> Change {
    let change = owned(id, app, now)
        .when(format!("#{STATE} = :verified"))
        .when(format!("attribute_not_exists(#{REDACTED_AT})"))
        .given(":verified", value(&StateTag::Verified))
        .set_to(format!("#{ROUND} = #{CLAIMS}"))
        .remove(CLAIMED_AT)
        .remove(ENDED_AT);
    let change = owed(delivery::none_in_flight(change, now), id, now);
    kept_until(change, now.plus(HORIZON).plus(retention))
}

/// Changes a confirmation that exists and has not expired.
fn live(id: ConfirmationId, now: Timestamp) -> Change {
    super::live(Key::confirmation(id), now)
}

/// Changes a confirmation that belongs to the app.
fn owned(id: ConfirmationId, app: &AppId, now: Timestamp) -> Change {
    live(id, now)
        .when(format!("#{APP} = :app"))
        .given(":app", text(app.as_str()))
}

/// Owes a webhook, with the first attempt now.
fn owed(change: Change, id: ConfirmationId, now: Timestamp) -> Change {
    let change = change
        .set(PROGRESS, value(&ProgressTag::Pending))
        .set(NEXT_AT, instant(now))
        .set(DUE_SHARD, number(shard_of(id)));
    lane::due_at(change, now.plus(SWEEP_LEASE))
}
