//! The cases and their runner.

mod apps;
mod cancel;
mod create;
mod deliveries;
mod logins;
mod races;
mod random;
mod redact;
mod redeliver;
mod round_trip;
mod signers;
mod steps;
mod verify;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use countersign_domain::app::store::AppStore;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::login::history::RiskHistory;
use futures_util::stream::{self, StreamExt};

use crate::check::{Checked, Failure};
use crate::stores::Stores;

pub use apps::against_model as apps_against_model;
pub use logins::against_model as logins_against_model;
pub use random::against_model;

/// The time after which a case counts as hung.
const CASE_TIMEOUT: Duration = Duration::from_mins(2);

/// The number of cases that run at once. Each waits for its store's disk most of the time.
const AT_ONCE: usize = 8;

/// A case under way.
pub type Running = Pin<Box<dyn Future<Output = Checked> + Send>>;

/// A case that every implementation must pass.
pub struct Case<P: ?Sized> {
    /// The name that it is reported by.
    pub name: &'static str,
    /// Runs the case on an implementation that holds nothing yet.
    pub run: fn(Arc<P>) -> Running,
}

/// The cases of confirmation stores.
#[must_use]
pub fn confirmation_cases() -> Vec<&'static Case<Stores>> {
    let groups = [
        create::CASES,
        verify::CASES,
        cancel::CASES,
        redact::CASES,
        redeliver::CASES,
        round_trip::CASES,
        races::CASES,
        random::CASES,
    ];
    groups.into_iter().flatten().collect()
}

/// The cases of app stores.
#[must_use]
pub fn app_cases() -> Vec<&'static Case<dyn AppStore>> {
    apps::cases().collect()
}

/// The cases of login stores.
#[must_use]
pub fn login_cases() -> Vec<&'static Case<Stores>> {
    logins::cases().collect()
}

/// The cases of delivery stores.
#[must_use]
pub fn delivery_cases() -> Vec<&'static Case<Stores>> {
    deliveries::cases().collect()
}

/// The cases of login histories.
#[must_use]
pub fn risk_history_cases() -> Vec<&'static Case<dyn RiskHistory>> {
    logins::history_cases().collect()
}

/// The cases of signers.
#[must_use]
pub fn signer_cases() -> Vec<&'static Case<dyn Signer>> {
    signers::CASES.iter().collect()
}

/// Runs every case of confirmation stores, each on stores of its own.
pub async fn confirmations<S: Into<Stores>>(make: impl AsyncFn() -> S) -> Report {
    run(confirmation_cases(), async || Arc::new(make().await.into())).await
}

/// Runs every case of delivery stores, each on stores of its own.
pub async fn deliveries<S: Into<Stores>>(make: impl AsyncFn() -> S) -> Report {
    run(delivery_cases(), async || Arc::new(make().await.into())).await
}

/// Runs every case of app stores, each on a store of its own.
pub async fn apps<S: AppStore + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(app_cases(), async || make().await as Arc<dyn AppStore>).await
}

/// Runs every case of login stores, each on stores of its own.
pub async fn logins<S: Into<Stores>>(make: impl AsyncFn() -> S) -> Report {
    run(login_cases(), async || Arc::new(make().await.into())).await
}

/// Runs every case of login histories, each on one of its own.
pub async fn risk_histories<S: RiskHistory + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(risk_history_cases(), async || {
        make().await as Arc<dyn RiskHistory>
    })
    .await
}

/// Runs every case of signers.
pub async fn signers<S: Signer + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(signer_cases(), async || make().await as Arc<dyn Signer>).await
}

/// Runs cases, each on a port that `make` makes for it.
pub async fn run<P: ?Sized + Send + Sync + 'static>(
    cases: Vec<&'static Case<P>>,
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

/// Runs a case. One that panics or hangs has failed.
async fn run_one<P: ?Sized>(case: &Case<P>, port: Arc<P>) -> Checked {
    let running = tokio::spawn((case.run)(port));
    let stop = running.abort_handle();
    match tokio::time::timeout(CASE_TIMEOUT, running).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(panic)) => Err(Failure::new(format_args!("it panicked: {panic}"))),
        Err(_) => {
            stop.abort();
            Err(Failure::new("it did not come to an end"))
        }
    }
}

/// The outcomes of cases, in their order.
#[derive(Clone, Debug)]
pub struct Report {
    /// The name and the outcome of each case.
    pub outcomes: Vec<(&'static str, Checked)>,
}

impl Report {
    /// The cases that failed, by name.
    pub fn failed(&self) -> impl Iterator<Item = (&'static str, &Failure)> {
        let outcomes = self.outcomes.iter();
        outcomes.filter_map(|(name, outcome)| Some((*name, outcome.as_ref().err()?)))
    }

    /// Panics with every failure.
    ///
    /// # Panics
    /// If a case failed, or if there was none.
    #[track_caller]
    pub fn assert_passed(&self) {
        assert!(!self.outcomes.is_empty(), "there were no cases");
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
