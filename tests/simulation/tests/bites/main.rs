//! Proves that the simulation bites: if the store lacks one condition or the dispatcher one step, a promise
//! is broken within a few seeds. Everything but the fault is the same as in the runs that must pass.

mod association_keys;
mod broken;
mod broken_logins;
mod dispatchers;
mod logins;
mod proofs;
mod stores;

use std::sync::Arc;

use countersign_conformance::model::ModelStore;
use countersign_conformance::stores::Stores;
use countersign_simulation::executor::Sim;
use countersign_simulation::oracle::Promise;
use countersign_simulation::run::Make;
use countersign_simulation::{Setup, Trace, run};

use broken::Broken;
use broken_logins::BrokenLogins;
use dispatchers::{AnotherBody, HidesTheVerifiedUser, NotPosted, NotSigned};
use stores::{FAULTS, Fault};

/// The model with a fault.
fn broken(fault: Fault) -> Make<(Arc<ModelStore>, Sim), Stores> {
    Arc::new(move |(model, sim)| Arc::new(Broken::stores(model, sim, fault)))
}

/// Runs seeds until one of these promises is broken, and returns which one and how many seeds it took. Fails
/// if another promise is broken first, or none.
fn caught(name: &str, setup: &Setup, promises: &[Promise], within: u64) -> Result<String, String> {
    for seed in 0..within {
        if let Some(violation) = run(seed, setup, Trace::hashed()).violation {
            if promises.contains(&violation.promise) {
                let number = seed + 1;
                return Ok(format!(
                    "{name}: seed number {number}: {:?}",
                    violation.promise
                ));
            }
            return Err(format!("{name}: seed {seed}: unexpected: {violation}"));
        }
    }
    Err(format!("{name} got past {within} seeds"))
}

/// Returns what was caught, and fails if anything was not.
fn all(found: impl Iterator<Item = Result<String, String>>) -> String {
    let (found, missed): (Vec<_>, Vec<_>) = found.partition(Result::is_ok);
    assert!(missed.is_empty(), "{missed:#?}");
    let found: Vec<String> = found.into_iter().flatten().collect();
    found.join("\n")
}

#[test]
fn store_without_one_condition_is_caught() {
    let found = FAULTS.iter().map(|(fault, promises, within)| {
        let setup = Setup {
            stores: broken(*fault),
            ..Setup::default()
        };
        caught(&format!("{fault:?}"), &setup, promises, *within)
    });
    println!("{}", all(found));
}

#[test]
fn store_of_logins_without_one_condition_is_caught() {
    let found = logins::FAULTS.iter().map(|(fault, promises, within)| {
        let setup = Setup {
            stores: Arc::new(|(model, _)| Arc::new(BrokenLogins::stores(&model, *fault))),
            ..Setup::default()
        };
        caught(&format!("{fault:?}"), &setup, promises, *within)
    });
    println!("{}", all(found));
}

#[test]
fn store_of_association_keys_without_one_condition_is_caught() {
    let found = association_keys::FAULTS
        .iter()
        .map(|(fault, promises, within)| {
            let setup = Setup {
                association_keys: Arc::new(|(model, sim)| {
                    Arc::new(association_keys::Broken::new(&model, sim, *fault))
                }),
                ..Setup::default()
            };
            caught(&format!("{fault:?}"), &setup, promises, *within)
        });
    println!("{}", all(found));
}

#[test]
fn verifier_of_proofs_without_one_step_is_caught() {
    let found = proofs::FAULTS.iter().map(|(fault, promises, within)| {
        let setup = Setup {
            proofs: Arc::new(proofs::Broken(*fault)),
            ..Setup::default()
        };
        caught(&format!("{fault:?}"), &setup, promises, *within)
    });
    println!("{}", all(found));
}

#[test]
fn dispatcher_without_one_step_is_caught() {
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
    let nobody_verified = Setup {
        sender: Arc::new(|sender| Arc::new(HidesTheVerifiedUser(sender))),
        ..Setup::default()
    };
    for (name, setup, promise, within) in [
        ("signs nothing", not_signed, Promise::Signed, 20),
        ("posts nothing", not_posted, Promise::RecordTrue, 20),
        ("makes a new body", another_body, Promise::OneIdOneBody, 20),
        (
            "hides the verified user",
            nobody_verified,
            Promise::OneIdOneBody,
            200,
        ),
    ] {
        println!("{}", caught(name, &setup, &[promise], within).unwrap());
    }
}

#[test]
fn seeds_pass_without_a_fault() {
    let setup = Setup {
        stores: broken(Fault::Nothing),
        ..Setup::default()
    };
    for seed in 0..50 {
        let violation = run(seed, &setup, Trace::hashed()).violation;
        assert_eq!(violation, None, "seed {seed}");
    }
}
