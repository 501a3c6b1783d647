//! Runs random operations on keys on the store and on the model, which must answer alike.

use countersign_domain::login::association_key::store::AssociationKeyStore;
use countersign_domain::primitives::time::Timestamp;

use super::Store;
use crate::chance::Chance;
use crate::check::{Checked, Failure, equal};
use crate::model::ModelAssociationKeys;
use crate::samples::association_keys::{point, registered, user};
use crate::samples::{MILLI, NOW, app_id};
use crate::suite::Case;

pub(super) const CASES: &[Case<dyn AssociationKeyStore>] = &[
    Case {
        name: "random: keys are those of the model, seed 1",
        run: |store| Box::pin(against_model(store, 1)),
    },
    Case {
        name: "random: keys are those of the model, fresh seed",
        run: |store| Box::pin(against_model(store, Chance::fresh_seed())),
    },
];

/// The number of operations in a run.
const STEPS: u32 = 200;

/// The names of apps and users, and the number of keys that a run uses.
const APPS: [&str; 2] = ["shop", "shop-2"];
const USERS: [&str; 2] = ["zoe", "max"];
const KEYS: u8 = 48;

/// An operation on the store.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Register(&'static str, &'static str, u8),
    Revoke(&'static str, u8),
}

/// Runs the same random operations on an empty store and on a model. A failure names the seed that
/// reproduces the run.
async fn against_model(store: Store, seed: u64) -> Checked {
    let model = ModelAssociationKeys::default();
    let mut chance = Chance::of(seed);
    for step in 0..STEPS {
        let now = NOW.plus(MILLI * (step / 2));
        let operation = draw(&mut chance);
        let within = |failure: Failure| {
            failure.within(format_args!("seed {seed}, step {step}, {operation:?}"))
        };
        let expected = run(&model, operation, now).await.map_err(within)?;
        let actual = run(&*store, operation, now).await.map_err(within)?;
        equal("answer differs from the model's", actual, expected).map_err(within)?;
        let (Operation::Register(app, _, n) | Operation::Revoke(app, n)) = operation;
        same_state(&*store, &model, app, n).await.map_err(within)?;
    }
    Ok(())
}

async fn same_state(
    store: &dyn AssociationKeyStore,
    model: &ModelAssociationKeys,
    app: &str,
    n: u8,
) -> Checked {
    let (app, id) = (app_id(app), point(n).key_id());
    equal(
        "key",
        store.find_key(&app, id).await?,
        model.find_key(&app, id).await?,
    )?;
    for owner in USERS.map(user) {
        let expected = model.list(&app, &owner).await?;
        equal("list", store.list(&app, &owner).await?, expected)?;
    }
    Ok(())
}

fn draw(chance: &mut Chance) -> Operation {
    let app = chance.one_of(&APPS);
    let n = u8::try_from(chance.below(KEYS.into())).unwrap_or(0);
    match chance.below(5) {
        0 => Operation::Revoke(app, n),
        _ => Operation::Register(app, chance.one_of(&USERS), n),
    }
}

/// Runs an operation and returns its outcome as text.
async fn run(
    store: &dyn AssociationKeyStore,
    operation: Operation,
    now: Timestamp,
) -> Result<String, Failure> {
    Ok(match operation {
        Operation::Register(app, owner, n) => {
            let key = registered(app, owner, n, now);
            format!("{:?}", store.register(key).await?)
        }
        Operation::Revoke(app, n) => {
            let id = point(n).key_id();
            format!("{:?}", store.revoke(&app_id(app), id, now).await?)
        }
    })
}
