//! The cases, and how they are run.

mod apps;
mod cancel;
mod claim;
mod create;
mod due;
mod logins;
mod postpone;
mod races;
mod random;
mod redact;
mod redeliver;
mod round_trip;
mod settle;
mod signers;
mod steps;
mod verify;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use countersign_domain::app::store::AppStore;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::login::history::RiskHistory;
use countersign_domain::login::store::LoginStore;
use futures_util::stream::{self, StreamExt};

use crate::check::{Checked, Failure};

pub use apps::against_model as apps_against_model;
pub use logins::against_model as logins_against_model;
pub use random::against_model;

/// How long a case may take before it counts as hung.
const LONGEST: Duration = Duration::from_mins(2);

/// How many cases run at once. Each waits for its store's disk most of the time.
const AT_ONCE: usize = 8;

/// A case under way.
pub type Running = Pin<Box<dyn Future<Output = Checked> + Send>>;

/// Something that an implementation must do.
pub struct Case<P: ?Sized> {
    /// By which it is reported.
    pub name: &'static str,
    /// Tries it on an implementation that nobody used before.
    pub run: fn(Arc<P>) -> Running,
}

/// Everything that a confirmation store must do.
#[must_use]
pub fn confirmation_cases() -> Vec<&'static Case<dyn ConfirmationStore>> {
    let groups = [
        create::CASES,
        verify::CASES,
        cancel::CASES,
        redact::CASES,
        redeliver::CASES,
        claim::CASES,
        settle::CASES,
        due::CASES,
        postpone::CASES,
        round_trip::CASES,
        races::CASES,
        random::CASES,
    ];
    groups.into_iter().flatten().collect()
}

/// Everything that an app store must do.
#[must_use]
pub fn app_cases() -> Vec<&'static Case<dyn AppStore>> {
    apps::cases().collect()
}

/// Everything that a store of QR sessions must do.
#[must_use]
pub fn login_cases() -> Vec<&'static Case<dyn LoginStore>> {
    logins::cases().collect()
}

/// Everything that a history of logins must do.
#[must_use]
pub fn risk_history_cases() -> Vec<&'static Case<dyn RiskHistory>> {
    logins::history_cases().collect()
}

/// Everything that a signer must do.
#[must_use]
pub fn signer_cases() -> Vec<&'static Case<dyn Signer>> {
    signers::CASES.iter().collect()
}

/// Runs every case of a confirmation store, each on a store of its own.
pub async fn confirmations<S: ConfirmationStore + 'static>(
    make: impl AsyncFn() -> Arc<S>,
) -> Report {
    run(confirmation_cases(), async || {
        make().await as Arc<dyn ConfirmationStore>
    })
    .await
}

/// Runs every case of an app store, each on a store of its own.
pub async fn apps<S: AppStore + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(app_cases(), async || make().await as Arc<dyn AppStore>).await
}

/// Runs every case of a store of QR sessions, each on a store of its own.
pub async fn logins<S: LoginStore + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(login_cases(), async || make().await as Arc<dyn LoginStore>).await
}

/// Runs every case of a history of logins, each on one of its own.
pub async fn risk_histories<S: RiskHistory + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(risk_history_cases(), async || {
        make().await as Arc<dyn RiskHistory>
    })
    .await
}

/// Runs every case of a signer.
pub async fn signers<S: Signer + 'static>(make: impl AsyncFn() -> Arc<S>) -> Report {
    run(signer_cases(), async || make().await as Arc<dyn Signer>).await
}

/// Runs cases, each on what `make` gives it.
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

/// Runs a case; one that panics or hangs has failed.
async fn run_one<P: ?Sized>(case: &Case<P>, port: Arc<P>) -> Checked {
    let running = tokio::spawn((case.run)(port));
    let stop = running.abort_handle();
    match tokio::time::timeout(LONGEST, running).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(panic)) => Err(Failure::new(format_args!("it panicked: {panic}"))),
        Err(_) => {
            stop.abort();
            Err(Failure::new("it did not come to an end"))
        }
    }
}

/// What the cases came to, in their order.
#[derive(Clone, Debug)]
pub struct Report {
    /// Each case's name with its outcome.
    pub outcomes: Vec<(&'static str, Checked)>,
}

impl Report {
    /// The cases that failed, by name.
    pub fn failed(&self) -> impl Iterator<Item = (&'static str, &Failure)> {
        let outcomes = self.outcomes.iter();
        outcomes.filter_map(|(name, outcome)| Some((*name, outcome.as_ref().err()?)))
    }

    /// Tells every failure.
    ///
    /// # Panics
    /// Where a case failed, or where there was none.
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
