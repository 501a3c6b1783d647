//! The fast path of logins.
//!
//! It excludes decisions with a webhook, because the webhook depends on more of the item than an
//! expression can read.

use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::login::risk::{Flag, RiskStatus};
use countersign_domain::login::transitions::Answer;
use countersign_domain::login::{
    BrowserTokenHash, KEPT, MAX_WATCHERS, MobileTokenHash, Payload, Phone, REDEEMABLE, SCANNED,
    WatcherId,
};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_records::{PayloadRecord, PhoneRecord, StatusTag};

use super::{kept_anyway, kept_until};
use crate::store::attributes::login::{
    APP, BROWSER_TOKEN, CALLBACK, CONFIRMED_AT, EXPIRES_AT, FINGERPRINT, KEY, PAYLOAD, PHONE,
    REASON, REQUIRED, STATE, WATCHERS,
};
use crate::store::attributes::{Key, phone};
use crate::store::change::Change;
use crate::store::item::{bytes, instant, number, text};
use crate::store::record::value;

/// Opens a login that no phone has opened yet.
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

/// Confirms a login from the phone that opened it, if no risk flag denies it and no webhook is owed.
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

/// Denies a login from the phone that opened it, if no webhook is owed.
pub(in crate::store) fn deny(id: LoginId, answer: &Answer, now: Timestamp) -> Change {
    let change = undecided(id, &answer.token, now);
    kept_anyway(change, now.plus(KEPT))
        .set(STATE, value(&StatusTag::Denied))
        .set(EXPIRES_AT, instant(now))
}

/// Cancels a live login from its browser.
pub(in crate::store) fn cancel(id: LoginId, browser: &BrowserTokenHash, now: Timestamp) -> Change {
    kept_anyway(own_and_live(id, browser, now), now.plus(KEPT))
        .set(STATE, value(&StatusTag::Cancelled))
        .set(EXPIRES_AT, instant(now))
        .remove(CONFIRMED_AT)
        .remove(PAYLOAD)
        .remove(FINGERPRINT)
        .remove(REASON)
}

/// Adds a connection that gets pokes. The condition fails if the list is full, because the oldest
/// connection must then be removed.
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

/// Removes a connection if it is the oldest. Usually there is only one, and the oldest closes first.
pub(in crate::store) fn detach(id: LoginId, watcher: &WatcherId, now: Timestamp) -> Change {
    live(id, now)
        .when(format!("#{WATCHERS}[0] = :watcher"))
        .given(":watcher", text(watcher.as_str()))
        .remove(&format!("{WATCHERS}[0]"))
}

/// Changes a login that exists and has not expired.
fn live(id: LoginId, now: Timestamp) -> Change {
    super::live(Key::login(id), now)
}

/// Requires that the login is not over.
fn in_time(change: Change) -> Change {
    change.when(format!("#{EXPIRES_AT} > :now"))
}

/// Changes a live login that belongs to the browser.
fn own_and_live(id: LoginId, browser: &BrowserTokenHash, now: Timestamp) -> Change {
    in_time(live(id, now))
        .when(format!("#{BROWSER_TOKEN} = :browser"))
        .when(format!("#{STATE} IN (:created, :scanned, :confirmed)"))
        .given(":browser", bytes(*browser.as_bytes()))
        .given(":created", value(&StatusTag::Created))
        .given(":scanned", value(&StatusTag::Scanned))
        .given(":confirmed", value(&StatusTag::Confirmed))
}

/// Changes a login that this phone opened, that is not decided, and that owes no webhook.
fn undecided(id: LoginId, phone: &MobileTokenHash, now: Timestamp) -> Change {
    let token = phone::TOKEN;
    in_time(live(id, now))
        .when(format!("#{PHONE}.#{token} = :phone"))
        .when(format!("#{STATE} = :scanned"))
        .when(format!("attribute_not_exists(#{CALLBACK})"))
        .given(":phone", bytes(*phone.as_bytes()))
        .given(":scanned", value(&StatusTag::Scanned))
}

/// Requires that the browser can decrypt an encrypted payload, and that a plain one is allowed.
fn suits(change: Change, payload: &Payload) -> Change {
    change.when(if payload.is_encrypted() {
        format!("attribute_exists(#{KEY})")
    } else {
        format!("attribute_not_exists(#{REQUIRED})")
    })
}
