//! Public routes: the keys that sign webhooks, the API's description, explanations of the problems, and the
//! server's health.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRef, Path, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use countersign_domain::delivery::signing::{PublicKey, Signer};
use countersign_domain::primitives::storage::{ManagedStorage, StorageCondition, StorageHealth};
use countersign_domain::primitives::unavailable::Unavailable;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::extract::accept;
use crate::header::vary;
use crate::problem::{Problem, ProblemCode, paragraphs};
use crate::schema::problems::problems;
use crate::state::not_writable;

/// Keys change rarely, and a new key is published before it signs, so receivers may cache them.
const CACHING: HeaderValue = HeaderValue::from_static("public, max-age=300");

problems!(Problems: &[]);
problems!(ParagraphProblems: &[ProblemCode::NotFound]);
problems!(HealthProblems: &[ProblemCode::StorageNotWritable]);

/// The state of a host that publishes keys and stores nothing.
#[derive(Clone)]
pub(crate) struct Keys(pub(crate) Arc<dyn Signer>);

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

/// Returns the routes. `description` returns the API's description.
pub(crate) fn routes<S>(description: fn() -> &'static str) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Arc<dyn Signer>: FromRef<S>,
    Arc<dyn StorageHealth>: FromRef<S>,
{
    Router::new()
        .route("/public-key", get(public_key))
        .route("/.well-known/jwks.json", get(jwks))
        .route(
            "/openapi.json",
            get(async move || show_description(description)),
        )
        .route("/problems/{code}", get(problem))
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
    /// The key type: `EC`.
    #[schema(examples("EC"))]
    kty: &'static str,
    /// The curve: `P-256`.
    #[schema(examples("P-256"))]
    crv: &'static str,
    /// The point's x coordinate, in base64url.
    #[schema(examples("axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY"))]
    x: String,
    /// The point's y coordinate, in base64url.
    #[schema(examples("T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"))]
    y: String,
    /// The key's id, its RFC 7638 thumbprint: `x-signature-key-id` of the webhooks that it signed.
    #[schema(examples("xx0BcA-wMohw8atYDJOe6peGModklG2wRHBlXHMvl0M"))]
    kid: String,
    /// The use: `sig`.
    #[serde(rename = "use")]
    #[schema(examples("sig"))]
    usage: &'static str,
    /// The algorithm: `ES256`. `x-signature` has the signature in DER, unlike JWS.
    #[schema(examples("ES256"))]
    alg: &'static str,
}

impl Jwks {
    /// Returns the set of these keys.
    pub(crate) fn new(keys: &[PublicKey]) -> Self {
        Self {
            keys: keys.iter().map(Jwk::new).collect(),
        }
    }
}

impl Jwk {
    fn new(key: &PublicKey) -> Self {
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

/// The server answers and can write.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// Always `ok`.
    #[schema(examples("ok"))]
    status: &'static str,
    /// `damaged` if the store was found damaged; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    storage: Option<&'static str>,
}

/// A document in the format of `OpenAPI`.
pub(crate) struct OpenApiDocument;

impl PartialSchema for OpenApiDocument {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::Object))
            .description(Some("A document in the format of OpenAPI 3.1."))
            .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
            .into()
    }
}

impl ToSchema for OpenApiDocument {}

/// Get the public key
///
/// Returns the key that verifies `x-signature` of webhooks signed now. Webhooks contain the id of
/// their key in `x-signature-key-id`; `/.well-known/jwks.json` also has former keys.
#[utoipa::path(
    get,
    path = "/public-key",
    operation_id = "getPublicKey",
    tag = "service",
    responses(
        (status = 200, description = "The current key in PEM (RFC 7468).",
            body = String, content_type = "application/x-pem-file"),
        Problems,
    ),
)]
pub(crate) async fn public_key(State(signer): State<Arc<dyn Signer>>) -> Result<Response, Problem> {
    let keys = signer.public_keys().await?;
    let current = keys
        .first()
        .ok_or_else(|| Unavailable::new("signer", "it has no key"))?;
    Ok(cached("application/x-pem-file", current.to_pem()))
}

/// Get all public keys
///
/// Returns the current key first, then the former ones.
#[utoipa::path(
    get,
    path = "/.well-known/jwks.json",
    operation_id = "getJwks",
    tag = "service",
    responses(
        (status = 200, description = "The keys as a JWK set (RFC 7517).", body = Jwks),
        Problems,
    ),
)]
pub(crate) async fn jwks(State(signer): State<Arc<dyn Signer>>) -> Result<Response, Problem> {
    let keys = signer.public_keys().await?;
    let mut response = Json(Jwks::new(&keys)).into_response();
    response.headers_mut().insert(CACHE_CONTROL, CACHING);
    Ok(response)
}

/// Get this description
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "getOpenapi",
    tag = "service",
    responses(
        (status = 200, description = "This description.",
            body = OpenApiDocument, content_type = "application/json"),
        Problems,
    ),
)]
pub(crate) fn show_description(description: fn() -> &'static str) -> Response {
    cached("application/json", description())
}

/// Read about a problem
///
/// Returns cause and remedy of a problem. The problem's member `type` is this path. Browsers are redirected
/// to the same text in the reference.
#[utoipa::path(
    get,
    path = "/problems/{code}",
    operation_id = "getProblem",
    tag = "service",
    params(
        ("code" = String, Path, pattern = "^[a-z_]{1,64}$", example = "callback_url_not_https",
            description = "The member `code` of the problem."),
    ),
    responses(
        (status = 200, description = "What `docs/problems.md` says about the problem, in Markdown.",
            body = String, content_type = "text/plain"),
        (status = 303, description = "The caller accepts HTML by name.",
            headers(("location" = String, description = "The problem's place in the reference."))),
        ParagraphProblems,
    ),
)]
pub(crate) async fn problem(
    code: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    // A segment that is not UTF-8 when decoded cannot be a code either.
    let code = code.map_or_else(|_| String::new(), |Path(code)| code);
    let text = paragraphs::paragraph(&code).ok_or_else(|| {
        Problem::new(ProblemCode::NotFound).detail("No problem of this release has this code.")
    })?;
    let mut response = cached("text/plain; charset=utf-8", text);
    if accept::html(&headers) {
        // Relative, since a proxy may add a path prefix.
        let place = HeaderValue::try_from(format!("../reference#{code}"))
            .map_err(|error| Problem::ours(ProblemCode::InternalError, error))?;
        response = StatusCode::SEE_OTHER.into_response();
        response
            .headers_mut()
            .extend([(CACHE_CONTROL, CACHING), (LOCATION, place)]);
    }
    vary(response.headers_mut(), "Accept");
    Ok(response)
}

/// Check the server's health
///
/// Returns 503 while storage does not accept writes.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "getHealth",
    tag = "service",
    responses(
        (status = 200, description = "The server answers, and storage accepts writes.", body = Health),
        HealthProblems,
    ),
)]
pub(crate) async fn health(
    State(storage): State<Arc<dyn StorageHealth>>,
) -> Result<Json<Health>, Problem> {
    match storage.condition() {
        StorageCondition::NotWritable => Err(match storage.changed_outside() {
            Some(what) => not_writable().public_detail(format!(
                "The server refuses writes: somebody moved, removed or changed {what} while it ran. Its log says more."
            )),
            None => not_writable(),
        }),
        // Existing sessions still work, and no other server could take them over.
        StorageCondition::Ready | StorageCondition::Low => Ok(Json(Health {
            status: "ok",
            storage: storage.is_damaged().then_some("damaged"),
        })),
    }
}

fn cached(content_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, CACHING);
    response
}
