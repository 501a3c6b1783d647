//! `POST /phone-registrations/{id}/sign`: the phone proves that it has its key.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::login::phone_registration::SetupPhoneToken;
use countersign_domain::use_cases::phone_registrations::{self, PresentedKey, SignRequest, Signed};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::about;
use super::path::{PathId, identify};
use super::problems;
use crate::extract::bearer::{self, Bearer};
use crate::extract::body;
use crate::extract::fields;
use crate::extract::json_body::{self, JsonBody};
use crate::middleware::rate_limit;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

pub(super) const PATH: &str = "/phone-registrations/{id}/sign";

const PUBLIC_KEY: &str = "/publicKey";
const SIGNATURE: &str = "/signature";

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    &[
        ProblemCode::FieldMissing,
        ProblemCode::AssociationKeyMalformed,
        ProblemCode::KeySignatureFalse,
        ProblemCode::PasskeyRequired,
        ProblemCode::RegistrationSignedDifferently,
        ProblemCode::WebPhoneOff,
    ],
    problems::KEY_PROBLEMS,
    problems::ENDED_PROBLEMS,
];

/// The body of `POST /phone-registrations/{id}/sign`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignPhoneRegistrationRequest {
    /// The public half of the key: a P-256 `SubjectPublicKeyInfo` with an uncompressed point, DER, in standard Base64
    /// with padding.
    #[schema(
        min_length = 124,
        max_length = 124,
        pattern = "^[A-Za-z0-9+/]{122}==$",
        examples(
            "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q=="
        ),
        value_type = String
    )]
    public_key: Option<String>,
    /// The key's signature, as for `POST /association-keys`: over `countersign-association-key/1`, the app key and
    /// `publicUserId`, separated by line feeds; DER, in standard Base64 with padding.
    #[schema(max_length = 96, pattern = "^[A-Za-z0-9+/]+={0,2}$", value_type = String)]
    signature: Option<String>,
}

/// The digits that the phone shows.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignedPhoneRegistration {
    /// The two digits. Only the phone may show them; the user types them into the app's page.
    #[schema(pattern = "^[0-9]{2}$", examples("42"))]
    digits: String,
    /// When the registration expires. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:15:05.678Z"))]
    expires_at: String,
    /// The seconds until then, rounded down.
    #[schema(examples(540))]
    expires_in: u64,
    /// The service's time. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:06:05.678Z"))]
    server_time: String,
}

impl From<Signed> for SignedPhoneRegistration {
    fn from(signed: Signed) -> Self {
        let Signed {
            digits,
            expires_at,
            server_time,
        } = signed;
        Self {
            digits: digits.digits(),
            expires_at: expires_at.to_string(),
            expires_in: expires_at.since(server_time).as_secs(),
            server_time: server_time.to_string(),
        }
    }
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(sign))
}

/// Prove the phone's key
///
/// For the phone that opened the link: shows that it has the private half of its key, and returns the digits to show.
/// The key becomes one of the user's keys only when the user has typed the digits. A key that the app knows, or that was
/// revoked, is refused. Repeating the same request returns the same digits.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "signPhoneRegistration",
    tag = "phone registrations",
    params(PathId),
    request_body(content = SignPhoneRegistrationRequest, description = "The key with its signature."),
    responses(
        (status = 200, description = "The digits.", body = SignedPhoneRegistration),
        Problems,
    ),
    security(("setupPhoneToken" = [])),
)]
pub(crate) async fn sign(
    State(state): State<ApiState>,
    bearer: Bearer<SetupPhoneToken>,
    JsonBody(body): JsonBody,
    id: PathId,
) -> Result<Response, Problem> {
    let SignPhoneRegistrationRequest {
        public_key,
        signature,
    } = fields::read(&body)?;
    let public_key = fields::required(public_key, PUBLIC_KEY, "Send the key as publicKey.")?;
    let signature = fields::required(signature, SIGNATURE, "Send the key's signature.")?;
    let (id, token) = identify(id, bearer)?;
    let request = SignRequest {
        id,
        token: &token,
        key: PresentedKey::Browser {
            public_key: &public_key,
            signature: &signature,
        },
    };
    let signed = phone_registrations::sign(state.setup_ports()?, request).await;
    let answer = signed.map(|signed| Json(SignedPhoneRegistration::from(signed)).into_response());
    Ok(about(Some(id), None, answer.map_err(Problem::from)))
}
