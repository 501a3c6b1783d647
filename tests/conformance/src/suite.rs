//! The cases and their runner.

mod apps;
mod association_keys;
mod history;
mod items;
mod phone_registrations;
mod races;
mod searches;
mod signers;
mod texts;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use countersign_domain::delivery::signing::Signer;
use countersign_domain::store::{Items, Store};
use futures_util::stream::{self, StreamExt};

use crate::check::{Checked, Failure};
use crate::indexed::{DueIndexedItems, PendingIndexedItems};

/// The time after which a case is considered hung.
const CASE_TIMEOUT: Duration = Duration::from_mins(2);

/// The number of cases that run concurrently. Each case spends most of its time waiting for its store's
/// disk.
const AT_ONCE: usize = 8;

/// A running case.
pub type Running = Pin<Box<dyn Future<Output = Checked> + Send>>;

/// A case that every implementation must pass.
pub struct Case<P: ?Sized> {
    /// The name of the case in reports.
    pub name: &'static str,
    /// Runs the case on an empty implementation.
    pub run: fn(Arc<P>) -> Running,
}

/// Runs every case for document stores, each on its own documents.
pub async fn items<S: Items + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(items::CASES, async || make().await as Arc<dyn Items>).await
}

/// Runs every case for the due index of a sweep, each on its own documents.
pub async fn due_index<S: DueIndexedItems + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    let make = async || make().await as Arc<dyn DueIndexedItems>;
    run(items::due::CASES, make).await
}

/// Runs every case for the index of a queue, each on its own documents.
pub async fn owed_index<S: PendingIndexedItems + 'static>(
    make: impl AsyncFn() -> Arc<S>,
) -> Report {
    let make = async || make().await as Arc<dyn PendingIndexedItems>;
    run(items::pending::CASES, make).await
}

/// Runs every case for counting open documents, each on its own documents.
pub async fn open_items<S: Items + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(items::open::CASES, async || make().await as Arc<dyn Items>).await
}

/// Runs every case for the domain's store, each on its own store.
pub async fn store(make: impl AsyncFn() -> Arc<Store>) -> Report {
    let cases = apps::cases().chain(history::CASES);
    let cases = cases.chain(association_keys::cases()).chain(texts::CASES);
    let cases = cases.chain(searches::CASES);
    let cases = cases.chain(phone_registrations::CASES);
    run(cases, make).await
}

/// Runs every case for signers, each on its own signer.
pub async fn signers<S: Signer + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(signers::CASES, async || make().await as Arc<dyn Signer>).await
}

/// Runs each case on an implementation that `make` creates for it.
async fn run<P: ?Sized + Send + Sync + 'static>(
    cases: impl IntoIterator<Item = &'static Case<P>>,
    make: impl AsyncFn() -> Arc<P>,
) -> Report {
    let make = &make;
    let outcomes = stream::iter(cases)
        .map(|case| async move { (case.name, run_one(case, make().await).await) })
        .buffered(AT_ONCE)
        .collect()
        .await;
    Report { outcomes }
}

/// Runs one case. A case that panics or exceeds [`CASE_TIMEOUT`] fails.
async fn run_one<P: ?Sized>(case: &Case<P>, port: Arc<P>) -> Checked {
    let running = tokio::spawn((case.run)(port));
    let stop = running.abort_handle();
    match tokio::time::timeout(CASE_TIMEOUT, running).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(panic)) => Err(Failure::new(format_args!("panicked: {panic}"))),
        Err(_) => {
            stop.abort();
            Err(Failure::new(format_args!(
                "still running after {CASE_TIMEOUT:?}"
            )))
        }
    }
}

/// The outcomes of cases, in the order in which the cases were given.
#[derive(Clone, Debug)]
pub struct Report {
    /// The name and the outcome of each case.
    pub outcomes: Vec<(&'static str, Checked)>,
}

impl Report {
    /// Returns the name and the failure of each case that failed.
    pub fn failed(&self) -> impl Iterator<Item = (&'static str, &Failure)> {
        let outcomes = self.outcomes.iter();
        outcomes.filter_map(|(name, outcome)| Some((*name, outcome.as_ref().err()?)))
    }

    /// Asserts that every case passed.
    ///
    /// # Panics
    /// If a case failed, or if no case ran. The panic message lists every failure.
    #[track_caller]
    pub fn assert_passed(&self) {
        assert!(!self.outcomes.is_empty(), "no case ran");
        assert!(self.failed().next().is_none(), "{self}");
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (failed, all) = (self.failed().count(), self.outcomes.len());
        writeln!(f, "{failed} of {all} cases failed")?;
        for (name, failure) in self.failed() {
            writeln!(f, "- {name}\n    {failure}")?;
        }
        Ok(())
    }
}
