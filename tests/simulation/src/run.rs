//! One run, from its seed to its verdict.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use countersign_conformance::all_due;
use countersign_conformance::chance::Chance;
use countersign_conformance::model::ModelItems;
use countersign_conformance::samples;
use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::app::refused_types::RefusableType;
use countersign_domain::login::{Login, Status};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::Store;
use futures_util::FutureExt as _;

use crate::env::{Env, Link, Tally};
use crate::hosts::{Api, Dispatcher, keep_running, sweep_until_quiet};
use crate::oracle::{Oracle, Promise, Violation};
use crate::people::{LANDLINE, World, call, log_in, redeliver_what_failed};
use crate::ports::{Connections, Queue, Receivers, Watched};
use crate::sim::{OUTSIDE, Shared, Sim, block_on};
use crate::trace::Trace;
use crate::weather::Weather;
use crate::wire::Keys;

/// Start of the day (UTC) on which every run begins.
const DAY: Timestamp = Timestamp::from_millis(1_767_312_000_000);

/// Length of a day in milliseconds.
const A_DAY: u64 = 86_400_000;
/// Start of a day's last three minutes, in milliseconds.
const LAST_MINUTES: u64 = A_DAY - 180_000;

/// Maximum virtual time within which a run must finish.
const MAX_RUN: Duration = Duration::from_hours(24 * 24);

/// The result of a run.
#[derive(Debug)]
pub struct Verdict {
    /// The seed of the run.
    pub seed: u64,
    /// A hash of everything that happened.
    pub hash: u64,
    /// Number of times that each event happened.
    pub tally: Tally,
    /// The first broken promise, if any.
    pub violation: Option<Violation>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// Nothing is left to do.
    Quiet,
    /// A promise was broken, or a task panicked.
    Stopped,
    /// Something was left to do after [`MAX_RUN`].
    TooLate,
}

/// Runs a seed to the end, or until a promise is broken.
///
/// # Panics
/// Panics if the code under test does.
#[must_use]
pub fn run(seed: u64, trace: Trace) -> Verdict {
    block_on(run_within(seed, trace))
}

async fn run_within(seed: u64, trace: Trace) -> Verdict {
    let mut chance = Chance::from_seed(seed);
    // Some runs begin shortly before midnight, when the codes derived from idempotency keys change.
    let earliest = chance.one_of(&[0, 0, 0, LAST_MINUTES]);
    let begins = earliest + chance.below(A_DAY - earliest);
    let now = DAY.plus(Duration::from_millis(begins));
    let weather = Arc::new(Weather::draw(&mut chance, now));
    let sim = Sim::new(chance, now, trace);
    let keys = Keys::draw(&sim);
    let oracle = Oracle::new(keys.clone(), &weather, sim.over());
    let env = Env {
        sim: sim.clone(),
        weather,
        tally: Shared::new(Tally::new()),
        oracle: Shared::new(oracle),
    };
    Stage::build(&env, &keys).play().await;
    Verdict {
        seed,
        hash: sim.trace_hash(),
        tally: env.tally.with(std::mem::take),
        violation: env.oracle.with(|oracle| oracle.violation().cloned()),
    }
}

struct Stage {
    env: Env,
    model: Arc<ModelItems>,
    dispatchers: Vec<Dispatcher>,
    world: World,
}

impl Stage {
    fn build(env: &Env, keys: &Keys) -> Self {
        let model = Arc::new(ModelItems::default());
        let watched = Arc::new(Watched {
            model: Arc::clone(&model),
            env: env.clone(),
        });
        let queue = Queue::new(env.clone());
        let receivers = Receivers::draw(env.clone());
        let dispatchers: Vec<Dispatcher> = (1..=2)
            .map(|n| process(env, format!("dispatcher-{n}")))
            .map(|link| {
                Dispatcher::new(
                    link,
                    Arc::clone(&watched),
                    queue.clone(),
                    receivers.clone(),
                    keys.clone(),
                )
            })
            .collect();
        dispatchers.iter().for_each(Dispatcher::run);
        let processes: Vec<Link> = (1..=2).map(|n| process(env, format!("api-{n}"))).collect();
        for link in &processes {
            keep_running(env, link.process, || {});
        }
        let sim = &env.sim;
        let mut app = samples::app("demo");
        app.default_callback = None;
        app.login = samples::login();
        app.login.callback = receivers
            .one()
            .filter(|_| !sim.draw(|chance| chance.once_in(5)));
        app.login.risk.denials_forbid = sim.draw(|chance| chance.once_in(2));
        app.login.require_proof = sim.draw(|chance| chance.once_in(2));
        env.oracle
            .with(|oracle| oracle.app_requires_proof(app.login.require_proof));
        let api_key = PresentedApiKey::generate(&processes[0]);
        // The key is random, so it also decides this.
        app.whatsapp = api_key.hash().as_bytes()[0]
            .is_multiple_of(2)
            .then(|| samples::whatsapp(samples::WHATSAPP));
        if api_key.hash().as_bytes()[1].is_multiple_of(2) {
            app.refused_types = "fixed_line".parse::<RefusableType>().into_iter().collect();
            let landline = samples::phone(LANDLINE);
            env.oracle.with(|oracle| oracle.app_refuses(landline));
        }
        // Calls of the model never wait.
        let administration = Store::new(model.clone(), Arc::new(processes[0].clone()));
        let _ = administration.create_app(app.clone()).now_or_never();
        let api = Api {
            env: env.clone(),
            processes,
            watched: Arc::clone(&watched),
            queue,
            connections: Connections::new(env.clone()),
            app: Arc::new((app, api_key)),
        };
        let world = World {
            env: env.clone(),
            api,
            receivers: Arc::new(receivers),
        };
        Self {
            env: env.clone(),
            model,
            dispatchers,
            world,
        }
    }

    async fn play(&self) {
        let sim = self.env.sim.clone();
        for n in 0..=sim.draw(|chance| chance.below(5)) {
            sim.spawn(OUTSIDE, call(self.world.clone(), n));
        }
        for _ in 0..sim.draw(|chance| chance.one_of(&[0, 1, 1, 2])) {
            sim.spawn(OUTSIDE, log_in(self.world.clone()));
        }
        self.until_quiet().await;
        let (world, model) = (self.world.clone(), Arc::clone(&self.model));
        sim.spawn(OUTSIDE, async move {
            redeliver_what_failed(world, &model).await;
        });
        self.until_quiet().await;
        for login in self.model.every::<Login>() {
            if login.verified_user().is_some() {
                self.env.count("login verified");
            }
            self.env
                .count(match login.status(Timestamp::from_millis(0)) {
                    Status::Created => "login never opened",
                    Status::Scanned => "login never decided",
                    Status::Confirmed => "login never redeemed",
                    _ => "login ended",
                });
        }
        let model = &self.model;
        self.env
            .oracle
            .with(|oracle| oracle.check_deliveries(model));
    }

    /// Runs until nothing is left to do, and checks the result.
    async fn until_quiet(&self) {
        let (sim, oracle) = (&self.env.sim, &self.env.oracle);
        let ended = tokio::select! {
            biased;
            () = sim.over().cancelled_owned() => Ended::Stopped,
            () = sweep_until_quiet(&self.env, &self.model, &self.dispatchers) => Ended::Quiet,
            () = sim.pass(MAX_RUN) => Ended::TooLate,
        };
        if let Some(panic) = sim.panic() {
            resume_unwind(panic);
        }
        sim.note(OUTSIDE, "quiet", || format!("{ended:?}"));
        if ended == Ended::Stopped {
            return;
        }
        let far = Timestamp::from_millis(u64::MAX);
        let due = all_due::deliveries(&*self.model, far).now_or_never();
        let due = due.and_then(Result::ok).unwrap_or_default();
        oracle.with(|oracle| {
            oracle.check_items(&self.model, &due);
            if ended == Ended::TooLate {
                oracle.broken(Promise::Settled, "the run did not finish in time");
            }
        });
    }
}

/// Creates a process with its own clock.
fn process(env: &Env, name: String) -> Link {
    Link {
        process: env.sim.process(name),
        skew: env.sim.millis_below(env.weather.skew + 1),
        env: env.clone(),
    }
}
