//! The HTTP client for webhooks.
//!
//! It calls servers that third parties run, at URLs that third parties choose. It therefore
//! connects only to public addresses, follows no redirects, keeps no cookies, and never waits
//! longer than its [`Limits`]. See `docs/adr/0006-webhook-address-guard.md`.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use countersign_domain::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender};
use countersign_domain::delivery::{FailureReason, MAX_KEPT_REFUSAL};
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::web::callback_url::{CallbackPolicy, CallbackUrl};
use http::HeaderMap;
use reqwest::redirect;
use rustls::ClientConfig;
use thiserror::Error;

use crate::resolver::{GuardedResolver, NameLookup, SystemLookup};

mod failure;
mod fetch;
mod headers;
mod kept;
pub(crate) mod tls;

#[cfg(test)]
pub(crate) mod tests;

pub use failure::Failure;
pub use fetch::{FetchError, SeenFile};

use kept::KeptOrigins;

/// The value of `User-Agent`.
const USER_AGENT: &str = concat!("Countersign/", env!("CARGO_PKG_VERSION"));

/// The client could not be created: the built-in TLS configuration is invalid, which tests rule
/// out.
#[derive(Debug, Error)]
pub enum ClientError {
    #[error("the webhook client's TLS configuration is invalid")]
    Tls(#[from] rustls::Error),
    /// The HTTP client could not be created.
    #[error("cannot create the webhook client")]
    Http(#[from] reqwest::Error),
}

/// Limits on every webhook that a client sends. [`Limits::default`] has the deployed values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time limit for a name lookup, part of `connect`.
    pub dns: Duration,
    /// Time limit for connecting, which includes DNS, TCP and TLS.
    pub connect: Duration,
    /// Time limit for the whole exchange, including the answer's body.
    pub total: Duration,
    /// Maximum number of body bytes to read before the connection is dropped.
    pub body_bytes: usize,
    /// Time after which an idle connection is closed. Shorter than the 5 s after which Node.js, the
    /// common server with the shortest timeout, closes it.
    pub idle: Duration,
    /// Maximum number of idle connections to one origin.
    pub idle_per_origin: usize,
    /// Maximum number of origins with idle connections. Further receivers need a new connection
    /// each time, so that the number of this process's sockets is bounded.
    pub kept_origins: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            dns: Duration::from_secs(2),
            connect: Duration::from_secs(3),
            total: Duration::from_secs(10),
            body_bytes: 8 * 1024,
            idle: Duration::from_secs(4),
            idle_per_origin: 16,
            kept_origins: 16,
        }
    }
}

/// A receiver's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverResponse {
    /// The HTTP status.
    pub status: u16,
    /// The wait that `Retry-After` asks for, if it is present and well-formed; not bounded.
    pub retry_after: Option<Duration>,
    /// Number of body bytes read, as received.
    pub body_bytes: usize,
    /// The first bytes of the body.
    pub beginning: Vec<u8>,
}

/// Sends webhooks. Create one per process; clones share everything.
#[derive(Clone)]
pub struct WebhookClient {
    policy: CallbackPolicy,
    limits: Limits,
    clock: Arc<dyn Clock>,
    /// Used for origins whose connections are kept.
    pooled: reqwest::Client,
    /// Used for all other origins, with a new connection for each webhook.
    unpooled: reqwest::Client,
    kept: Arc<KeptOrigins>,
}

impl WebhookClient {
    /// Creates a client with the machine's name servers and the deployed limits.
    ///
    /// # Errors
    ///
    /// Fails if the built-in TLS configuration is invalid.
    pub fn new(policy: CallbackPolicy, clock: Arc<dyn Clock>) -> Result<Self, ClientError> {
        Self::with(
            policy,
            clock,
            Limits::default(),
            Arc::new(SystemLookup::new()),
        )
    }

    /// Creates a client with these limits and this name lookup.
    ///
    /// # Errors
    ///
    /// Fails if the built-in TLS configuration is invalid.
    pub fn with(
        policy: CallbackPolicy,
        clock: Arc<dyn Clock>,
        limits: Limits,
        lookup: Arc<dyn NameLookup>,
    ) -> Result<Self, ClientError> {
        let resolver = GuardedResolver::new(lookup, &policy, limits.dns);
        Self::assemble(policy, clock, limits, &resolver, &tls::config()?)
    }

    pub(crate) fn assemble(
        policy: CallbackPolicy,
        clock: Arc<dyn Clock>,
        limits: Limits,
        resolver: &GuardedResolver,
        tls: &ClientConfig,
    ) -> Result<Self, ClientError> {
        let http = |idle_connections| {
            reqwest::Client::builder()
                .tls_backend_preconfigured(tls.clone())
                .dns_resolver(resolver.clone())
                .https_only(!policy.allow_loopback_http)
                .redirect(redirect::Policy::none())
                .retry(reqwest::retry::never())
                .no_proxy()
                .referer(false)
                .no_gzip()
                .no_brotli()
                .no_zstd()
                .no_deflate()
                .http1_only()
                .tcp_nodelay(true)
                .connect_timeout(limits.connect)
                .pool_idle_timeout(limits.idle)
                .pool_max_idle_per_host(idle_connections)
                .user_agent(USER_AGENT)
                .build()
        };
        // A connection is closed no later than two idle times after its last use.
        let forgotten_after = limits.total + 2 * limits.idle;
        Ok(Self {
            pooled: http(limits.idle_per_origin)?,
            unpooled: http(0)?,
            kept: Arc::new(KeptOrigins::new(limits.kept_origins, forgotten_after)),
            policy,
            limits,
            clock,
        })
    }

    /// Posts a JSON body. `now` is compared with a date in `Retry-After`.
    ///
    /// An answer is accepted as soon as its head has arrived. The body is read only so that the
    /// connection can be reused, within the same time limit and up to a maximum size.
    ///
    /// # Errors
    ///
    /// Fails if the URL or an address is refused, or if no answer arrives in time.
    pub async fn post(
        &self,
        url: &CallbackUrl,
        headers: HeaderMap,
        body: Bytes,
        now: Timestamp,
    ) -> Result<ReceiverResponse, Failure> {
        // Also checks IP addresses in the URL itself, for which the HTTP client does not call a
        // resolver.
        url.check(&self.policy).map_err(Failure::RefusedUrl)?;
        let deadline = tokio::time::Instant::now() + self.limits.total;
        let sent = self.http_for(url).post(url.as_url().clone());
        let sent = sent
            .headers(headers)
            .headers(headers::fixed())
            .body(body)
            .send();
        let mut response = match tokio::time::timeout_at(deadline, sent).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(Failure::from_reqwest(&error)),
            Err(_) => return Err(Failure::Timeout),
        };
        let mut answer = ReceiverResponse {
            status: response.status().as_u16(),
            retry_after: headers::retry_after(response.headers(), now),
            body_bytes: 0,
            beginning: Vec::new(),
        };
        while answer.body_bytes < self.limits.body_bytes {
            match tokio::time::timeout_at(deadline, response.chunk()).await {
                Ok(Ok(Some(chunk))) => {
                    answer.body_bytes += chunk.len();
                    let room = MAX_KEPT_REFUSAL.saturating_sub(answer.beginning.len());
                    answer.beginning.extend(chunk.iter().take(room));
                }
                _ => break,
            }
        }
        Ok(answer)
    }

    fn http_for(&self, url: &CallbackUrl) -> &reqwest::Client {
        if self.kept.admit(url.origin()) {
            &self.pooled
        } else {
            &self.unpooled
        }
    }
}

#[async_trait]
impl WebhookSender for WebhookClient {
    async fn send(&self, url: &CallbackUrl, request: &WebhookRequest) -> SendOutcome {
        let Ok(headers) = headers::for_request(request) else {
            return SendOutcome::NoAnswer(FailureReason::SigningFailed);
        };
        let body = Bytes::copy_from_slice(request.body.as_bytes());
        match self.post(url, headers, body, self.clock.now()).await {
            Ok(ReceiverResponse {
                status,
                retry_after,
                beginning,
                ..
            }) => SendOutcome::Answered {
                status,
                retry_after,
                beginning: String::from_utf8_lossy(&beginning).into_owned(),
            },
            Err(failure) => {
                tracing::debug!(origin = url.origin(), %failure, "webhook got no answer");
                SendOutcome::NoAnswer(failure.reason())
            }
        }
    }
}
