//! Answers by the connection itself: 503 without a permit, 500 after a panic in a layer.

use std::fmt::Write as _;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use countersign_api::{Problem, ProblemCode, RequestId, problem_response};
use countersign_domain::primitives::entropy::Entropy;
use http::header::CONNECTION;
use http::{HeaderValue, StatusCode};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::{Instant, timeout};

use super::admission::Refused;

/// Timeout for answering a refused client.
pub(super) const TIMEOUT: Duration = Duration::from_secs(1);

/// Time after which a refused client may retry (`Retry-After`).
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Maximum number of bytes read from a refused client.
const MAX_DRAINED: usize = 64 << 10;

/// Interval between log lines about refused connections.
const REPORT_INTERVAL: Duration = Duration::from_mins(1);

/// Answers 503 to a client whose connection has no permit, and closes it.
pub(super) async fn refuse<S>(mut stream: S, entropy: &dyn Entropy)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let told = async {
        // Some clients cannot handle an answer that arrives before their request.
        let mut buffer = [0; 4096];
        if stream.read(&mut buffer).await? == 0 {
            return Ok(());
        }
        stream.write_all(no_room(entropy).as_bytes()).await?;
        stream.shutdown().await?;
        // Unread bytes make the system reset the connection on close, which loses the answer.
        let mut drained = 0;
        while drained < MAX_DRAINED {
            match stream.read(&mut buffer).await? {
                0 => break,
                count => drained += count,
            }
        }
        Ok::<_, io::Error>(())
    };
    // A client that does not read in time gets no answer.
    let _ = timeout(TIMEOUT, told).await;
}

/// Returns the answer to a request whose connection never got a permit, or lost it.
pub(super) fn refused(entropy: &dyn Entropy) -> http::Response<Vec<u8>> {
    let problem = Problem::new(ProblemCode::ServiceUnavailable).retry_after(RETRY_AFTER);
    let mut response = problem_response(&problem, &RequestId::generate(entropy));
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(CONNECTION, close);
    response
}

/// Returns that answer in wire format.
fn no_room(entropy: &dyn Entropy) -> String {
    let (parts, body) = refused(entropy).into_parts();
    let mut text = format!("HTTP/1.1 {}\r\n", parts.status);
    for (name, value) in &parts.headers {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{name}: {}\r\n",
            String::from_utf8_lossy(value.as_bytes())
        );
    }
    let _ = write!(text, "content-length: {}\r\n\r\n", body.len());
    text.push_str(&String::from_utf8_lossy(&body));
    text
}

/// Returns the answer to a request for which a layer around the API panicked. The API handles its
/// own panics.
pub(super) fn panicked(entropy: &dyn Entropy) -> Response {
    // The generation of the id may be what panics.
    let id = catch_unwind(AssertUnwindSafe(|| RequestId::generate(entropy))).ok();
    let Some(id) = id.or_else(|| RequestId::of_platform("unknown")) else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    tracing::error!(request_id = id.as_str(), "a layer around the API panicked");
    problem_response(&Problem::new(ProblemCode::InternalError), &id).map(Body::from)
}

/// Reports refused connections in the log at intervals.
#[derive(Default)]
pub(super) struct Refusals {
    count: u64,
    reported_at: Option<Instant>,
}

impl Refusals {
    /// Counts a refusal, and logs a report unless the last one was recent.
    pub(super) fn add(&mut self, why: Refused) {
        self.count += 1;
        let quiet = self
            .reported_at
            .is_some_and(|at| at.elapsed() < REPORT_INTERVAL);
        if quiet {
            return;
        }
        let count = std::mem::take(&mut self.count);
        self.reported_at = Some(Instant::now());
        match why {
            Refused::AddressFull => tracing::warn!(
                count,
                "refused connections: an address has as many at work as one may have \
                 (--max-connections-per-address; name your proxies with --trusted-proxy)"
            ),
            Refused::ServerFull => tracing::warn!(
                count,
                "refused connections: all --max-connections are at work"
            ),
        }
    }
}
