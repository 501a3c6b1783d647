//! The usual cases of logins.
//!
//! A decision that the app's server is told of is none: what it is told follows from more of the
//! item than an expression can put together.

use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::delivery::{LATENESS, SettledAttempt, Settlement};
use countersign_domain::login::risk::{Flag, RiskStatus};
use countersign_domain::login::store::DueNotice;
use countersign_domain::login::transitions::Answer;
use countersign_domain::login::{
    BrowserTokenHash, KEPT, MAX_WATCHERS, MobileTokenHash, Payload, Phone, REDEEMABLE, SCANNED,
    WatcherId,
};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_records::{PayloadRecord, PhoneRecord, StatusTag};

use super::{delivery, kept_until};
use crate::store::attributes::delivery::{
    ATTEMPTS, BODY_HASH, CLAIMED_AT, CLAIMS, KEY_ID, NEXT_AT, PROGRESS, ROUND, SIGNATURE,
};
use crate::store::attributes::login::{
    APP, BROWSER_TOKEN, CALLBACK, CONFIRMED_AT, EXPIRES_AT, FINGERPRINT, KEY, NOTICE, PAYLOAD,
    PHONE, PURGE_AT, REASON, REQUIRED, STATE, WATCHERS,
};
use crate::store::attributes::{DUE_AT, DUE_SHARD, Key, TTL, phone};
use crate::store::change::Change;
use crate::store::item::{bytes, instant, number, seconds, text};
use crate::store::lane;
use crate::store::record::value;

/// A phone opens a code that nobody opened.
pub(in crate::store) fn initiate(
    id: LoginId,
    app: &AppId,
    phone: &Phone,
    now: Timestamp,
) -> Change {
    let expires_at = now.plus(SCANNED);
    let change = in_time(live(id, now))
        .when(format!("#{APP} = :app"))
        .when(format!("#{STATE} = :created"))
        .given(":app", text(app.as_str()))
        .given(":created", value(&StatusTag::Created))
        .set(STATE, value(&StatusTag::Scanned))
        .set(PHONE, value(&PhoneRecord::from(phone)))
        .set(EXPIRES_AT, instant(expires_at));
    kept_until(change, expires_at.plus(KEPT))
}

/// The phone that opened a session confirms it, where nothing forbids it and nobody else is told.
pub(in crate::store) fn confirm(id: LoginId, answer: &Answer, now: Timestamp) -> Change {
    let redeem_by = now.plus(REDEEMABLE);
    let forbidding = Flag::ALL.into_iter();
    let forbidding = forbidding.filter(|flag| flag.status() == RiskStatus::Deny);
    let change = undecided(id, &answer.token, now);
    let change = suits(change, &answer.payload);
    let change = kept_anyway(change, redeem_by.plus(KEPT));
    forbidding
        .fold(change, |change, flag| {
            let (flags, name) = (phone::FLAGS, flag.as_str());
            change
                .when(format!("(NOT contains(#{PHONE}.#{flags}, :{name}))"))
                .given(format!(":{name}"), text(name))
        })
        .set(STATE, value(&StatusTag::Confirmed))
        .set(CONFIRMED_AT, instant(now))
        .set(PAYLOAD, value(&PayloadRecord::from(&answer.payload)))
        .set(FINGERPRINT, bytes(*answer.fingerprint.as_bytes()))
        .set(EXPIRES_AT, instant(redeem_by))
}

/// The phone that opened a session denies it, and nobody else is told.
pub(in crate::store) fn deny(id: LoginId, answer: &Answer, now: Timestamp) -> Change {
    let change = undecided(id, &answer.token, now);
    kept_anyway(change, now.plus(KEPT))
        .set(STATE, value(&StatusTag::Denied))
        .set(EXPIRES_AT, instant(now))
}

/// The browser gives a live session up.
pub(in crate::store) fn cancel(id: LoginId, browser: &BrowserTokenHash, now: Timestamp) -> Change {
    kept_anyway(own_and_live(id, browser, now), now.plus(KEPT))
        .set(STATE, value(&StatusTag::Cancelled))
        .set(EXPIRES_AT, instant(now))
        .remove(CONFIRMED_AT)
        .remove(PAYLOAD)
        .remove(FINGERPRINT)
        .remove(REASON)
}

/// A connection joins those that are told of changes. Not where one has to make room.
pub(in crate::store) fn attach(
    id: LoginId,
    browser: &BrowserTokenHash,
    watcher: &WatcherId,
    now: Timestamp,
) -> Change {
    let watcher = text(watcher.as_str());
    own_and_live(id, browser, now)
        .when(format!("size(#{WATCHERS}) < :most"))
        .when(format!("(NOT contains(#{WATCHERS}, :watcher))"))
        .given(":most", number(MAX_WATCHERS as u64))
        .given(":watcher", watcher.clone())
        .given(":watchers", AttributeValue::L(vec![watcher]))
        .set_to(format!("#{WATCHERS} = list_append(#{WATCHERS}, :watchers)"))
}

/// The oldest connection is told nothing more: mostly there is but one, and it is the oldest that
/// is gone.
pub(in crate::store) fn detach(id: LoginId, watcher: &WatcherId, now: Timestamp) -> Change {
    live(id, now)
        .when(format!("#{WATCHERS}[0] = :watcher"))
        .given(":watcher", text(watcher.as_str()))
        .remove(&format!("{WATCHERS}[0]"))
}

/// An attempt is claimed. Touches no attribute of the index.
pub(in crate::store) fn claim_notice(id: LoginId, attempts_claimed: u32, now: Timestamp) -> Change {
    delivery::claim(delivery::pending(live(id, now)), attempts_claimed, now)
}

/// It is written down how an attempt ended. Where none follows the notice leaves the item: not
/// while the login still waits for something, nor for one attempt more than is kept, nor where a
/// retry is due so late that the item must be kept for longer.
pub(in crate::store) fn settle_notice(
    id: LoginId,
    settled: &SettledAttempt,
    now: Timestamp,
) -> Change {
    let change = delivery::claimed(delivery::pending(live(id, now)), settled);
    match settled.settlement {
        Settlement::Delivered | Settlement::Failed => {
            let until = now.plus(KEPT);
            let notice = [
                NOTICE, ATTEMPTS, BODY_HASH, CLAIMED_AT, CLAIMS, KEY_ID, NEXT_AT, PROGRESS, ROUND,
                SIGNATURE, DUE_AT, DUE_SHARD,
            ];
            let change = change
                .when(format!("#{EXPIRES_AT} <= :now"))
                .set(PURGE_AT, instant(until))
                .set(TTL, seconds(until));
            notice.into_iter().fold(change, Change::remove)
        }
        Settlement::Retry { at, due_at } => {
            let change = delivery::written_down(change, settled);
            let change = kept_anyway(change, at.plus(LATENESS)).set(NEXT_AT, instant(at));
            lane::due_at(change, due_at)
        }
    }
}

/// The sweep puts off when it looks after a notice.
pub(in crate::store) fn postpone_notice(due: DueNotice, now: Timestamp) -> Change {
    let pending = delivery::pending(live(due.session, now));
    delivery::postpone(pending, due.lane, due.due_at, now)
}

/// Of an item that is there and has not had its time.
fn live(id: LoginId, now: Timestamp) -> Change {
    super::live(Key::login(id), now)
}

/// Only before the session's own time is over.
fn in_time(change: Change) -> Change {
    change.when(format!("#{EXPIRES_AT} > :now"))
}

/// Of a live session that the browser opened.
fn own_and_live(id: LoginId, browser: &BrowserTokenHash, now: Timestamp) -> Change {
    in_time(live(id, now))
        .when(format!("#{BROWSER_TOKEN} = :browser"))
        .when(format!("#{STATE} IN (:created, :scanned, :confirmed)"))
        .given(":browser", bytes(*browser.as_bytes()))
        .given(":created", value(&StatusTag::Created))
        .given(":scanned", value(&StatusTag::Scanned))
        .given(":confirmed", value(&StatusTag::Confirmed))
}

/// Of a session that this phone opened and that waits to be decided, and whose app's server is not
/// told.
fn undecided(id: LoginId, phone: &MobileTokenHash, now: Timestamp) -> Change {
    let token = phone::TOKEN;
    in_time(live(id, now))
        .when(format!("#{PHONE}.#{token} = :phone"))
        .when(format!("#{STATE} = :scanned"))
        .when(format!("attribute_not_exists(#{CALLBACK})"))
        .given(":phone", bytes(*phone.as_bytes()))
        .given(":scanned", value(&StatusTag::Scanned))
}

/// Only where the payload is encrypted or not as browser and app want it.
fn suits(change: Change, payload: &Payload) -> Change {
    change.when(if payload.is_encrypted() {
        format!("attribute_exists(#{KEY})")
    } else {
        format!("attribute_not_exists(#{REQUIRED})")
    })
}

/// Only where the item is kept until then already.
fn kept_anyway(change: Change, until: Timestamp) -> Change {
    change
        .when(format!("#{PURGE_AT} >= :until"))
        .given(":until", instant(until))
}
