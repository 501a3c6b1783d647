//! `POST /phone-registrations/{id}/sign`: the phone proves that it has its key.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::login::phone_registration::SetupPhoneToken;
use countersign_domain::login::{CredentialId, PasskeyAssertion};
use countersign_domain::use_cases::phone_registrations::{self, PresentedKey, SignRequest, Signed};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::about;
use super::path::PathId;
use super::problems;
use crate::extract::bearer::{self, Bearer};
use crate::extract::body;
use crate::extract::fields::{self, sentence};
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
        ProblemCode::PasskeyMalformed,
        ProblemCode::PasskeyFalse,
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
            "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEb/A7lJJBzh2t1DUZ5pYOCoW0GmmgXDKBA6orzhWUyhY8T3U6Vb8B3FP2wLDH7ueLQMb/fSWpbiKCuYnO9xwUSg=="
        ),
        value_type = String
    )]
    public_key: Option<String>,
    /// The signature of a key in the browser's storage, as for `POST /association-keys`: over
    /// `countersign-association-key/1`, the app key and `publicUserId`, separated by line feeds; DER, in standard Base64
    /// with padding. That of a passkey: DER, in base64url without padding.
    #[schema(max_length = 96, pattern = "^[A-Za-z0-9+/_-]+={0,2}$", examples("MEUCIQD5tqGMmgbZKivyZ-UCqjjlyXpNp6DgU2tUgZedkUF70gIgASBrkSN0Qd3ts68H6xHN--21AAIQGWDjaCn7yk9_QDc"), value_type = String)]
    signature: Option<String>,
    /// The id of a passkey on its phone, in base64url without padding. Only for passkeys.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{2,1364}$",
        examples("q7sXmOJ0vC2m3yY0bq0u3g")
    )]
    credential_id: Option<String>,
    /// What the authenticator said, in base64url without padding. Only for passkeys.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{2,2560}$",
        examples("huwxEJa234llPYlICSn6NP2O6LFyeUIziJ3fl1HDv3UdAAAAAA")
    )]
    authenticator_data: Option<String>,
    /// What the browser said, in base64url without padding. Only for passkeys.
    #[serde(rename = "clientDataJSON")]
    #[schema(
        pattern = "^[A-Za-z0-9_-]{2,2560}$",
        examples(
            "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoia1dTNnpfajh0VlBMaXZaX25nRjdfSkd6UDR3NUphX0lzZDVWN2IxMl9OSSIsIm9yaWdpbiI6Imh0dHBzOi8vbG9naW4uc2hvcC5leGFtcGxlOjg0NDMiLCJjcm9zc09yaWdpbiI6ZmFsc2V9"
        )
    )]
    client_data_json: Option<String>,
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
    request_body(
        content = SignPhoneRegistrationRequest,
        description = "The key with its signature.",
        example = json!({
            "publicKey": "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEb/A7lJJBzh2t1DUZ5pYOCoW0GmmgXDKBA6orzhWUyhY8T3U6Vb8B3FP2wLDH7ueLQMb/fSWpbiKCuYnO9xwUSg==",
            "credentialId": "q7sXmOJ0vC2m3yY0bq0u3g",
            "authenticatorData": "huwxEJa234llPYlICSn6NP2O6LFyeUIziJ3fl1HDv3UdAAAAAA",
            "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoia1dTNnpfajh0VlBMaXZaX25nRjdfSkd6UDR3NUphX0lzZDVWN2IxMl9OSSIsIm9yaWdpbiI6Imh0dHBzOi8vbG9naW4uc2hvcC5leGFtcGxlOjg0NDMiLCJjcm9zc09yaWdpbiI6ZmFsc2V9",
            "signature": "MEUCIQD5tqGMmgbZKivyZ-UCqjjlyXpNp6DgU2tUgZedkUF70gIgASBrkSN0Qd3ts68H6xHN--21AAIQGWDjaCn7yk9_QDc",
        }),
    ),
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
        credential_id,
        authenticator_data,
        client_data_json,
    } = fields::read(&body)?;
    let public_key = fields::required(public_key, PUBLIC_KEY, "Send the key as publicKey.")?;
    let signature = fields::required(signature, SIGNATURE, "Send the key's signature.")?;
    let is_passkey =
        credential_id.is_some() || authenticator_data.is_some() || client_data_json.is_some();
    let passkey = if is_passkey {
        let missing = |at| {
            Problem::new(ProblemCode::PasskeyMalformed)
                .detail("Send credentialId, authenticatorData and clientDataJSON together.")
                .at(at)
        };
        let (at, code) = ("/credentialId", ProblemCode::PasskeyMalformed);
        let credential = fields::parsed::<CredentialId>(credential_id.as_deref(), at, code)?;
        let credential = credential.ok_or_else(|| missing(at))?;
        let data = authenticator_data.ok_or_else(|| missing("/authenticatorData"))?;
        let client = client_data_json.ok_or_else(|| missing("/clientDataJSON"))?;
        Some((credential, assertion(&data, &client, &signature)?))
    } else {
        None
    };
    let (id, token) = id.with_token(bearer)?;
    let key = match &passkey {
        None => PresentedKey::Browser {
            public_key: &public_key,
            signature: &signature,
        },
        Some((credential, assertion)) => PresentedKey::Passkey {
            public_key: &public_key,
            credential,
            assertion,
        },
    };
    let request = SignRequest {
        id,
        token: &token,
        key,
    };
    let signed = phone_registrations::sign(state.setup_ports()?, request).await;
    let answer = signed.map(|signed| Json(SignedPhoneRegistration::from(signed)).into_response());
    Ok(about(Some(id), None, answer.map_err(Problem::from)))
}

/// Parses the parts of an assertion.
pub(crate) fn assertion(
    data: &str,
    client: &str,
    signature: &str,
) -> Result<PasskeyAssertion, Problem> {
    PasskeyAssertion::from_base64url(data, client, signature)
        .map_err(|error| Problem::new(ProblemCode::PasskeyMalformed).detail(sentence(&error)))
}
