//! The suite bites: each of these implementations is the model with one fault, and the case that is
//! there for that fault fails.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod apps;
mod confirmations;
mod deliveries;
mod logins;
mod signers;

use countersign_conformance::suite::{Case, Report};

/// Returns the only case whose name begins so.
fn named<P: ?Sized>(
    cases: impl IntoIterator<Item = &'static Case<P>>,
    beginning: &str,
) -> &'static Case<P> {
    let mut found = cases
        .into_iter()
        .filter(|case| case.name.starts_with(beginning));
    let case = found.next().expect("a case with that name");
    assert!(found.next().is_none(), "{beginning:?} names more than one");
    case
}

/// Expects the case to have failed.
fn caught(fault: &dyn std::fmt::Debug, report: &Report) -> Result<(), String> {
    match report.failed().next() {
        Some(_) => Ok(()),
        None => Err(format!("{fault:?} got past {:?}", report.outcomes[0].0)),
    }
}
