//! A fake API that answers like the real one, with one app, one confirmation at a time, and no
//! delivery: the tests sign and post the webhooks themselves.

use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::delivery::signing::PublicKey;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_inbound::generic::authenticate_and_parse;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{DerSignature, SigningKey};
use p256::pkcs8::EncodePublicKey as _;
use serde_json::{Value, json};

use crate::phone::fake_service::FakeService;

pub(super) const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);
pub(super) const ID: &str = "cfm_00112233445566778899aabbccddeeff";
pub(super) const MESSAGE: &str = "CS-01ABCDEFGHJKMNPQ";
pub(super) const SEND_TO: &str = "+12025550199";

/// The fake API's state, and the requests that it received.
pub(super) struct FakeApi {
    pub(super) api_key: PresentedApiKey,
    pub(super) inbound_secret: WebhookSecret,
    signing_key: SigningKey,
    /// The confirmation's status, such as `open`.
    pub(super) status: Mutex<&'static str>,
    /// The requests that started a confirmation, with their paths.
    pub(super) begun: Mutex<Vec<(String, Value)>>,
    /// The number of requests to redeliver the webhook.
    pub(super) redelivered: Mutex<u32>,
    /// The routes for phones that open logins.
    pub(super) logins: Arc<FakeService>,
}

impl FakeApi {
    pub(super) fn new(api_key: PresentedApiKey, inbound_secret: WebhookSecret) -> Arc<Self> {
        Arc::new(Self {
            api_key,
            inbound_secret,
            signing_key: SigningKey::from_slice(&[7; 32]).unwrap(),
            status: Mutex::new("open"),
            begun: Mutex::default(),
            redelivered: Mutex::default(),
            logins: Arc::new(FakeService::new()),
        })
    }

    pub(super) fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/acquire-phone-number", post(begin))
            .route("/make-confirmation", post(begin))
            .route("/confirmations/{id}", get(status).delete(cancel))
            .route("/confirmations/{id}/redeliver", post(redeliver))
            .route("/inbound-sms/generic", post(inbound))
            .route("/.well-known/jwks.json", get(keys))
            .with_state(Arc::clone(self))
            .merge(self.logins.router())
    }

    /// Returns the headers of a webhook with this body.
    pub(super) fn sign(&self, body: &str) -> Vec<(&'static str, String)> {
        let signature: DerSignature = self.signing_key.sign(body.as_bytes());
        vec![
            ("webhook-id", "msg_1".to_owned()),
            ("x-signature", BASE64_STANDARD.encode(signature.as_bytes())),
            ("x-signature-key-id", self.public_key().key_id().to_string()),
        ]
    }

    fn public_key(&self) -> PublicKey {
        let der = self.signing_key.verifying_key().to_public_key_der();
        PublicKey::from_spki_der(der.unwrap().as_bytes()).unwrap()
    }

    fn confirmation(&self) -> Value {
        json!({ "confirmationId": ID, "status": *self.status.lock().unwrap() })
    }
}

fn problem(status: StatusCode, detail: &str) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/problem+json")];
    (status, kind, json!({ "detail": detail }).to_string()).into_response()
}

async fn begin(
    State(fake): State<Arc<FakeApi>>,
    uri: axum::http::Uri,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> Response {
    if headers["x-api-key"] != fake.api_key.reveal() {
        return problem(StatusCode::UNAUTHORIZED, "wrong key");
    }
    if request["phoneNumber"] == "nonsense" {
        return problem(StatusCode::UNPROCESSABLE_ENTITY, "no such number");
    }
    *fake.status.lock().unwrap() = "open";
    fake.begun
        .lock()
        .unwrap()
        .push((uri.path().to_owned(), request));
    let qr = format!("smsto:{SEND_TO}:{MESSAGE}");
    Json(json!({
        "confirmationId": ID,
        "confirmationMessage": MESSAGE,
        "confirmationUri": { "qr": qr, "ios": "sms:", "android": qr, "sms": "sms:" },
        "sendTo": SEND_TO,
        "expiresAt": NOW.plus(std::time::Duration::from_mins(5)).to_string(),
    }))
    .into_response()
}

async fn status(State(fake): State<Arc<FakeApi>>) -> Json<Value> {
    Json(fake.confirmation())
}

async fn cancel(State(fake): State<Arc<FakeApi>>) -> Response {
    let mut status = fake.status.lock().unwrap();
    if *status != "open" {
        return problem(StatusCode::CONFLICT, "it has ended");
    }
    *status = "cancelled";
    StatusCode::NO_CONTENT.into_response()
}

async fn redeliver(State(fake): State<Arc<FakeApi>>) -> Json<Value> {
    *fake.redelivered.lock().unwrap() += 1;
    Json(fake.confirmation())
}

async fn inbound(State(fake): State<Arc<FakeApi>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let Ok(text) = authenticate_and_parse(&fake.inbound_secret, &headers, &body, NOW) else {
        return StatusCode::UNAUTHORIZED;
    };
    let mut status = fake.status.lock().unwrap();
    if *status == "open" && text.text == MESSAGE && text.to == SEND_TO {
        *status = "verified";
    }
    StatusCode::OK
}

async fn keys(State(fake): State<Arc<FakeApi>>) -> Json<Value> {
    let key = fake.public_key();
    Json(json!({ "keys": [{
        "kid": key.key_id().to_string(),
        "kty": "EC",
        "crv": "P-256",
        "x": key.x_base64url(),
        "y": key.y_base64url(),
    }] }))
}
