//! Runs random operations on the store and on the model, which must answer alike.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::delivery::{
    ClaimOutcome, PostponeOutcome, SettleOutcome, SettledAttempt, Settlement,
};
use countersign_domain::login::transitions::{
    Answer, AttachOutcome, CancelOutcome, ConfirmOutcome, CreateOutcome, Denial, DenyOutcome,
    DetachOutcome, InitiateOutcome, RedeemOutcome,
};
use countersign_domain::login::{
    BrowserTokenHash, CheckCode, DenyReason, DeviceTokenHash, Login, Phone, ReceiptHash, State,
    WatcherId,
};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::round_trip::{some_check_code, some_login, some_phone};
use super::steps::Store;
use crate::all_due;
use crate::chance::Chance;
use crate::check::{Checked, Failure, equal};
use crate::model::{ModelLogins, ModelStore};
use crate::samples::logins::{
    answer_of, browser, browser_device, clear, denial, login_id, mobile_token, phone_device,
    receipt, sealed, sealed_id, watcher,
};
use crate::samples::{MILLI, NOW, RETENTION, app_id, before, settled};
use crate::stores::Stores;
use crate::suite::Case;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "login random: store answers like the model, seed 1",
        run: |store| Box::pin(against_model(store, 1)),
    },
    Case {
        name: "login random: store answers like the model, seed 2",
        run: |store| Box::pin(against_model(store, 2)),
    },
    Case {
        name: "login random: store answers like the model, fresh seed",
        run: |store| Box::pin(against_model(store, Chance::fresh_seed())),
    },
];

/// The number of operations in a run.
const STEPS: u32 = 400;

/// The number of ids that a run uses.
const IDS: u8 = 4;

/// An operation on the stores.
#[derive(Clone, Debug)]
enum Operation {
    Create(Box<Login>),
    Find(LoginId),
    Initiate(LoginId, AppId, Box<Phone>),
    Confirm(LoginId, Answer),
    Deny(LoginId, Denial),
    Redeem(LoginId, BrowserTokenHash, ReceiptHash, Option<CheckCode>),
    Cancel(LoginId, BrowserTokenHash),
    Attach(LoginId, DeviceTokenHash, WatcherId),
    Detach(LoginId, WatcherId),
    Claim(LoginId, u32),
    Settle(LoginId, SettledAttempt),
    Postpone(Due),
}

/// The answer to an operation.
#[derive(Debug, PartialEq)]
enum Got {
    Create(CreateOutcome),
    Find(Option<Box<Login>>),
    Initiate(InitiateOutcome),
    Confirm(ConfirmOutcome),
    Deny(DenyOutcome),
    Redeem(RedeemOutcome),
    Cancel(CancelOutcome),
    Attach(AttachOutcome),
    Detach(DetachOutcome),
    Claim(ClaimOutcome),
    Settle(SettleOutcome),
    Postpone(PostponeOutcome),
}

/// Runs the same random operations on an empty store and on a model. A failure names the seed that
/// reproduces the run.
///
/// # Errors
/// Fails if the store and the model answer differently.
pub async fn against_model(store: Store, seed: u64) -> Checked {
    let model = Arc::new(ModelStore::default());
    let reference = model.stores();
    let model = model.logins();
    let mut chance = Chance::of(seed);
    let mut now = NOW;
    for step in 0..STEPS {
        now = next_time(&mut chance, model, now);
        let operation = draw(&mut chance, model, now)?;
        let within = |failure: Failure| {
            failure.within(format_args!(
                "seed {seed}, step {step}, at {now}, {operation:?}"
            ))
        };
        let expected = run(&reference, &operation, now).await?;
        let actual = run(&store, &operation, now).await;
        let actual = actual.map_err(|error| within(error.into()))?;
        equal("answer differs from the model's", actual, expected).map_err(within)?;
        for n in 0..IDS {
            let expected = reference.logins.find(id_of(n), now).await?;
            let actual = store.logins.find(id_of(n), now).await?;
            equal("items", actual, expected).map_err(within)?;
        }
        let mut expected = all_due::deliveries(&*reference.deliveries, now).await?;
        let mut actual = all_due::deliveries(&*store.deliveries, now).await?;
        // An index may still hold entries of items past their `purge_at`.
        let items = model.items();
        let is_live = |due: &Due| {
            let item = items.iter().find(|item| item.subject() == due.subject);
            item.is_some_and(|item| now < item.purge_at)
        };
        expected.retain(is_live);
        actual.retain(is_live);
        equal("due", actual, expected).map_err(within)?;
    }
    Ok(())
}

/// Draws the time of the next step: mostly a little later, sometimes within a millisecond of an
/// expiry or a `purge_at`.
fn next_time(chance: &mut Chance, model: &ModelLogins, now: Timestamp) -> Timestamp {
    if !chance.once_in(6) {
        return now.plus(Duration::from_millis(chance.below(3_000)));
    }
    let items = model.items();
    let items: Vec<&Login> = items.iter().filter(|item| now < item.purge_at).collect();
    if items.is_empty() {
        return now.plus(MILLI);
    }
    let item = chance.one_of(&items);
    let instant = if chance.once_in(5) {
        item.purge_at
    } else {
        item.expires_at()
    };
    let chosen = chance.one_of(&[before(instant, MILLI), instant, instant.plus(MILLI)]);
    chosen.max(now)
}

/// Returns the `n`th id of [`some_login`].
const fn id_of(n: u8) -> LoginId {
    if n.is_multiple_of(2) {
        login_id(n)
    } else {
        sealed_id(n)
    }
}

/// Draws an operation: mostly one that suits the state of a login, sometimes any.
fn draw(chance: &mut Chance, model: &ModelLogins, now: Timestamp) -> Result<Operation, Failure> {
    let n = u8::try_from(chance.below(IDS.into())).unwrap_or(0);
    let id = id_of(n);
    let items = model.items();
    let item = items
        .iter()
        .find(|item| item.id == id && now < item.purge_at);
    if let Some(operation) = item.and_then(|item| draw_for_notice(chance, item, now)) {
        return Ok(operation);
    }
    let requires_check_code = item.is_some_and(|item| item.requires_check_code);
    let fitting = match item.map(|item| &item.state) {
        None => 0..1,
        Some(State::Created { .. }) => 1..5,
        Some(State::Scanned { .. }) => 3..9,
        // Redeem: it takes three wrong codes to block a login.
        Some(State::Confirmed { .. }) if requires_check_code => 9..11,
        Some(State::Confirmed { .. }) => 5..10,
        Some(_) => 0..11,
    };
    let choices = if chance.once_in(3) { 0..11 } else { fitting };
    let own = if chance.once_in(6) {
        browser(99)
    } else {
        browser(n)
    };
    let which = if chance.once_in(6) { 2 } else { 1 };
    let mut answer = || {
        let payload = match chance.below(5) {
            0 => clear("other"),
            1 => sealed(),
            2 => clear("yes"),
            _ if n.is_multiple_of(2) => clear("yes"),
            _ => sealed(),
        };
        answer_of(which, payload)
    };
    let answer = answer();
    let mut refusal = denial(which, "no");
    if chance.once_in(3) {
        refusal.reason = Some(DenyReason::KeyMismatch);
    }
    let device = match chance.below(8) {
        0 => browser_device(99),
        1 | 2 => phone_device(which),
        _ => browser_device(n),
    };
    let receipt = receipt(if chance.once_in(4) { 2 } else { 1 });
    let connection = watcher(u8::try_from(chance.below(7)).unwrap_or(0));
    Ok(
        match choices.start + chance.below(choices.end - choices.start) {
            0 => Operation::Create(Box::new(some_login(chance, n, now)?)),
            1 | 2 | 5 => {
                let app = item.map_or_else(|| app_id("demo"), |item| item.app.clone());
                let app = if chance.once_in(8) {
                    app_id("foreign")
                } else {
                    app
                };
                let needs_code = requires_check_code != chance.once_in(8);
                let token = mobile_token(which).hash();
                let phone = some_phone(chance, token, needs_code, now)?;
                Operation::Initiate(id, app, Box::new(phone))
            }
            3 => Operation::Attach(id, device, connection),
            4 if chance.once_in(3) => Operation::Cancel(id, own),
            4 => Operation::Detach(id, connection),
            6 | 7 => Operation::Confirm(id, answer),
            8 if chance.once_in(2) => Operation::Deny(id, refusal),
            8 => Operation::Find(id),
            _ => {
                let shown = item
                    .and_then(Login::phone)
                    .and_then(|phone| phone.check_code);
                let code = match chance.below(8) {
                    0 => None,
                    1..6 => Some(some_check_code(chance)),
                    _ => shown,
                };
                Operation::Redeem(id, own, receipt, code)
            }
        },
    )
}

/// Draws an operation on the delivery of a login that owes a webhook, or `None` to draw another.
fn draw_for_notice(chance: &mut Chance, item: &Login, now: Timestamp) -> Option<Operation> {
    let delivery = &item.notice.as_ref()?.delivery;
    let off = u32::from(chance.once_in(6));
    let number = delivery.attempts_claimed;
    let settlement = match chance.below(3) {
        0 => Settlement::Delivered,
        1 => Settlement::Failed,
        _ => Settlement::Retry {
            at: now.plus(Duration::from_secs(2)),
            due_at: now.plus(Duration::from_secs(62)),
        },
    };
    match chance.below(6) {
        0 | 1 => Some(Operation::Claim(item.id, number + off)),
        2 => Some(Operation::Settle(
            item.id,
            settled(number + off, 500, settlement),
        )),
        3 => Some(Operation::Postpone(Due {
            due_at: delivery.due_at()?.plus(MILLI * off),
            subject: item.id.into(),
            lane: item.lane(),
        })),
        _ => None,
    }
}

async fn run(store: &Stores, operation: &Operation, now: Timestamp) -> Result<Got, Unavailable> {
    Ok(match operation.clone() {
        Operation::Create(new) => Got::Create(store.logins.create(*new, now).await?),
        Operation::Find(id) => Got::Find(store.logins.find(id, now).await?.map(Box::new)),
        Operation::Initiate(id, app, phone) => {
            Got::Initiate(store.logins.initiate(id, &app, *phone, now).await?)
        }
        Operation::Confirm(id, answer) => {
            Got::Confirm(store.logins.confirm(id, answer, now).await?)
        }
        Operation::Deny(id, denial) => Got::Deny(store.logins.deny(id, denial, now).await?),
        Operation::Redeem(id, own, receipt, code) => {
            let redeemed = store.logins.redeem(id, &own, &receipt, code, now);
            Got::Redeem(redeemed.await?)
        }
        Operation::Cancel(id, own) => Got::Cancel(store.logins.cancel(id, &own, now).await?),
        Operation::Attach(id, own, watcher) => {
            Got::Attach(store.logins.attach_watcher(id, &own, watcher, now).await?)
        }
        Operation::Detach(id, watcher) => {
            Got::Detach(store.logins.detach_watcher(id, &watcher, now).await?)
        }
        Operation::Claim(id, made) => {
            Got::Claim(store.deliveries.claim(id.into(), made, now).await?)
        }
        Operation::Settle(id, settled) => {
            let settled = store.deliveries.settle(id.into(), settled, now, RETENTION);
            Got::Settle(settled.await?)
        }
        Operation::Postpone(due) => Got::Postpone(store.deliveries.postpone(due, now).await?),
    })
}
