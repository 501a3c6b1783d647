//! Proves that the simulation bites: if documents are not kept as they must be, or the dispatcher lacks one
//! step, a promise is broken within a few seeds. Everything but the fault is the same as in the runs that must pass.

mod dispatchers;
mod items;
mod proofs;

use std::sync::Arc;

use countersign_simulation::oracle::Promise;
use countersign_simulation::{Setup, Trace, run};

use dispatchers::{AnotherBody, HidesTheVerifiedUser, NotPosted, NotSigned};
use items::{BrokenItems, FAULTS, Fault};

/// Documents with a fault.
fn broken(fault: Fault) -> Setup {
    Setup {
        items: Arc::new(move |model| Arc::new(BrokenItems { model, fault })),
        ..Setup::default()
    }
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
fn documents_with_a_fault_are_caught() {
    let found = FAULTS.iter().map(|(fault, promises, within)| {
        caught(&format!("{fault:?}"), &broken(*fault), promises, *within)
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
    let unposted = &[Promise::RecordTrue, Promise::DecisionOwed];
    let rebuilt = &[Promise::OneIdOneBody];
    let cases: [(_, _, &[Promise], _); 4] = [
        ("signs nothing", not_signed, &[Promise::Signed], 20),
        ("posts nothing", not_posted, unposted, 20),
        ("makes a new body", another_body, rebuilt, 20),
        ("hides the verified user", nobody_verified, rebuilt, 200),
    ];
    for (name, setup, promises, within) in cases {
        println!("{}", caught(name, &setup, promises, within).unwrap());
    }
}

#[test]
fn seeds_pass_without_a_fault() {
    let setup = broken(Fault::Nothing);
    for seed in 0..50 {
        let violation = run(seed, &setup, Trace::hashed()).violation;
        assert_eq!(violation, None, "seed {seed}");
    }
}
