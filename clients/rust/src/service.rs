//! Requests to the service with retries, and the service's time.

use std::sync::Arc;

use http::HeaderValue;

use crate::clock::Clock;
use crate::error::Error;
use crate::request::{Members, Outcome, Request, check_answer};
use crate::retry::{self, Limits, TRY_TIMEOUT};
use crate::transport::Transport;
use crate::world::World;

pub(crate) struct Service {
    pub(crate) transport: Transport,
    pub(crate) world: Arc<World>,
    pub(crate) clock: Clock,
    pub(crate) limits: Limits,
    /// Marked as sensitive, so that logs omit it.
    pub(crate) api_key: HeaderValue,
}

impl Service {
    /// Sends a request with the API key, and returns the members of the answer.
    pub(crate) async fn call(
        &self,
        mut request: Request,
        limits: Limits,
    ) -> Result<Members, Error> {
        request.headers.insert("x-api-key", self.api_key.clone());
        let may_be_empty = request.may_be_empty;
        let outcome = self.exchange(request, limits).await?;
        check_answer(outcome, &self.transport.address, may_be_empty)
    }

    /// Sends a request, retries it where that is safe and may help, and returns the last outcome.
    pub(crate) async fn exchange(
        &self,
        request: Request,
        limits: Limits,
    ) -> Result<Outcome, Error> {
        let limits = limits.check()?;
        let end = (self.world.monotonic)() + limits.timeout;
        let left = || end.saturating_sub((self.world.monotonic)());
        let mut tries = 0;
        loop {
            let is_last = tries == limits.max_retries;
            let timeout = if is_last {
                left()
            } else {
                left().min(TRY_TIMEOUT)
            };
            let mut outcome = self.transport.send(&request, timeout).await;
            tries += 1;
            if let Ok(answer) = &mut outcome {
                self.clock.learn(&answer.headers, answer.body.as_ref());
                answer.retry_after = retry::retry_after(&answer.headers, self.clock.now());
            }
            let wait = retry::wait(request.repeat, tries, &outcome, (self.world.chance)());
            match wait.filter(|wait| !is_last && *wait < left()) {
                Some(wait) => (self.world.sleep)(wait).await,
                None => return Ok(outcome),
            }
        }
    }
}
