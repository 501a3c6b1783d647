//! Requests that are retried until they are answered.

use std::time::Duration;

use futures_util::future::{Either, select};
use serde_json::Value;

use crate::configuration::RetryPolicy;
use crate::error::{AnswerFault, SdkError, ServiceProblem};
use crate::ports::Platform;
use crate::ports::http::{MAX_ANSWER_BYTES, NetworkError, Request, Response};

/// Maximum wait that a service can request. If the service requests more, the user decides when to
/// retry.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Sends requests, all of which can be repeated.
pub(crate) struct Wire<'a> {
    pub(crate) platform: &'a Platform,
    pub(crate) retries: &'a RetryPolicy,
}

/// Why an attempt failed.
enum AttemptError {
    /// A retry would fail too.
    ForGood(SdkError),
    /// A retry may succeed, after the wait that the service requests.
    ForNow { error: SdkError, wait: Duration },
}

impl Wire<'_> {
    /// Sends a request, and retries it while that may help, until a deadline in time since boot.
    /// Returns the JSON of an answer with status 200. Calls `check` before each attempt.
    pub(crate) async fn post(
        &self,
        request: &Request,
        deadline: Duration,
        check: &(dyn Fn() -> Result<(), SdkError> + Sync),
    ) -> Result<Value, SdkError> {
        let mut delays = self.retries.delays().iter();
        loop {
            check()?;
            let (error, wait) = match self.attempt(request.clone()).await {
                Ok(value) => return Ok(value),
                Err(AttemptError::ForGood(error)) => return Err(error),
                Err(AttemptError::ForNow { error, wait }) => (error, wait),
            };
            let Some(delay) = delays.next().filter(|_| wait <= MAX_WAIT) else {
                return Err(error);
            };
            let delay = wait.max(*delay);
            if (self.platform.since_boot)() + delay >= deadline {
                return Err(error);
            }
            if !delay.is_zero() {
                self.platform.timer.sleep(millis(delay)).await;
            }
        }
    }

    async fn attempt(&self, request: Request) -> Result<Value, AttemptError> {
        let sent = self.platform.http.send(request);
        let answer = match self.retries.attempt_timeout() {
            None => sent.await,
            Some(timeout) => match select(sent, self.platform.timer.sleep(millis(timeout))).await {
                Either::Left((answer, _)) => answer,
                Either::Right(_) => Err(NetworkError::Temporary {
                    detail: format!("the service did not answer within {timeout:?}"),
                }),
            },
        };
        match answer {
            Ok(response) => check_answer(&response),
            Err(error) => Err(AttemptError::from_network(error)),
        }
    }
}

/// Returns a duration in milliseconds, rounded up, because the core relies on its having passed.
fn millis(duration: Duration) -> u64 {
    let millis = duration.as_nanos().div_ceil(1_000_000);
    u64::try_from(millis).unwrap_or(u64::MAX)
}

impl AttemptError {
    fn from_network(error: NetworkError) -> Self {
        match error {
            NetworkError::Temporary { detail } => Self::ForNow {
                error: SdkError::Network { detail },
                wait: Duration::ZERO,
            },
            NetworkError::Permanent { detail } => Self::ForGood(SdkError::Network { detail }),
            NetworkError::AnswerTooLong => Self::malformed(AnswerFault::TooLong),
        }
    }

    const fn malformed(what: AnswerFault) -> Self {
        Self::ForGood(SdkError::MalformedAnswer(what))
    }
}

fn check_answer(response: &Response) -> Result<Value, AttemptError> {
    if response.body.len() > MAX_ANSWER_BYTES {
        return Err(AttemptError::malformed(AnswerFault::TooLong));
    }
    let status = response.status;
    // An intermediary answered: a captive portal, a proxy, a load balancer.
    let not_ours = || SdkError::Network {
        detail: format!("status {status}, and no answer of a Countersign service"),
    };
    if status == 200 {
        let value = serde_json::from_slice(&response.body);
        return value.map_err(|_| AttemptError::ForGood(not_ours()));
    }
    let problem = ServiceProblem::read(status, &response.body);
    let error = problem.map_or_else(not_ours, SdkError::from);
    Err(match status {
        429 | 502 | 503 | 504 => {
            let wait = retry_after(response);
            AttemptError::ForNow { error, wait }
        }
        _ => AttemptError::ForGood(error),
    })
}

/// Returns the wait in seconds that the service requests.
fn retry_after(response: &Response) -> Duration {
    let mut headers = response.headers.iter();
    let header = headers.find(|header| header.name.eq_ignore_ascii_case("retry-after"));
    let seconds = header.and_then(|header| header.value.trim().parse::<u64>().ok());
    Duration::from_secs(seconds.unwrap_or_default())
}
