//! The suite bites: each of these implementations has one fault, and the case that is there for it
//! fails. All but the fault is the model, which passes.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod apps;
mod confirmations;
mod logins;
mod signers;

use countersign_conformance::suite::{Case, Report};

/// The one case whose name begins so.
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

/// That the case failed.
fn caught(fault: &dyn std::fmt::Debug, report: &Report) -> Result<(), String> {
    match report.failed().next() {
        Some(_) => Ok(()),
        None => Err(format!("{fault:?} got past {:?}", report.outcomes[0].0)),
    }
}
