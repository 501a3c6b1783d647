//! The suite catches faults: each implementation here has one fault, and the case that is meant to
//! catch it fails.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod apps;
mod association_keys;
mod confirmations;
mod deliveries;
mod logins;
mod signers;
mod texts;

use countersign_conformance::suite::{Case, Report};

/// Returns the only case whose name starts with `beginning`.
fn named<P: ?Sized>(
    cases: impl IntoIterator<Item = &'static Case<P>>,
    beginning: &str,
) -> &'static Case<P> {
    let mut found = cases
        .into_iter()
        .filter(|case| case.name.starts_with(beginning));
    let case = found.next().expect("a case with this name");
    assert!(
        found.next().is_none(),
        "several cases start with {beginning:?}"
    );
    case
}

/// Checks that the only case of the report failed, which means that it caught the fault.
fn caught(fault: &dyn std::fmt::Debug, report: &Report) -> Result<(), String> {
    match report.failed().next() {
        Some(_) => Ok(()),
        None => Err(format!(
            "{fault:?} was not caught by {:?}",
            report.outcomes[0].0
        )),
    }
}
