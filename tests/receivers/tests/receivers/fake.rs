//! A fake Countersign service that starts confirmations and publishes keys.

use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::extract::{Json, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use p256::ecdsa::SigningKey;
use p256::elliptic_curve::Generate as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The API key that the service accepts.
pub(crate) const API_KEY: &str = "cs_live_sample";

/// A signing key with its id.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) id: &'static str,
    pub(crate) secret: SigningKey,
}

impl Key {
    pub(crate) fn generate(id: &'static str) -> Self {
        Self {
            id,
            secret: SigningKey::generate(),
        }
    }

    /// Returns a key that is the same in every run. The key's signatures are the same in every run
    /// too (RFC 6979).
    pub(crate) fn fixed(id: &'static str) -> Self {
        Self {
            id,
            secret: SigningKey::from_slice(&[7; 32]).expect("a scalar of the curve"),
        }
    }

    /// Returns the public half in the format of a JWKS.
    pub(crate) fn jwk(&self) -> Value {
        let point = self.secret.verifying_key().to_sec1_bytes();
        let number = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        json!({
            "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": self.id,
            "x": number(&point[1..33]), "y": number(&point[33..]),
        })
    }
}

/// An answer to `GET /.well-known/jwks.json`.
#[derive(Clone)]
pub(crate) enum Jwks {
    Keys(Vec<Key>),
    Answer(StatusCode, &'static str),
}

struct Inner {
    jwks: Jwks,
    jwks_asked: u32,
    begun: u32,
    last_callback: Option<String>,
}

/// The fake service, which runs until dropped.
pub(crate) struct Fake {
    pub(crate) url: String,
    inner: Arc<Mutex<Inner>>,
    server: JoinHandle<()>,
}

impl Fake {
    /// Starts the service on a free port.
    pub(crate) async fn start(jwks: Jwks) -> Self {
        let inner = Inner {
            jwks,
            jwks_asked: 0,
            begun: 0,
            last_callback: None,
        };
        let inner = Arc::new(Mutex::new(inner));
        let router = Router::new()
            .route("/acquire-phone-number", post(acquire))
            .route("/.well-known/jwks.json", get(serve_jwks))
            .with_state(Arc::clone(&inner));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, inner, server }
    }

    /// Changes the answer to `GET /.well-known/jwks.json`.
    pub(crate) fn publish(&self, jwks: Jwks) {
        lock(&self.inner).jwks = jwks;
    }

    /// Returns how often the keys were fetched.
    pub(crate) fn jwks_asked(&self) -> u32 {
        lock(&self.inner).jwks_asked
    }

    /// Returns the callback URL of the last confirmation.
    pub(crate) fn last_callback(&self) -> Option<String> {
        lock(&self.inner).last_callback.clone()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap()
}

async fn acquire(
    State(inner): State<Arc<Mutex<Inner>>>,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> (StatusCode, Json<Value>) {
    if headers.get("x-api-key").is_none_or(|key| key != API_KEY) {
        return (
            StatusCode::UNAUTHORIZED,
            Json(json!({"code": "api_key_unknown"})),
        );
    }
    let mut inner = lock(&inner);
    inner.begun += 1;
    inner.last_callback = request["callbackUrl"].as_str().map(str::to_owned);
    let message = "CS-7Q2M0XK4V9T1BHNE";
    let answer = json!({
        "confirmationId": format!("cfm_{:032x}", inner.begun),
        "confirmationMessage": message,
        "confirmationUri": {
            "qr": format!("smsto:+12025550199:{message}"),
            "ios": format!("sms:+12025550199&body={message}"),
            "android": format!("smsto:+12025550199:{message}"),
        },
        "sendTo": "+12025550199",
        "expiresAt": "2030-01-02T03:04:05.678Z",
        "expiresIn": 300,
        "serverTime": "2030-01-02T02:59:05.678Z",
    });
    (StatusCode::OK, Json(answer))
}

async fn serve_jwks(State(inner): State<Arc<Mutex<Inner>>>) -> (StatusCode, String) {
    let mut inner = lock(&inner);
    inner.jwks_asked += 1;
    match &inner.jwks {
        Jwks::Keys(keys) => {
            let keys: Vec<Value> = keys.iter().map(Key::jwk).collect();
            (StatusCode::OK, json!({ "keys": keys }).to_string())
        }
        Jwks::Answer(status, text) => (*status, (*text).to_owned()),
    }
}
