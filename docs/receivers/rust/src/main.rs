//! A Countersign webhook receiver in Rust, with axum and p256.
//!
//! ```sh
//! COUNTERSIGN_API_KEY=cs_live_... cargo run -p countersign-sample-receiver
//! ```
//!
//! `../README.md` lists the rules that it follows, and `../../webhooks.md` explains them.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the sample shows its results on the terminal"
)]

mod answer;
mod confirmations;
mod keys;

use std::env;
use std::error::Error;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use answer::Refusal;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Request, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use confirmations::{Confirmations, Outcome};
use keys::KeyRing;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{DerSignature, Signature};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::timeout;
use url::Url;

const MAX_BODY: usize = 64 * 1024;
const INCOMING_TIMEOUT: Duration = Duration::from_secs(10);
const OUTGOING_TIMEOUT: Duration = Duration::from_secs(5);

struct Receiver {
    base_url: String,
    api_key: String,
    callback_url: String,
    http: reqwest::Client,
    keys: Arc<KeyRing>,
    confirmations: Confirmations,
}

async fn webhook(
    State(receiver): State<Arc<Receiver>>,
    request: Request,
) -> Result<&'static str, Refusal> {
    let headers = request.headers().clone();
    // The signature is of these raw bytes, never of a parsed and re-serialised body.
    let body = match timeout(INCOMING_TIMEOUT, Bytes::from_request(request, &())).await {
        Ok(Ok(body)) => body,
        Ok(Err(rejection)) => return Err(Refusal::BodyNotRead(rejection.status())),
        Err(_) => return Err(Refusal::TooSlow),
    };
    check_signature(&receiver.keys, &headers, &body).await?;
    let event = Event::parse(&body).ok_or(Refusal::NotAConfirmation)?;
    match receiver.confirmations.accept(&event.confirmation_id) {
        Outcome::Accepted => {
            on_verified(&event);
            Ok("accepted")
        }
        Outcome::Repeated => Ok("already accepted"),
        Outcome::Unknown => Err(Refusal::UnknownConfirmation),
    }
}

async fn check_signature(
    keys: &Arc<KeyRing>,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<(), Refusal> {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let (Some(kid), Some(encoded)) = (header("x-signature-key-id"), header("x-signature")) else {
        return Err(Refusal::SignatureMissing);
    };
    let key = keys.find(kid).await?.ok_or(Refusal::SignatureRefused)?;
    // The signature is DER, not the fixed 64 bytes that `Signature::from_slice` reads.
    let signature = BASE64_STANDARD
        .decode(encoded)
        .ok()
        .and_then(|der| DerSignature::from_bytes(&der).ok())
        .and_then(|der| Signature::try_from(der).ok())
        .ok_or(Refusal::SignatureRefused)?;
    key.verify(body, &signature)
        .map_err(|_| Refusal::SignatureRefused)
}

/// The fields of a webhook that this receiver reads.
struct Event {
    confirmation_id: String,
    phone_number: String,
}

impl Event {
    fn parse(body: &[u8]) -> Option<Self> {
        let event: Value = serde_json::from_slice(body).ok()?;
        let text = |name| event.get(name).and_then(Value::as_str).map(str::to_owned);
        (text("validationStatus")? == "valid").then_some(Self {
            confirmation_id: text("confirmationId")?,
            phone_number: text("phoneNumber")?,
        })
    }

    fn masked_number(&self) -> String {
        let number = &self.phone_number;
        match (
            number.get(..3),
            number.len().checked_sub(2).and_then(|at| number.get(at..)),
        ) {
            (Some(head), Some(tail)) => format!("{head}***{tail}"),
            _ => "***".to_owned(),
        }
    }
}

/// Prints a line. Replace this with what your service does with a verified number.
fn on_verified(event: &Event) {
    println!("verified {}", event.masked_number());
}

/// Starts a confirmation, to try the receiver by hand. A real service does so for a signed-in user.
async fn start(
    State(receiver): State<Arc<Receiver>>,
) -> Result<([(axum::http::HeaderName, &'static str); 1], String), Refusal> {
    let response = receiver
        .http
        .post(format!("{}/acquire-phone-number", receiver.base_url))
        .header("content-type", "application/json")
        .header("x-api-key", &receiver.api_key)
        .body(json!({ "callbackUrl": receiver.callback_url }).to_string())
        .send()
        .await
        .map_err(|_| Refusal::NoAnswer)?;
    let status = response.status().as_u16();
    let text = response.text().await.map_err(|_| Refusal::NoAnswer)?;
    let session: Value = serde_json::from_str(&text).unwrap_or_default();
    match session.get("confirmationId").and_then(Value::as_str) {
        Some(id) if status == 200 => receiver.confirmations.remember(id),
        _ => return Err(Refusal::Said(status, text)),
    }
    Ok(([(CONTENT_TYPE, "application/json")], text))
}

fn setting<T: FromStr>(name: &str, default: T) -> Result<T, String> {
    match env::var(name) {
        Ok(text) => text.parse().map_err(|_| format!("{name} is malformed")),
        Err(_) => Ok(default),
    }
}

/// Returns whether keys from this URL can be trusted. Over plain http, anyone on the network path could
/// send us another key.
fn is_safe(url: &Url) -> bool {
    url.scheme() == "https" || matches!(url.host_str(), Some("127.0.0.1" | "[::1]" | "localhost"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    rustls::crypto::ring::default_provider()
        .install_default()
        .map_err(|_| "a TLS provider is installed already")?;
    let http = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(OUTGOING_TIMEOUT)
        .build()?;
    let base_url = setting("COUNTERSIGN_URL", "http://127.0.0.1:8787".to_owned())?;
    let base_url = base_url.trim_end_matches('/').to_owned();
    if !is_safe(&Url::parse(&base_url)?) {
        return Err("COUNTERSIGN_URL must be https".into());
    }
    let refetch = Duration::from_secs(setting("KEY_REFETCH_SECONDS", 10)?);
    let listener = TcpListener::bind(("127.0.0.1", setting("PORT", 4000)?)).await?;
    let address = format!("http://{}", listener.local_addr()?);
    let receiver = Receiver {
        api_key: setting("COUNTERSIGN_API_KEY", String::new())?,
        callback_url: setting("CALLBACK_URL", format!("{address}/webhook"))?,
        keys: Arc::new(KeyRing::new(http.clone(), &base_url, refetch)),
        confirmations: Confirmations::default(),
        base_url,
        http,
    };
    let router = Router::new()
        .route("/webhook", post(webhook))
        .route("/start", post(start))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(Arc::new(receiver));
    println!("listening on {address}");
    axum::serve(listener, router).await?;
    Ok(())
}
