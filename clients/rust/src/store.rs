//! Stores: the ids that this service knows, and those that it has acted on. Each id is acted on
//! once.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::{BoxFuture, FutureExt as _};
use thiserror::Error;

use crate::error::{BoxError, Error};

/// The service retries a webhook for a day, and on request for a week.
pub(crate) const WEBHOOK_TTL: Duration = Duration::from_hours(8 * 24);
/// No proof is valid for longer.
pub(crate) const LOGIN_TTL: Duration = Duration::from_mins(10);

/// The result of asking a store to accept an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acceptance {
    /// The id was pending, and its act has succeeded.
    Accepted,
    /// An earlier act already succeeded.
    Repeated,
    /// The store does not have the id.
    Unknown,
}

/// Remembers what this service started, so that it acts only once on each webhook and each login.
///
/// Ids are texts of at most 64 characters: of confirmations (`cfm_…`), of logins (`qrs_…`, `qrp_…`), of approvals
/// (`apr_…`), of phone registrations (`phr_…`), and of webhooks about logins (`webhook:qrs_…`).
///
/// A store in SQL awaits the act inside its transaction. To have callbacks write through the same connection, put
/// it into a [task-local](https://docs.rs/tokio/latest/tokio/macro.task_local.html) variable around the act.
#[async_trait]
pub trait Store: Send + Sync {
    /// If the id is unknown, awaits `act`; if that succeeds, stores the id as pending and returns true.
    ///
    /// If `act` fails, the id stays unknown and the error is returned. Returns false if the id is already
    /// known. The store may forget the id after `ttl`.
    ///
    /// # Errors
    ///
    /// Fails if `act` does, or if the id cannot be stored.
    async fn remember(&self, id: &str, ttl: Duration, act: Act<'_>) -> Result<bool, BoxError>;

    /// Awaits `act` if the id is pending, and marks the id as accepted if `act` succeeded.
    ///
    /// If `act` fails, the id stays pending and the error is returned. Of concurrent calls for the same id, one
    /// awaits `act` and the others wait for it.
    ///
    /// # Errors
    ///
    /// Fails if `act` does, or if the id cannot be read or marked.
    async fn accept(&self, id: &str, act: Act<'_>) -> Result<Acceptance, BoxError>;
}

/// The library user's callback, which a store awaits.
#[must_use = "a store has to await its act"]
pub struct Act<'a>(BoxFuture<'a, Result<(), ActFailed>>);

/// The error of an act. The caller gets the callback's own error; a store only has to roll back its
/// transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the act failed")]
pub struct ActFailed;

impl<'a> Act<'a> {
    /// Creates an act, for tests of a store.
    pub fn new<E>(act: impl Future<Output = Result<(), E>> + Send + 'a) -> Self {
        Self(act.map(|result| result.map_err(|_| ActFailed)).boxed())
    }
}

impl Future for Act<'_> {
    type Output = Result<(), ActFailed>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(context)
    }
}

impl fmt::Debug for Act<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Act(…)")
    }
}

/// Returns the id of the webhook about a login. It differs from the login's own id, which the webhook
/// must not use up.
pub(crate) fn login_webhook_id(session_id: &str) -> String {
    format!("webhook:{session_id}")
}

/// Makes a store remember an id, and act in the same transaction if the id is new.
pub(crate) async fn remember(
    store: &dyn Store,
    id: &str,
    ttl: Duration,
    act: impl Future<Output = Result<(), BoxError>> + Send,
) -> Result<(), Error> {
    let (act, outcome) = watched(act);
    let is_new = store.remember(id, ttl, act).await;
    outcome.check(is_new, |is_new| *is_new).map(|_| ())
}

/// Makes a store act on a pending id.
pub(crate) async fn accept(
    store: &dyn Store,
    id: &str,
    act: impl Future<Output = Result<(), BoxError>> + Send,
) -> Result<Acceptance, Error> {
    let (act, outcome) = watched(act);
    let acceptance = store.accept(id, act).await;
    outcome.check(acceptance, |acceptance| *acceptance == Acceptance::Accepted)
}

/// The outcome of an act; `None` until it has finished.
struct Watched(Arc<Mutex<Option<Result<(), BoxError>>>>);

fn watched<'a>(act: impl Future<Output = Result<(), BoxError>> + Send + 'a) -> (Act<'a>, Watched) {
    let outcome = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&outcome);
    let act = async move {
        let result = act.await;
        let ended = result.as_ref().copied().map_err(|_| ActFailed);
        *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        ended
    };
    (Act(act.boxed()), Watched(outcome))
}

impl Watched {
    /// Returns the store's answer. A store that reports having acted must have awaited the act.
    fn check<T>(self, answer: Result<T, BoxError>, has_acted: fn(&T) -> bool) -> Result<T, Error> {
        let outcome = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (outcome, answer) {
            (Some(Err(error)), _) => Err(Error::Callback(error)),
            (_, Err(error)) => Err(Error::Store(error)),
            (None, Ok(answer)) if has_acted(&answer) => Err(Error::Store(
                "it said that it has acted on an id, but has not awaited the act".into(),
            )),
            (_, Ok(answer)) => Ok(answer),
        }
    }
}
