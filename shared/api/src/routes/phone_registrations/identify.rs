//! `POST /passkeys/identify`: tells a phone whose passkey it has.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::login::{AssociationKey, ClaimedUserId, KeyPoint};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::use_cases::phone_registrations::{self, IdentifyError, IdentifyRequest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::about;
use super::sign::assertion;
use crate::extract::app_key::{self, NamedApp};
use crate::extract::body;
use crate::extract::fields;
use crate::extract::json_body::{self, JsonBody};
use crate::middleware::rate_limit;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

pub(super) const PATH: &str = "/passkeys/identify";

problems![
    rate_limit::PROBLEMS,
    app_key::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    &[
        ProblemCode::FieldMissing,
        ProblemCode::PasskeyMalformed,
        ProblemCode::PasskeyFalse,
        ProblemCode::PasskeyUnknown,
        ProblemCode::WebPhoneOff,
    ],
];

/// The body of `POST /passkeys/identify`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IdentifyPasskeyRequest {
    /// What the authenticator said, in base64url without padding.
    #[schema(pattern = "^[A-Za-z0-9_-]{2,2560}$", examples("SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MdAAAAAA"), value_type = String)]
    authenticator_data: Option<String>,
    /// What the browser said, in base64url without padding.
    #[serde(rename = "clientDataJSON")]
    #[schema(pattern = "^[A-Za-z0-9_-]{2,2560}$", examples("eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiX01tZHhhdklpWFRjRlREWmlLMjZIRVlKVnZhV3NsS0p0NGg4QUdxTGRldyIsIm9yaWdpbiI6Imh0dHA6Ly9sb2NhbGhvc3Q6ODc4NyIsImNyb3NzT3JpZ2luIjpmYWxzZX0"), value_type = String)]
    client_data_json: Option<String>,
    /// The signature: DER, in base64url without padding.
    #[schema(pattern = "^[A-Za-z0-9_-]{2,96}$", examples("MEUCIHIkf5Zykm_BepacgFJ5esEBili8h2X6TBkWBvuckYMgAiEAi97JQk6rP35d6ea5Y4xSaqX_1XrkoY0dYRSYnny4uIM"), value_type = String)]
    signature: Option<String>,
    /// The phone's time, which the challenge contains in decimal digits: milliseconds since 1970.
    #[schema(minimum = 0, maximum = 999_999_999_999_999_u64, examples(1_767_323_045_678_u64), value_type = u64)]
    at: Option<f64>,
}

/// The owner of a passkey.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IdentifiedPasskey {
    /// The user.
    #[schema(examples("person@example.com"))]
    public_user_id: String,
    /// The key's JWK thumbprint (RFC 7638), the `kid` of its proofs.
    #[schema(examples("cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s"))]
    key_id: String,
    /// The public half of the key: a P-256 `SubjectPublicKeyInfo`, DER, in standard Base64 with padding.
    #[schema(pattern = "^[A-Za-z0-9+/]{122}==$")]
    public_key: String,
}

impl IdentifiedPasskey {
    fn from_key(key: &AssociationKey) -> Option<Self> {
        Some(Self {
            public_user_id: key.owner().map(ClaimedUserId::as_str)?.to_owned(),
            key_id: key.id.to_string(),
            public_key: key.point().map(KeyPoint::spki)?,
        })
    }
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(identify))
}

/// Identify a passkey
///
/// For a phone whose browser has forgotten everything except its passkeys: an assertion of one of them tells whose it is.
/// The challenge is SHA-256 over `countersign/webauthn-identify/1`, a zero byte, the app key, a zero byte, and `at`. The
/// phone's time must be right to a minute.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "identifyPasskey",
    tag = "phone registrations",
    request_body(
        content = IdentifyPasskeyRequest,
        description = "An assertion of any passkey of the link host.",
        example = json!({
            "authenticatorData": "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MdAAAAAA",
            "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiX01tZHhhdklpWFRjRlREWmlLMjZIRVlKVnZhV3NsS0p0NGg4QUdxTGRldyIsIm9yaWdpbiI6Imh0dHA6Ly9sb2NhbGhvc3Q6ODc4NyIsImNyb3NzT3JpZ2luIjpmYWxzZX0",
            "signature": "MEUCIHIkf5Zykm_BepacgFJ5esEBili8h2X6TBkWBvuckYMgAiEAi97JQk6rP35d6ea5Y4xSaqX_1XrkoY0dYRSYnny4uIM",
            "at": 1_767_323_045_678_u64,
        }),
    ),
    responses(
        (status = 200, description = "The owner.", body = IdentifiedPasskey),
        Problems,
    ),
    security(("appKey" = [])),
)]
pub(crate) async fn identify(
    State(state): State<ApiState>,
    NamedApp(app): NamedApp,
    JsonBody(body): JsonBody,
) -> Result<Response, Problem> {
    let IdentifyPasskeyRequest {
        authenticator_data,
        client_data_json,
        signature,
        at,
    } = fields::read(&body)?;
    let detail = "Send authenticatorData, clientDataJSON, signature and at.";
    let data = fields::required(authenticator_data, "/authenticatorData", detail)?;
    let client = fields::required(client_data_json, "/clientDataJSON", detail)?;
    let signature = fields::required(signature, "/signature", detail)?;
    let at = whole(fields::required(at, "/at", detail)?)?;
    let assertion = assertion(&data, &client, &signature)?;
    let request = IdentifyRequest {
        app: &app,
        assertion: &assertion,
        at: Timestamp::from_millis(at),
    };
    let found = phone_registrations::identify(state.setup_ports()?, request).await;
    let answer = found.map_err(problem).and_then(|key| {
        let unknown = Problem::new(ProblemCode::PasskeyUnknown);
        let owner = IdentifiedPasskey::from_key(&key).ok_or(unknown)?;
        Ok(Json(owner).into_response())
    });
    Ok(about(None, Some(app.id.clone()), answer))
}

/// Returns a number that JSON may write as `1`, `1.0` or `1e0`.
fn whole(number: f64) -> Result<u64, Problem> {
    let digits = (number.fract() == 0.0).then(|| format!("{number:.0}"));
    let whole = digits.and_then(|digits| digits.parse().ok());
    whole.ok_or_else(|| {
        Problem::new(ProblemCode::FieldWrongType)
            .detail("It must be a whole number.")
            .at("/at")
    })
}

fn problem(error: IdentifyError) -> Problem {
    match error {
        IdentifyError::Off => Problem::new(ProblemCode::WebPhoneOff),
        IdentifyError::WrongTime => Problem::new(ProblemCode::PasskeyFalse)
            .detail("Take the time from serverTime or the header Date of an answer."),
        IdentifyError::Unknown => Problem::new(ProblemCode::PasskeyUnknown),
        IdentifyError::Unavailable(cause) => cause.into(),
    }
}
