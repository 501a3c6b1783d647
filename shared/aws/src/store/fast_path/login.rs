//! The fast path of logins.

use countersign_domain::delivery::{HORIZON, SWEEP_LEASE};
use countersign_domain::login::risk::{Flag, RiskStatus};
use countersign_domain::login::transitions::{Answer, Denial};
use countersign_domain::login::{
    BrowserTokenHash, CheckCode, DenyReason, DeviceTokenHash, KEPT_SINCE_CREATION, MAX_WATCHERS,
    MobileTokenHash, Payload, Phone, REDEEMABLE, ReceiptHash, SCANNED, VerifiedUser, WatcherId,
};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_records::{PayloadRecord, PhoneRecord, ProgressTag, ReasonTag, StatusTag};

use crate::store::attributes::delivery::{ATTEMPTS, CLAIMS, NEXT_AT, PROGRESS, ROUND};
use crate::store::attributes::login::{
    APP, BROWSER_TOKEN, CALLBACK, CONFIRMED_AT, CONTEXT, DENIAL, EXPIRES_AT, FINGERPRINT, KEY,
    MISSED, PAYLOAD, PHONE, PROOF, PURGE_AT, REASON, RECEIPT, REDEEM_UNTIL, REQUIRES_CHECK_CODE,
    REQUIRES_PROOF, SALT, STATE, WATCHERS,
};
use crate::store::attributes::{Key, TTL, UNTOLD_PURGE_AT, UNTOLD_TTL, phone};
use crate::store::change::Change;
use crate::store::item::{AttributeValue, bytes, instant, number, seconds, text};
use crate::store::lane;
use crate::store::record::value;

/// A webhook keeps a login for longer than its creation does, so a decision never shortens its life.
const _: () = assert!(HORIZON.as_secs() > KEPT_SINCE_CREATION.as_secs());

/// Opens a login that no phone has opened yet.
pub(in crate::store) fn initiate(
    id: LoginId,
    app: &AppId,
    phone: &Phone,
    now: Timestamp,
) -> Change {
    let rule = match phone.check_code {
        None => "attribute_not_exists",
        Some(_) => "attribute_exists",
    };
    in_time(live(id, now))
        .when(format!("#{APP} = :app"))
        .when(format!("#{STATE} = :created"))
        .when(format!("{rule}(#{REQUIRES_CHECK_CODE})"))
        .given(":app", text(app.as_str()))
        .given(":created", value(&StatusTag::Created))
        .set(STATE, value(&StatusTag::Scanned))
        .set(PHONE, value(&PhoneRecord::from(phone)))
        .set(EXPIRES_AT, instant(now.plus(SCANNED)))
}

/// Confirms a login from the phone that opened it, if no risk flag denies it and no proof is missing.
pub(in crate::store) fn confirm(id: LoginId, answer: &Answer, now: Timestamp) -> Change {
    let redeem_by = now.plus(REDEEMABLE);
    let forbidding = Flag::ALL.into_iter();
    let forbidding = forbidding.filter(|flag| flag.status() == RiskStatus::Deny);
    let payload = &answer.payload;
    let change = decided(id, &answer.token, now);
    let change = forbidding.fold(suits(change, payload.payload()), |change, flag| {
        let (flags, name) = (phone::FLAGS, flag.as_str());
        change
            .when(format!("(NOT contains(#{PHONE}.#{flags}, :{name}))"))
            .given(format!(":{name}"), text(name))
    });
    let change = match payload.salt() {
        None => change,
        Some(salt) => change.set(SALT, bytes(*salt.as_bytes())),
    };
    let change = match payload.proof() {
        // Logins of servers without a context take the slow path, too.
        None => change.when(format!("attribute_not_exists(#{CONTEXT})")),
        Some(proof) => change.set(PROOF, text(proof.as_str())),
    };
    let change = match &answer.verified {
        None => change.when(format!("attribute_not_exists(#{REQUIRES_PROOF})")),
        Some(VerifiedUser { user, pay: digest }) => {
            let (verified, pay) = (phone::VERIFIED, phone::PAY);
            change
                .set_to(format!("#{PHONE}.#{verified} = :verified"))
                .set_to(format!("#{PHONE}.#{pay} = :pay"))
                .given(":verified", text(user.as_str()))
                .given(":pay", bytes(*digest.as_bytes()))
        }
    };
    change
        .set(STATE, value(&StatusTag::Confirmed))
        .set(CONFIRMED_AT, instant(now))
        .set(PAYLOAD, value(&PayloadRecord::from(payload.payload())))
        .set(FINGERPRINT, bytes(*answer.fingerprint.as_bytes()))
        .set(EXPIRES_AT, instant(redeem_by))
}

/// Denies a login from the phone that opened it.
pub(in crate::store) fn deny(id: LoginId, denial: &Denial, now: Timestamp) -> Change {
    let change = decided(id, &denial.token, now)
        .set(DENIAL, text(denial.payload.as_str()))
        .set(EXPIRES_AT, instant(now));
    match denial.reason {
        None => change.set(STATE, value(&StatusTag::Denied)),
        Some(DenyReason::KeyMismatch) => change
            .set(STATE, value(&StatusTag::Blocked))
            .set(REASON, value(&ReasonTag::KeyMismatch)),
    }
}

/// Redeems the sealed payload of a confirmed login. It stays in the item, and the webhook about the
/// confirmation does not contain it, so nothing has to be read. Fails if the check code that the login
/// requires is missing or wrong.
pub(in crate::store) fn redeem_sealed(
    id: LoginId,
    browser: &BrowserTokenHash,
    receipt: &ReceiptHash,
    check_code: Option<CheckCode>,
    now: Timestamp,
) -> Change {
    let change = in_time(live(id, now));
    let none_required = format!("attribute_not_exists(#{REQUIRES_CHECK_CODE})");
    let change = match check_code {
        None => change.when(none_required),
        Some(code) => {
            let shown = phone::CHECK_CODE;
            change
                .when(format!(
                    "({none_required} OR #{PHONE}.#{shown} = :check_code)"
                ))
                .given(":check_code", number(code.number()))
        }
    };
    change
        .when(format!("#{BROWSER_TOKEN} = :browser"))
        .when(format!("#{STATE} = :confirmed"))
        .when(format!("attribute_exists(#{KEY})"))
        .given(":browser", bytes(*browser.as_bytes()))
        .given(":confirmed", value(&StatusTag::Confirmed))
        .set(STATE, value(&StatusTag::Consumed))
        .set(RECEIPT, bytes(*receipt.as_bytes()))
        .set_to(format!("#{REDEEM_UNTIL} = #{EXPIRES_AT}"))
        .set(EXPIRES_AT, instant(now))
        .remove(MISSED)
}

/// Cancels a live login from its browser. Fails if a webhook about a confirmation may be owed, whose
/// content the notice must keep then.
pub(in crate::store) fn cancel(id: LoginId, browser: &BrowserTokenHash, now: Timestamp) -> Change {
    let states = format!(
        "(#{STATE} IN (:created, :scanned) \
         OR (#{STATE} = :confirmed AND attribute_not_exists(#{CALLBACK})))"
    );
    in_time(live(id, now))
        .when(format!("#{BROWSER_TOKEN} = :browser"))
        .when(states)
        .given(":browser", bytes(*browser.as_bytes()))
        .given(":created", value(&StatusTag::Created))
        .given(":scanned", value(&StatusTag::Scanned))
        .given(":confirmed", value(&StatusTag::Confirmed))
        .set(STATE, value(&StatusTag::Cancelled))
        .set(EXPIRES_AT, instant(now))
        .remove(CONFIRMED_AT)
        .remove(PAYLOAD)
        .remove(SALT)
        .remove(PROOF)
        .remove(FINGERPRINT)
        .remove(MISSED)
}

/// Adds a connection of the browser or the phone that gets pokes. The condition fails if the list is
/// full, because the oldest connection must then be removed.
pub(in crate::store) fn attach(
    id: LoginId,
    device: &DeviceTokenHash,
    watcher: &WatcherId,
    now: Timestamp,
) -> Change {
    let watcher = text(watcher.as_str());
    let token = phone::TOKEN;
    in_time(live(id, now))
        .when(format!(
            "(#{BROWSER_TOKEN} = :browser OR #{PHONE}.#{token} = :phone)"
        ))
        .when(format!("#{STATE} IN (:created, :scanned, :confirmed)"))
        .when(format!("size(#{WATCHERS}) < :most"))
        .when(format!("(NOT contains(#{WATCHERS}, :watcher))"))
        .given(":browser", bytes(*device.browser.as_bytes()))
        .given(":phone", bytes(*device.phone.as_bytes()))
        .given(":created", value(&StatusTag::Created))
        .given(":scanned", value(&StatusTag::Scanned))
        .given(":confirmed", value(&StatusTag::Confirmed))
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

/// Decides a login that this phone opened and that is not decided, and owes the webhook about it if
/// the item has a callback.
///
/// An expression cannot write an attribute under a condition of its own. So the attributes of the
/// delivery are written in any case: without a callback they mean nothing, and without the index's
/// partition key they are in no index. And how long the item is kept changes unless an attribute is
/// there that only an item without a callback has.
fn decided(id: LoginId, phone: &MobileTokenHash, now: Timestamp) -> Change {
    let token = phone::TOKEN;
    let owed_until = now.plus(HORIZON);
    let change = in_time(live(id, now))
        .when(format!("#{PHONE}.#{token} = :phone"))
        .when(format!("#{STATE} = :scanned"))
        .given(":phone", bytes(*phone.as_bytes()))
        .given(":scanned", value(&StatusTag::Scanned))
        .set_to(format!(
            "#{PURGE_AT} = if_not_exists(#{UNTOLD_PURGE_AT}, :owed_until)"
        ))
        .set_to(format!("#{TTL} = if_not_exists(#{UNTOLD_TTL}, :owed_ttl)"))
        .given(":owed_until", instant(owed_until))
        .given(":owed_ttl", seconds(owed_until))
        .set(PROGRESS, value(&ProgressTag::Pending))
        .set(NEXT_AT, instant(now))
        .set(CLAIMS, number(0_u32))
        .set(ROUND, number(0_u32))
        .set(ATTEMPTS, AttributeValue::L(Vec::new()));
    lane::due_at(change, now.plus(SWEEP_LEASE))
}

/// Requires that a payload is sealed exactly if the browser has a key.
fn suits(change: Change, payload: &Payload) -> Change {
    change.when(if payload.is_encrypted() {
        format!("attribute_exists(#{KEY})")
    } else {
        format!("attribute_not_exists(#{KEY})")
    })
}
