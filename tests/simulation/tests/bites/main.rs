//! The simulation bites: with one condition off the store, or one step out of the dispatcher, a
//! promise is broken within a few seeds. All but the fault is what passes ten thousand seeds.

mod broken;
mod dispatchers;
mod stores;

use std::sync::Arc;

use countersign_simulation::oracle::Promise;
use countersign_simulation::{Setup, Trace, run};

use broken::Broken;
use dispatchers::{AnotherBody, NotPosted, NotSigned};
use stores::{FAULTS, Fault};

/// Runs seeds until a promise is broken that ought to be, and answers how many that took.
fn caught(name: &str, setup: &Setup, promises: &[Promise], within: u64) -> Result<u64, String> {
    for seed in 0..within {
        if let Some(violation) = run(seed, setup, Trace::hashed()).violation {
            if promises.contains(&violation.promise) {
                println!("{name}: seed {seed}: {:?}", violation.promise);
                return Ok(seed + 1);
            }
            return Err(format!("{name}: seed {seed}: unexpected: {violation}"));
        }
    }
    Err(format!("{name} got past {within} seeds"))
}

fn all_caught(results: impl IntoIterator<Item = Result<u64, String>>) {
    let missed: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn a_store_without_one_condition_is_caught() {
    all_caught(FAULTS.iter().map(|(fault, promises, within)| {
        let fault = *fault;
        let setup = Setup {
            store: Arc::new(move |model| Arc::new(Broken { model, fault })),
            ..Setup::default()
        };
        caught(&format!("{fault:?}"), &setup, promises, *within)
    }));
}

#[test]
fn a_dispatcher_without_one_step_is_caught() {
    let not_signed = Setup {
        signer: Arc::new(|signer| Arc::new(NotSigned(signer))),
        ..Setup::default()
    };
    let not_posted = Setup {
        sender: Arc::new(|_| Arc::new(NotPosted)),
        ..Setup::default()
    };
    let another_body = Setup {
        sender: Arc::new(|sender| Arc::new(AnotherBody(sender))),
        ..Setup::default()
    };
    all_caught([
        caught("signs nothing", &not_signed, &[Promise::Signed], 20),
        caught("posts nothing", &not_posted, &[Promise::RecordTrue], 20),
        caught(
            "makes a new body",
            &another_body,
            &[Promise::OneIdOneBody],
            20,
        ),
    ]);
}

#[test]
fn without_a_fault_the_same_seeds_pass() {
    let setup = Setup {
        store: Arc::new(|model| {
            Arc::new(Broken {
                model,
                fault: Fault::Nothing,
            })
        }),
        ..Setup::default()
    };
    for seed in 0..50 {
        let violation = run(seed, &setup, Trace::hashed()).violation;
        assert_eq!(violation, None, "seed {seed}");
    }
}
