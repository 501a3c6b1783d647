//! The cases and their runner.

mod apps;
mod association_keys;
mod cancel;
mod carriers;
mod create;
mod deliveries;
mod logins;
mod misses;
mod races;
mod random;
mod redact;
mod redeliver;
mod round_trip;
mod signers;
mod steps;
mod texts;
mod verify;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use countersign_domain::app::store::AppStore;
use countersign_domain::confirmation::text::store::TextStore;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::login::association_key::store::AssociationKeyStore;
use countersign_domain::login::history::RiskHistory;
use futures_util::stream::{self, StreamExt};

use crate::check::{Checked, Failure};
use crate::stores::Stores;

pub use apps::against_model as apps_against_model;
pub use logins::against_model as logins_against_model;
pub use random::against_model;

/// The time after which a case counts as hung.
const CASE_TIMEOUT: Duration = Duration::from_mins(2);

/// The number of cases that run at once. Each spends most of its time waiting for its store's disk.
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

/// Returns the cases of confirmation stores.
#[must_use]
pub fn confirmation_cases() -> Vec<&'static Case<Stores>> {
    let groups = [
        create::CASES,
        verify::CASES,
        misses::CASES,
        carriers::CASES,
        cancel::CASES,
        redact::CASES,
        redeliver::CASES,
        round_trip::CASES,
        races::CASES,
        random::CASES,
    ];
    groups.into_iter().flatten().collect()
}

/// Returns the cases of app stores.
#[must_use]
pub fn app_cases() -> Vec<&'static Case<dyn AppStore>> {
    apps::cases().collect()
}

/// Returns the cases of login stores.
#[must_use]
pub fn login_cases() -> Vec<&'static Case<Stores>> {
    logins::cases().collect()
}

/// Returns the cases of delivery stores.
#[must_use]
pub fn delivery_cases() -> Vec<&'static Case<Stores>> {
    deliveries::cases().collect()
}

/// Returns the cases of login histories.
#[must_use]
pub fn risk_history_cases() -> Vec<&'static Case<dyn RiskHistory>> {
    logins::history_cases().collect()
}

/// Returns the cases of stores of association keys.
#[must_use]
pub fn association_key_cases() -> Vec<&'static Case<dyn AssociationKeyStore>> {
    association_keys::cases().collect()
}

/// Returns the cases of stores of nonces and of parts of texts.
#[must_use]
pub fn text_cases() -> Vec<&'static Case<dyn TextStore>> {
    texts::CASES.iter().collect()
}

/// Returns the cases of signers.
#[must_use]
pub fn signer_cases() -> Vec<&'static Case<dyn Signer>> {
    signers::CASES.iter().collect()
}

/// Runs every case of confirmation stores, each on its own stores.
pub async fn confirmations<S: Into<Stores>>(make: impl AsyncFn() -> S) -> Report {
    run(confirmation_cases(), async || Arc::new(make().await.into())).await
}

/// Runs every case of delivery stores, each on its own stores.
pub async fn deliveries<S: Into<Stores>>(make: impl AsyncFn() -> S) -> Report {
    run(delivery_cases(), async || Arc::new(make().await.into())).await
}

/// Runs every case of app stores, each on its own store.
pub async fn apps<S: AppStore + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(app_cases(), async || make().await as Arc<dyn AppStore>).await
}

/// Runs every case of login stores, each on its own stores.
pub async fn logins<S: Into<Stores>>(make: impl AsyncFn() -> S) -> Report {
    run(login_cases(), async || Arc::new(make().await.into())).await
}

/// Runs every case of login histories, each on its own history.
pub async fn risk_histories<S: RiskHistory + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(risk_history_cases(), async || {
        make().await as Arc<dyn RiskHistory>
    })
    .await
}

/// Runs every case of stores of association keys, each on its own store.
pub async fn association_keys<S>(make: impl AsyncFn() -> Arc<S>) -> Report
where
    S: AssociationKeyStore + 'static,
{
    let make = async || make().await as Arc<dyn AssociationKeyStore>;
    run(association_key_cases(), make).await
}

/// Runs every case of stores of nonces and of parts of texts, each on its own store.
pub async fn texts<S: TextStore + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(text_cases(), async || make().await as Arc<dyn TextStore>).await
}

/// Runs every case of signers, each on its own signer.
pub async fn signers<S: Signer + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(signer_cases(), async || make().await as Arc<dyn Signer>).await
}

/// Runs each case on an implementation that `make` creates for it.
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
    /// If a case failed, or if no case ran. The message lists every failure.
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
