//! Sends one request with reqwest: the only I/O of this library.

use std::sync::Arc;
use std::time::Duration;

use http::header::{CONTENT_TYPE, HeaderValue, USER_AGENT};
use reqwest::redirect::Policy;
use rustls::client::danger::ServerCertVerifier;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use url::Url;

use crate::error::Error;
use crate::request::{Answer, Outcome, Request, Unanswered};

/// Maximum size of an answer, in bytes: a page of 100 confirmations has about 1.5 MB.
const MAX_ANSWER: usize = 8 * 1024 * 1024;

const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("countersign-rust/", env!("CARGO_PKG_VERSION")));

/// Configures the client that sends the requests.
pub(crate) type Configure =
    Box<dyn FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder + Send>;

pub(crate) struct Transport {
    http: reqwest::Client,
    /// The service's URL without a trailing slash.
    base: String,
    /// The URL without its path, for errors.
    pub(crate) address: String,
}

impl Transport {
    pub(crate) fn new(base: &Url, configure: Option<Configure>) -> Result<Self, Error> {
        let builder = reqwest::Client::builder().tls_backend_preconfigured(tls_for(base)?);
        let builder = match configure {
            Some(configure) => configure(builder),
            None => builder,
        };
        // The cause may contain a proxy's password.
        let broken = |_| Error::invalid("the HTTP client cannot be built");
        let http = builder.redirect(Policy::none()).build().map_err(broken)?;
        Ok(Self {
            http,
            base: base.as_str().trim_end_matches('/').to_owned(),
            address: base.origin().ascii_serialization(),
        })
    }

    #[cfg(test)]
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    pub(crate) async fn send(&self, request: &Request, timeout: Duration) -> Outcome {
        let exchange = self.exchange(request);
        match tokio::time::timeout(timeout, exchange).await {
            Ok(outcome) => outcome,
            Err(_) => Err(lost("it took too long", None)),
        }
    }

    async fn exchange(&self, request: &Request) -> Outcome {
        let url = self
            .url_of(request)
            .ok_or_else(|| lost("its URL is malformed", None))?;
        let mut sent = self.http.request(request.method.clone(), url);
        sent = sent
            .headers(request.headers.clone())
            .header(USER_AGENT, AGENT);
        if let Some(body) = &request.body {
            sent = sent
                .header(CONTENT_TYPE, "application/json")
                .body(body.to_string());
        }
        let failed = |cause: reqwest::Error| Unanswered {
            reason: reason_of(&cause),
            sent: !cause.is_connect() && !cause.is_builder(),
            source: Some(cause),
        };
        let mut answer = sent.send().await.map_err(failed)?;
        let mut content = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(failed)? {
            content.extend_from_slice(&chunk);
            if content.len() > MAX_ANSWER {
                return Err(lost("its answer is too large", None));
            }
        }
        Ok(Answer {
            status: answer.status(),
            headers: answer.headers().clone(),
            body: serde_json::from_slice(&content).ok(),
            retry_after: None,
        })
    }

    fn url_of(&self, request: &Request) -> Option<Url> {
        let mut url = Url::parse(&format!("{}{}", self.base, request.path)).ok()?;
        if !request.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&request.query);
        }
        Some(url)
    }
}

fn lost(reason: &'static str, source: Option<reqwest::Error>) -> Unanswered {
    Unanswered {
        reason,
        sent: true,
        source,
    }
}

fn reason_of(cause: &reqwest::Error) -> &'static str {
    if cause.is_connect() {
        "it cannot be reached"
    } else if cause.is_timeout() {
        "it took too long"
    } else {
        "the connection broke"
    }
}

/// Returns the TLS configuration. It specifies its provider, so that it does not depend on the one installed
/// in the process.
fn tls_for(base: &Url) -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let broken = |what: &str| Error::invalid(format!("TLS cannot be set up: {what}"));
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|_| broken("the protocol versions"))?;
    let mut config = if base.scheme() == "https" {
        // Uses the operating system's roots, so that a company's own certificate authority is trusted where the
        // machine trusts it.
        let verifier: Arc<dyn ServerCertVerifier> =
            Arc::new(Verifier::new(provider).map_err(|_| broken("the system's certificates"))?);
        config
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth()
    } else {
        // Plain http to localhost works without certificates.
        config
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth()
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
