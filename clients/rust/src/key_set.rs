//! The service's published keys, which sign its webhooks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::HeaderMap;
use p256::ecdsa::VerifyingKey;
use serde_json::Value;

use crate::error::{Error, KeysUnavailable};
use crate::identity::{POINT, from_base64url};
use crate::request::{Members, Repeat, Request, check_answer, text_of};
use crate::retry::Limits;
use crate::service::Service;

const MAX_AGE: Duration = Duration::from_mins(5);
/// The service waits ten seconds for the answer to a webhook.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for which keys stay usable while newer ones cannot be fetched.
const MAX_STALE_AGE: Duration = Duration::from_hours(24);

/// Keys by id. `None` is an unreadable key.
type Keys = HashMap<String, Option<VerifyingKey>>;

/// The service's published keys, kept as long as it allows, and longer while it cannot be reached.
pub(crate) struct KeySet {
    service: Arc<Service>,
    /// Minimum interval between two fetches.
    refetch: Duration,
    state: Mutex<State>,
    /// Held during a fetch, so that concurrent callers share it.
    fetching: tokio::sync::Mutex<()>,
}

/// Times are from the monotonic clock.
#[derive(Default)]
struct State {
    keys: Keys,
    fresh_until: Option<Duration>,
    usable_until: Option<Duration>,
    tried_at: Option<Duration>,
    loads: u64,
}

impl KeySet {
    pub(crate) fn new(service: Arc<Service>, refetch: Duration) -> Self {
        Self {
            service,
            refetch,
            state: Mutex::default(),
            fetching: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the key, or `None` if the service has no such key.
    pub(crate) async fn find(
        self: &Arc<Self>,
        kid: &str,
    ) -> Result<Option<VerifyingKey>, KeysUnavailable> {
        if let Some(key) = self.known(kid, |state| state.fresh_until) {
            return Ok(Some(key));
        }
        if let Err(error) = self.refresh().await {
            let stale = self.known(kid, |state| state.usable_until);
            return stale.map(Some).ok_or(error);
        }
        match self.state().keys.get(kid) {
            // This is not treated as a forgery: the service sends the webhook again, and may have published a readable key by
            // then.
            Some(None) => Err(KeysUnavailable::because("the published key cannot be read")),
            Some(Some(key)) => Ok(Some(*key)),
            None => Ok(None),
        }
    }

    /// Returns the service's time in seconds since 1970. Fetches the keys first if no answer has
    /// provided the time yet.
    pub(crate) async fn time(self: &Arc<Self>) -> f64 {
        if !self.service.clock.is_known()
            && let Err(error) = self.refresh().await
        {
            // Some servers are not allowed outgoing connections. Such servers only have their own
            // clock.
            tracing::warn!(target: "countersign", %error, "the service's time is not known");
        }
        self.service.clock.now()
    }

    /// Fetches the keys once for all concurrent callers. The fetch continues if a caller is
    /// dropped.
    async fn refresh(self: &Arc<Self>) -> Result<(), KeysUnavailable> {
        let (keys, seen) = (Arc::clone(self), self.state().loads);
        let task = tokio::spawn(async move { keys.fetch(seen).await });
        task.await.unwrap_or_else(|_| {
            Err(KeysUnavailable::because(
                "the fetch of the keys was stopped",
            ))
        })
    }

    async fn fetch(&self, seen: u64) -> Result<(), KeysUnavailable> {
        let _guard = self.fetching.lock().await;
        let now = (self.service.world.monotonic)();
        {
            let mut state = self.state();
            // Another task may have fetched them in the meantime.
            if state.loads != seen {
                return Ok(());
            }
            // Strangers can send us invented key ids, so not every unknown id causes a request.
            if state
                .tried_at
                .is_some_and(|at| now.saturating_sub(at) < self.refetch)
            {
                return Err(KeysUnavailable::because(
                    "the published keys were fetched a moment ago",
                ));
            }
            state.tried_at = Some(now);
        }
        let mut request = Request::get("/.well-known/jwks.json".to_owned());
        request.repeat = Repeat::Never;
        let limits = Limits {
            timeout: FETCH_TIMEOUT.min(self.service.limits.timeout),
            max_retries: 0,
        };
        let outcome = self
            .service
            .exchange(request, limits)
            .await
            .map_err(KeysUnavailable::new)?;
        let max_age = outcome
            .as_ref()
            .map_or(MAX_AGE, |answer| max_age(&answer.headers));
        let answer = check_answer(outcome, &self.service.transport.address, false);
        let keys = answer
            .and_then(|members| keys_of(&members))
            .map_err(KeysUnavailable::new)?;
        let mut state = self.state();
        // Before the next fetch is allowed, there cannot be newer keys.
        let fresh_until = now + max_age.max(self.refetch);
        state.keys = keys;
        state.fresh_until = Some(fresh_until);
        state.usable_until = Some(fresh_until.max(now + MAX_STALE_AGE));
        state.loads += 1;
        Ok(())
    }

    fn known(&self, kid: &str, until: fn(&State) -> Option<Duration>) -> Option<VerifyingKey> {
        let state = self.state();
        let now = (self.service.world.monotonic)();
        let is_valid = until(&state).is_some_and(|until| now < until);
        state.keys.get(kid).copied().flatten().filter(|_| is_valid)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the keys of the type that signs webhooks. An unreadable key does not affect the others.
fn keys_of(document: &Members) -> Result<Keys, Error> {
    let Some(Value::Array(jwks)) = document.get("keys") else {
        return Err(Error::lacking("keys"));
    };
    let mut keys = Keys::new();
    for jwk in jwks {
        let text = |name: &str| jwk.get(name).and_then(Value::as_str);
        let is_p256 = text("kty") == Some("EC") && text("crv") == Some("P-256");
        let Some(kid) = text("kid").filter(|_| is_p256) else {
            continue;
        };
        match text("x").zip(text("y")).and_then(|(x, y)| key_of(x, y)) {
            Some(key) => _ = keys.insert(kid.to_owned(), Some(key)),
            None => _ = keys.entry(kid.to_owned()).or_insert(None),
        }
    }
    Ok(keys)
}

fn key_of(x: &str, y: &str) -> Option<VerifyingKey> {
    let (x, y) = (from_base64url(x)?, from_base64url(y)?);
    let mut point = [0; POINT];
    point[0] = 4;
    point.get_mut(1..33)?.copy_from_slice(x.as_array::<32>()?);
    point.get_mut(33..)?.copy_from_slice(y.as_array::<32>()?);
    VerifyingKey::from_sec1_bytes(&point).ok()
}

fn max_age(headers: &HeaderMap) -> Duration {
    let directives = text_of(headers, "cache-control")
        .unwrap_or_default()
        .split(',');
    let mut ages = directives.filter_map(|directive| directive.trim().strip_prefix("max-age="));
    let age = ages.next().and_then(|age| age.parse::<u32>().ok());
    age.map_or(MAX_AGE, |seconds| Duration::from_secs(seconds.into()))
}
