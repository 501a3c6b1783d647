//! `POST /association-keys`: registers the public half of a user's key.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::login::association_key::transitions::RegisterRefusal;
use countersign_domain::use_cases::association_keys::{self, RegisterError, RegisterRequest};
use serde::Deserialize;
use utoipa::ToSchema;

use super::answer::{AssociationKeyId, for_app};
use super::user;
use crate::extract::api_key::{self, Caller};
use crate::extract::body;
use crate::extract::fields::{self, sentence};
use crate::extract::json_body::{self, JsonBody};
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::{ApiState, ROOM_PROBLEMS};

pub(super) const PATH: &str = "/association-keys";

const PUBLIC_KEY: &str = "/publicKey";
const SIGNATURE: &str = "/signature";
const USER: &str = "/publicUserId";

problems![
    api_key::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    user::PROBLEMS,
    &[
        ProblemCode::PublicUserIdAnonymous,
        ProblemCode::AssociationKeyMalformed,
        ProblemCode::KeySignatureMissing,
        ProblemCode::KeySignatureFalse,
        ProblemCode::AssociationKeyTaken,
        ProblemCode::AssociationKeyRevoked,
        ProblemCode::TooManyAssociationKeys,
        ProblemCode::AppAssociationKeysExceeded,
        ProblemCode::AppRateExceeded,
    ],
    ROOM_PROBLEMS,
];

/// The body of `POST /association-keys`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RegisterAssociationKeyRequest {
    /// The app's own id of the user to whom the key belongs: at most 256 characters, all visible. `ANON` is
    /// refused.
    #[schema(
        min_length = 1,
        max_length = 256,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        examples("person@example.com"),
        value_type = String
    )]
    public_user_id: Option<String>,
    /// The public half of the key, as `generateAssociationKey` returned it: a P-256
    /// `SubjectPublicKeyInfo` with an uncompressed point, DER, in standard Base64 with padding.
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
    /// Shows that the phone has the private half: its signature (`generateUserSignature`) over
    /// `countersign-association-key/1`, the app key and `publicUserId`, separated by line feeds.
    /// Required if the app requires proofs, and always checked.
    #[schema(max_length = 96, pattern = "^[A-Za-z0-9+/]+={0,2}$")]
    signature: Option<String>,
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(register))
}

/// Register an association key
///
/// Lets the service verify who confirms a login: a proof by a registered key makes the webhook say
/// `verifiedPublicUserId`. A key belongs to one user of the app, and a user has at most 16 keys.
/// Repeating the request returns the same answer. A revoked key cannot be registered again.
///
/// A key registered with a test key is only used for tests and kept apart from all other keys. It is deleted after a
/// day, or earlier when there are too many.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "registerAssociationKey",
    tag = "association keys",
    request_body(
        content = RegisterAssociationKeyRequest,
        description = "The key and its owner.",
        example = json!({
            "publicUserId": "person@example.com",
            "publicKey": "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==",
        }),
    ),
    responses(
        (status = 200, description = "The key is registered.", body = AssociationKeyId,
            links(("revoke" = (operation_id = "revokeAssociationKey", parameters(("keyId" = "$response.body#/keyId")))))),
        Problems,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn register(
    State(state): State<ApiState>,
    caller: Caller,
    JsonBody(body): JsonBody,
) -> Result<Response, Problem> {
    let RegisterAssociationKeyRequest {
        public_user_id,
        public_key,
        signature,
    } = fields::read(&body)?;
    let owner = user::parse(public_user_id.as_deref()).map_err(|problem| problem.at(USER))?;
    let detail = "Send the key that generateAssociationKey returned as publicKey.";
    let public_key = fields::required(public_key, PUBLIC_KEY, detail)?;
    let request = RegisterRequest {
        app: &caller.app,
        mode: caller.key.mode(),
        owner: &owner,
        public_key: &public_key,
        signature: signature.as_deref(),
        allowance: state.allowance(caller.app.quotas.for_association_keys()),
    };
    state.check_room()?;
    let registered = association_keys::register(state.association_key_ports()?, request).await;
    let answer = registered
        .map(|id| Json(AssociationKeyId::from(id)).into_response())
        .map_err(problem);
    Ok(for_app(&caller.app.id, answer))
}

fn problem(error: RegisterError) -> Problem {
    let refusal = match error {
        RegisterError::Unavailable(cause) => return cause.into(),
        RegisterError::Refused(refusal) => refusal,
    };
    let (code, at) = match refusal {
        RegisterRefusal::QuotaExceeded(exceeded) => return exceeded.into(),
        RegisterRefusal::AppFull => {
            return Problem::new(ProblemCode::AppAssociationKeysExceeded)
                .detail("Ask the operator to raise the quota. Revoked keys count, too.");
        }
        RegisterRefusal::Anonymous => (ProblemCode::PublicUserIdAnonymous, USER),
        RegisterRefusal::MalformedKey => (ProblemCode::AssociationKeyMalformed, PUBLIC_KEY),
        RegisterRefusal::SignatureMissing => (ProblemCode::KeySignatureMissing, SIGNATURE),
        RegisterRefusal::SignatureFalse => (ProblemCode::KeySignatureFalse, SIGNATURE),
        RegisterRefusal::OwnedByAnother | RegisterRefusal::OtherKind => {
            (ProblemCode::AssociationKeyTaken, PUBLIC_KEY)
        }
        RegisterRefusal::Revoked => (ProblemCode::AssociationKeyRevoked, PUBLIC_KEY),
        RegisterRefusal::TooMany => (ProblemCode::TooManyAssociationKeys, USER),
    };
    Problem::new(code).detail(sentence(&refusal)).at(at)
}
