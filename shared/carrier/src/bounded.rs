//! Bounds on the time and the cost of lookups.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::confirmation::carrier::{CarrierLookup, CarrierName, LookupOutcome};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::phone::PhoneNumber;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

use crate::memory::{Answers, DailyCalls, NumberKey, Silence, UsedUp};
use crate::source::CarrierSource;

/// Default maximum number of calls that a process makes per day.
pub const DEFAULT_MAX_PER_DAY: u32 = 1000;

/// The answer to a call. Concurrent callers share it.
#[derive(Clone, Debug)]
enum CallResult {
    Named(CarrierName),
    Failed,
}

type Call = BoxFuture<'static, CallResult>;

/// The shortest wait after which an unanswered call counts as a sign that the provider is slow.
const FAIR_TIME: Duration = Duration::from_millis(400);

/// Looks up carriers within bounds: each lookup ends within its time, concurrent lookups of a number
/// share one call, answers are cached for [`ANSWER_TTL`](crate::ANSWER_TTL), a process makes a
/// limited number of calls per day, and after [`MAX_UNANSWERED`](crate::MAX_UNANSWERED) unanswered
/// calls it makes none for [`SILENCE_PAUSE`](crate::SILENCE_PAUSE).
///
/// Create one per process; clones share everything.
#[derive(Clone)]
pub struct BoundedLookup {
    source: Arc<dyn CarrierSource>,
    secret: [u8; 32],
    state: Arc<Mutex<State>>,
}

struct State {
    answers: Answers,
    calls: DailyCalls,
    silence: Silence,
    under_way: HashMap<NumberKey, WeakShared<Call>>,
}

impl BoundedLookup {
    /// Wraps a source in bounds. `entropy` generates the secret with which cached numbers are
    /// hashed.
    #[must_use]
    pub fn new(source: Arc<dyn CarrierSource>, max_per_day: u32, entropy: &dyn Entropy) -> Self {
        let mut secret = [0; 32];
        entropy.fill(&mut secret);
        Self {
            source,
            secret,
            state: Arc::new(Mutex::new(State {
                answers: Answers::default(),
                calls: DailyCalls::new(max_per_day),
                silence: Silence::default(),
                under_way: HashMap::new(),
            })),
        }
    }

    fn key(&self, number: &PhoneNumber) -> NumberKey {
        let digest = Sha256::new()
            .chain_update(self.secret)
            .chain_update(number.as_str())
            .finalize();
        let mut key = [0; 16];
        key.copy_from_slice(&digest[..16]);
        key
    }

    /// Begins a call that other lookups of the same number can share.
    fn begin(&self, key: NumberKey, number: PhoneNumber) -> Shared<Call> {
        let (source, state) = (Arc::clone(&self.source), Arc::clone(&self.state));
        let call = async move {
            let answer = match source.ask(&number).await {
                Ok(name) => CallResult::Named(name),
                Err(error) => {
                    tracing::warn!(cause = %error, "cannot look up a carrier");
                    CallResult::Failed
                }
            };
            let mut state = locked(&state);
            state.silence.answered();
            state.under_way.remove(&key);
            if let CallResult::Named(name) = &answer {
                state.answers.keep(key, name.clone());
            }
            answer
        };
        call.boxed().shared()
    }

    /// Returns the call that will answer, and whether another lookup began it; or the outcome if no
    /// call is needed.
    fn join(
        &self,
        number: &PhoneNumber,
        within: Duration,
    ) -> Result<(Shared<Call>, bool), LookupOutcome> {
        let key = self.key(number);
        let mut state = locked(&self.state);
        if let Some(name) = state.answers.get(&key) {
            return Err(LookupOutcome::Cached(name));
        }
        if let Some(call) = state.under_way.get(&key).and_then(WeakShared::upgrade) {
            return Ok((call, true));
        }
        if within.is_zero() {
            return Err(LookupOutcome::TimedOut);
        }
        if state.silence.is_paused() {
            return Err(LookupOutcome::Paused);
        }
        if state.calls.take() == Err(UsedUp) {
            return Err(LookupOutcome::Limited);
        }
        let call = self.begin(key, number.clone());
        // Calls that no one waits for any longer never end, and are dropped here.
        state.under_way.retain(|_, call| call.upgrade().is_some());
        if let Some(weak) = call.downgrade() {
            state.under_way.insert(key, weak);
        }
        Ok((call, false))
    }
}

#[async_trait]
impl CarrierLookup for BoundedLookup {
    async fn lookup(&self, number: &PhoneNumber, within: Duration) -> LookupOutcome {
        let (call, shared) = match self.join(number, within) {
            Ok(call) => call,
            Err(outcome) => return outcome,
        };
        match timeout(within, call).await {
            Ok(CallResult::Named(name)) if shared => LookupOutcome::Cached(name),
            Ok(CallResult::Named(name)) if name.is_empty() => LookupOutcome::Empty,
            Ok(CallResult::Named(name)) => LookupOutcome::Found(name),
            Ok(CallResult::Failed) => LookupOutcome::Failed,
            Err(_) => {
                if !shared && within >= FAIR_TIME {
                    locked(&self.state).silence.unanswered();
                }
                LookupOutcome::TimedOut
            }
        }
    }
}

impl fmt::Debug for BoundedLookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundedLookup").finish_non_exhaustive()
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
