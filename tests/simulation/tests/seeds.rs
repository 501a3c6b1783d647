//! Ten thousand runs, each from its seed, or as many as `SIMULATION_SEEDS` says; and one of them
//! again, line by line, with `SIMULATION_SEED`.

use std::collections::BTreeSet;
use std::env;
use std::num::NonZero;
use std::thread;

use countersign_domain::event::Event;
use countersign_simulation::ground::Tally;
use countersign_simulation::{Setup, Trace, Verdict, run};

/// How many seeds are run.
const SEEDS: u64 = 10_000;

/// What goes wrong outside of the use cases; all of it must have happened.
const FAULTS: [&str; 15] = [
    "fault: slow",
    "fault: refused",
    "fault: lost",
    "fault: late",
    "fault: death before",
    "fault: death after",
    "fault: request lost",
    "fault: answer lost",
    "fault: message lost",
    "fault: message doubled",
    "fault: message held",
    "fault: index lags",
    "message set aside",
    "key misused",
    "redelivered at the end",
];

/// Counted events that these runs cannot reach: a provider's signature is judged before the use
/// cases, the queue has room for everything, the clock is not guarded, and no app exceeds its quota
/// (in the tests of the embedded store and in the end-to-end tests apps do).
const BEYOND: [&str; 5] = [
    "inbound_refused",
    "left_to_sweep",
    "clock_ahead",
    "rate_exceeded",
    "open_exceeded",
];

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

fn replay_of(seed: u64) -> String {
    format!("SIMULATION_SEED={seed} cargo test -p countersign-simulation replay -- --nocapture")
}

/// Runs every `of`th seed from `first` on, until one fails.
fn run_some(first: u64, of: usize, count: u64) -> Result<Tally, Box<Verdict>> {
    let mut total = Tally::new();
    for seed in (first..count).step_by(of) {
        let mut verdict = run(seed, &Setup::default(), Trace::hashed());
        if verdict.violation.is_some() {
            return Err(Box::new(verdict));
        }
        for (what, times) in std::mem::take(&mut verdict.tally) {
            *total.entry(what).or_default() += times;
        }
    }
    Ok(total)
}

#[test]
fn every_promise_is_kept_whatever_fails() {
    let count = number("SIMULATION_SEEDS").unwrap_or(SEEDS);
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let results: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = (0..)
            .take(threads)
            .map(|first| scope.spawn(move || run_some(first, threads, count)))
            .collect();
        running.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let mut total = Tally::new();
    for result in results {
        match result {
            Ok(tally) => {
                for (what, times) in tally {
                    *total.entry(what).or_default() += times;
                }
            }
            Err(verdict) => {
                let violation = verdict.violation.unwrap();
                let replay = replay_of(verdict.seed);
                panic!("seed {}: {violation}\n\n{replay}\n", verdict.seed);
            }
        }
    }
    println!("{count} seeds: {total:#?}");
    if count >= SEEDS {
        everything_happened(&total);
    }
}

/// That nothing was left out: every fault, and everything that the use cases count.
fn everything_happened(total: &Tally) {
    let seen: BTreeSet<&str> = total.keys().copied().collect();
    let mut expected: BTreeSet<&str> = Event::NAMES.into_iter().chain(FAULTS).collect();
    for beyond in BEYOND {
        expected.remove(beyond);
    }
    let missed: Vec<_> = expected.difference(&seen).collect();
    assert!(missed.is_empty(), "never happened: {missed:?}");
}

#[test]
fn a_seed_leads_to_the_same_run_each_time() {
    for seed in 0..40 {
        let runs = [(); 2].map(|()| run(seed, &Setup::default(), Trace::hashed()));
        let [first, second] = runs.map(|verdict| (verdict.hash, verdict.tally));
        assert_eq!(first, second, "seed {seed}");
    }
    let hashes = (0..40).map(|seed| run(seed, &Setup::default(), Trace::hashed()).hash);
    assert_eq!(hashes.collect::<BTreeSet<_>>().len(), 40);
}

/// Replays the seed that `SIMULATION_SEED` names, and prints all that happens.
#[test]
fn replay() {
    let seed = number("SIMULATION_SEED").unwrap_or(0);
    let verdict = run(
        seed,
        &Setup::default(),
        Trace::read_by(|line| println!("{line}")),
    );
    let silent = run(seed, &Setup::default(), Trace::hashed());
    assert_eq!(verdict.hash, silent.hash, "being watched changes nothing");
    assert_eq!(verdict.violation, None);
}
