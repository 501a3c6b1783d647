//! What anybody may read: the public keys, the description of the API, and whether it is up.

use std::sync::Arc;

use axum::extract::{FromRef, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use countersign_domain::delivery::signing::{PublicKey, Signer};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::storage::{ManagedStorage, StorageCondition, StorageHealth};
use countersign_domain::primitives::unavailable::Unavailable;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde::Serialize;
use utoipa::ToSchema;

use crate::openapi;
use crate::problem::Problem;
use crate::state::not_writable;

/// Keys change rarely, and a new one is published before it signs: receivers may keep them.
const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// The function's routes, ready to be served. Keys are all that they need, so that a function
/// which anybody may call has a right to nothing else.
pub fn router(signer: Arc<dyn Signer>, entropy: Arc<dyn Entropy>) -> Router {
    crate::frame::around(crate::complete(routes()).with_state(Keys(signer)), entropy)
}

/// Keys, and nothing that could run full.
#[derive(Clone)]
struct Keys(Arc<dyn Signer>);

impl FromRef<Keys> for Arc<dyn Signer> {
    fn from_ref(keys: &Keys) -> Self {
        Self::clone(&keys.0)
    }
}

impl FromRef<Keys> for Arc<dyn StorageHealth> {
    fn from_ref(_: &Keys) -> Self {
        Arc::new(ManagedStorage)
    }
}

pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Arc<dyn Signer>: FromRef<S>,
    Arc<dyn StorageHealth>: FromRef<S>,
{
    Router::new()
        .route("/public-key", get(public_key))
        .route("/.well-known/jwks.json", get(jwks))
        .route("/openapi.json", get(description))
        .route("/healthz", get(health))
}

/// A set of public keys (RFC 7517).
#[derive(Serialize, ToSchema)]
pub(crate) struct Jwks {
    /// The current key, then the former ones.
    keys: Vec<Jwk>,
}

/// A public key of the elliptic curve P-256 (RFC 7518, section 6.2).
#[derive(Serialize, ToSchema)]
struct Jwk {
    /// `EC`.
    #[schema(examples("EC"))]
    kty: &'static str,
    /// `P-256`.
    #[schema(examples("P-256"))]
    crv: &'static str,
    /// The point's first coordinate, in base64url.
    #[schema(examples("axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY"))]
    x: String,
    /// The point's second coordinate, in base64url.
    #[schema(examples("T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"))]
    y: String,
    /// The key's name, the RFC 7638 thumbprint: `x-signature-key-id` of the webhooks it signed.
    #[schema(examples("xx0BcA-wMohw8atYDJOe6peGModklG2wRHBlXHMvl0M"))]
    kid: String,
    /// `sig`.
    #[serde(rename = "use")]
    #[schema(examples("sig"))]
    usage: &'static str,
    /// `ES256`. In `x-signature` the signature is written in DER, not as JWS does.
    #[schema(examples("ES256"))]
    alg: &'static str,
}

impl Jwk {
    fn of(key: &PublicKey) -> Self {
        Self {
            kty: "EC",
            crv: "P-256",
            x: key.x_base64url(),
            y: key.y_base64url(),
            kid: key.key_id().as_str().to_owned(),
            usage: "sig",
            alg: "ES256",
        }
    }
}

/// That the server answers, and can write.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// Always `ok`.
    #[schema(examples("ok"))]
    status: &'static str,
}

/// Read the public key
///
/// The key that verifies `x-signature` of webhooks signed now. Webhooks name their key in
/// `x-signature-key-id`; `/.well-known/jwks.json` has the former keys too.
#[utoipa::path(
    get,
    path = "/public-key",
    operation_id = "getPublicKey",
    tag = "service",
    responses((status = 200, description = "The current key in PEM (RFC 7468).",
        body = String, content_type = "application/x-pem-file")),
)]
pub(crate) async fn public_key(State(signer): State<Arc<dyn Signer>>) -> Result<Response, Problem> {
    let keys = signer.public_keys().await?;
    let current = keys
        .first()
        .ok_or_else(|| Unavailable::new("signer", "it has no key"))?;
    Ok(kept("application/x-pem-file", current.to_pem()))
}

/// Read every public key
///
/// The current key first, then the former ones.
#[utoipa::path(
    get,
    path = "/.well-known/jwks.json",
    operation_id = "getJwks",
    tag = "service",
    responses((status = 200, description = "The keys as a JWK set (RFC 7517).", body = Jwks)),
)]
pub(crate) async fn jwks(State(signer): State<Arc<dyn Signer>>) -> Result<Response, Problem> {
    let keys = signer.public_keys().await?;
    let keys = keys.iter().map(Jwk::of).collect();
    let mut response = Json(Jwks { keys }).into_response();
    response.headers_mut().insert(CACHE_CONTROL, KEPT);
    Ok(response)
}

/// Read this description
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "getOpenapi",
    tag = "service",
    responses((status = 200, description = "This description.",
        body = Object, content_type = "application/json")),
)]
pub(crate) async fn description() -> Response {
    kept("application/json", openapi::json())
}

/// Ask whether it is up
///
/// Answered 503 for as long as storage takes no writes.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "getHealth",
    tag = "service",
    responses((status = 200, description = "It answers requests, and storage takes writes.", body = Health)),
)]
pub(crate) async fn health(
    State(storage): State<Arc<dyn StorageHealth>>,
) -> Result<Json<Health>, Problem> {
    match storage.condition() {
        StorageCondition::NotWritable => Err(not_writable()),
        // What is there goes on, and nobody else could take it over.
        StorageCondition::Ready | StorageCondition::Low => Ok(Json(Health { status: "ok" })),
    }
}

fn kept(content_type: &'static str, body: impl Into<axum::body::Body>) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, KEPT);
    response
}
