//! Runs random operations on apps and keys on the store and on the model, which must answer alike.

use std::sync::Arc;

use countersign_domain::app::App;
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::store::AppStore;
use countersign_domain::primitives::time::Timestamp;

use crate::chance::Chance;
use crate::check::{Checked, Failure, equal};
use crate::model::ModelStore;
use crate::samples::{MILLI, NOW, WHATSAPP, app, app_id, key, senders, whatsapp};

/// The number of operations in a run.
const STEPS: u32 = 150;

/// The names of the apps that a run uses.
const NAMES: [&str; 3] = ["demo", "demo-2", "shop"];

/// The number of keys that a run uses.
const KEYS: u8 = 12;

/// An operation on the store.
#[derive(Clone, Debug)]
enum Operation {
    Create(App),
    Update(App),
    Issue(&'static str, u8),
    Revoke(&'static str, u8),
}

/// Runs the same random operations on an empty store and on a model. A failure names the seed that
/// reproduces the run.
///
/// # Errors
/// Fails if the store and the model answer differently.
pub async fn against_model(store: Arc<dyn AppStore>, seed: u64) -> Checked {
    let model = ModelStore::default();
    let mut chance = Chance::of(seed);
    for step in 0..STEPS {
        let now = NOW.plus(MILLI * step);
        let operation = draw(&mut chance);
        let within = |failure: Failure| {
            failure.within(format_args!("seed {seed}, step {step}, {operation:?}"))
        };
        let expected = run(&model, &operation, now).await;
        let actual = run(&*store, &operation, now).await;
        equal("answer differs from the model's", actual, expected).map_err(within)?;
        same_state(&*store, &model).await.map_err(within)?;
    }
    Ok(())
}

async fn same_state(store: &dyn AppStore, model: &ModelStore) -> Checked {
    equal("apps", store.list_apps().await?, model.list_apps().await?)?;
    for name in NAMES {
        let id = app_id(name);
        equal(
            "app",
            store.find_app(&id).await?,
            model.find_app(&id).await?,
        )?;
        equal(
            "keys",
            store.list_keys(&id).await?,
            model.list_keys(&id).await?,
        )?;
    }
    for n in 0..KEYS {
        let hash = key(n).hash;
        let expected = model.lookup_key(&hash).await?;
        equal("lookup", store.lookup_key(&hash).await?, expected)?;
    }
    let (actual, expected) = (
        store.inbound_profile().await?,
        model.inbound_profile().await?,
    );
    let sorted = |mut profile: countersign_domain::app::InboundProfile| {
        profile.recipients.sort();
        profile
    };
    equal(
        "profile",
        sorted(actual.as_ref().clone()),
        sorted(expected.as_ref().clone()),
    )
}

fn draw(chance: &mut Chance) -> Operation {
    let name = chance.one_of(&NAMES);
    let n = u8::try_from(chance.below(KEYS.into())).unwrap_or(0);
    match chance.below(8) {
        0 => Operation::Create(some_app(chance, name)),
        1 => Operation::Update(some_app(chance, name)),
        2..=4 => Operation::Issue(name, n),
        _ => Operation::Revoke(name, n),
    }
}

fn some_app(chance: &mut Chance, name: &str) -> App {
    let prefix = chance.one_of(&["CS", "SHOP", "EU"]).parse::<CodePrefix>();
    let number = chance.one_of(&["+12025550199", "12345", "+447700900001"]);
    App {
        created_at: NOW.plus(MILLI * u32::from(chance.bytes::<1>()[0])),
        prefix: prefix.unwrap_or_default(),
        senders: senders(&[(None, number)]),
        whatsapp: chance.once_in(2).then(|| whatsapp(WHATSAPP)),
        ..app(name)
    }
}

/// Runs an operation and returns its outcome as text. Errors have one text, whatever the cause.
async fn run(store: &dyn AppStore, operation: &Operation, now: Timestamp) -> String {
    let failed = |_| "unavailable".to_owned();
    match operation.clone() {
        Operation::Create(app) => {
            let outcome = store.create_app(app).await;
            outcome.map_or_else(failed, |outcome| format!("{outcome:?}"))
        }
        Operation::Update(app) => {
            let outcome = store.update_app(app).await;
            outcome.map_or_else(failed, |outcome| format!("{outcome:?}"))
        }
        Operation::Issue(name, n) => {
            let outcome = store.issue_key(&app_id(name), key(n)).await;
            outcome.map_or_else(failed, |outcome| format!("{outcome:?}"))
        }
        Operation::Revoke(name, n) => {
            let id = key(n).hash.id();
            let outcome = store.revoke_key(&app_id(name), &id, now).await;
            outcome.map_or_else(failed, |outcome| format!("{outcome:?}"))
        }
    }
}
