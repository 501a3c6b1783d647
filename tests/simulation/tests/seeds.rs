//! Runs two thousand seeds, or the number in `SIMULATION_SEEDS`: the weekly workflow runs more. `SIMULATION_SEED`
//! replays a single seed line by line.

use std::collections::BTreeSet;
use std::env;
use std::num::NonZero;
use std::thread;

use countersign_domain::event::Event;
use countersign_simulation::env::Tally;
use countersign_simulation::{Trace, Verdict, run};

/// Number of seeds that run by default.
const SEEDS: u64 = 2_000;

/// Faults outside the use cases. The runs must contain every one of them.
const FAULTS: [&str; 51] = [
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
    "connection gone",
    "phone died",
    "login is created",
    "login is scanned",
    "login is confirmed",
    "login is consumed",
    "login is denied",
    "login is blocked",
    "login is expired",
    "login is cancelled",
    "login never opened",
    "login never decided",
    "login never redeemed",
    "login: payload",
    "login: another receipt",
    "login: another body",
    "login: created again after its end",
    "login: ended",
    "login: expired",
    "login: forbidden",
    "login: not found",
    "login: second phone",
    "login: taken",
    "login: unsuitable",
    "login: proof required",
    "login: proof invalid",
    "login: proof mismatch",
    "login verified",
    "key: registered",
    "key: signature missing",
    "key: signature false",
    "key: owned by another",
    "key: was revoked",
    "key: revoked",
    "key: unknown",
    "key: listed",
];

/// Counted events that these runs cannot reach: a provider's signature is checked before the use cases, the
/// queue has room for everything, the clock is not guarded, and no client exceeds a quota or a limit. The tests
/// of the embedded store and the end-to-end tests cover those.
const UNREACHED: [&str; 16] = [
    // The app of a run requires no check codes.
    "qr_check_code_blocked",
    "qr_check_code_wrong",
    "inbound_refused",
    // The provider of a run only sends complete texts.
    "inbound_ignored",
    "text_part_kept",
    "left_to_sweep",
    "clock_ahead",
    "store_damaged",
    "rate_exceeded",
    "open_exceeded",
    "lists_exceeded",
    // The pages of a run are allowed to open logins.
    "qr_page_refused",
    "qr_miss_limited",
    "qr_opening_limited",
    "qr_rate_exceeded",
    "qr_open_exceeded",
];

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

fn replay_of(seed: u64) -> String {
    format!("SIMULATION_SEED={seed} cargo test -p countersign-simulation replay -- --nocapture")
}

/// Runs every `of`-th seed from `first` up to `count`, until one fails.
fn run_some(first: u64, of: usize, count: u64) -> Result<Tally, Box<Verdict>> {
    let mut total = Tally::new();
    for seed in (first..count).step_by(of) {
        let mut verdict = run(seed, Trace::hashed());
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

/// Asserts that every fault and every event that the use cases count has happened.
fn everything_happened(total: &Tally) {
    let seen: BTreeSet<&str> = total.keys().copied().collect();
    let mut expected: BTreeSet<&str> = Event::names().chain(FAULTS).collect();
    for event in UNREACHED {
        expected.remove(event);
    }
    let missed: Vec<_> = expected.difference(&seen).collect();
    assert!(missed.is_empty(), "never happened: {missed:?}");
}

#[test]
fn same_seed_gives_the_same_run() {
    for seed in 0..40 {
        let runs = [(); 2].map(|()| run(seed, Trace::hashed()));
        let [first, second] = runs.map(|verdict| (verdict.hash, verdict.tally));
        assert_eq!(first, second, "seed {seed}");
    }
    let hashes = (0..40).map(|seed| run(seed, Trace::hashed()).hash);
    assert_eq!(hashes.collect::<BTreeSet<_>>().len(), 40);
}

/// Replays the seed in `SIMULATION_SEED`, and prints everything that happens.
#[test]
fn replay() {
    let seed = number("SIMULATION_SEED").unwrap_or(0);
    let verdict = run(seed, Trace::read_by(|line| println!("{line}")));
    let silent = run(seed, Trace::hashed());
    assert_eq!(
        verdict.hash, silent.hash,
        "reading the trace changes the run"
    );
    assert_eq!(verdict.violation, None);
}
