//! `POST /phone-registrations/{id}/open`: a phone opens the link.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::app::key_label::KeyLabel;
use countersign_domain::login::phone_registration::{SetupPhoneToken, SetupSecret};
use countersign_domain::login::{CredentialId, RpId};
use countersign_domain::use_cases::phone_registrations::{self, OpenRequest, Opened};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::about;
use super::path::PathId;
use super::problems;
use crate::extract::bearer::{self, Bearer};
use crate::extract::body;
use crate::extract::fields;
use crate::extract::json_body::{self, JsonBody};
use crate::extract::visitor::CallingVisitor;
use crate::middleware::rate_limit;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

pub(super) const PATH: &str = "/phone-registrations/{id}/open";

const SECRET: &str = "/secret";

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    &[
        ProblemCode::FieldMissing,
        ProblemCode::TokenMalformed,
        ProblemCode::RegistrationOpened,
        ProblemCode::WebPhoneOff,
    ],
    problems::ENDED_PROBLEMS,
];

/// The body of `POST /phone-registrations/{id}/open`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenPhoneRegistrationRequest {
    /// The secret in the link, after the dot: 16 bytes in base64url.
    #[schema(
        min_length = 22,
        max_length = 22,
        pattern = "^[A-Za-z0-9_-]{21}[AQgw]$",
        examples("nW0tT1kX1c0m7Q2bq8Xh5A"),
        value_type = String
    )]
    secret: Option<String>,
}

/// A registration that this phone has opened.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenedPhoneRegistration<'a> {
    /// The app.
    app: PhoneRegistrationApp<'a>,
    /// The user whose phone this becomes. Show it if there is no `label`.
    #[schema(examples("person@example.com"))]
    public_user_id: &'a str,
    /// The account's name as the user knows it. If present, the person must see it instead of `publicUserId`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, examples("Zoë Example"))]
    label: Option<&'a str>,
    /// The keys that the app accepts: `any`, or `passkey`.
    #[schema(examples("any"))]
    key: &'static str,
    /// The relying party id of a passkey. Absent if the link host is an IP address, which has no passkeys.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, examples("login.shop.example"))]
    rp_id: Option<String>,
    /// The origin that the assertions of a passkey must name.
    #[schema(examples("https://login.shop.example"))]
    origin: String,
    /// The user handle for a passkey: 32 bytes in base64url, new for each registration.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{43}$",
        examples("mBq7wPKQ8DPZJ9x0R0R4l0bZ0s2mC1Xy5b3lYH2T7kE")
    )]
    user_handle: String,
    /// The ids of the user's passkeys, in base64url: a phone that has one of them makes no second one.
    #[schema(examples("q7sXmOJ0vC2m3yY0bq0u3g"))]
    exclude_credentials: Vec<&'a str>,
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

/// The app of a phone registration.
#[derive(Serialize, ToSchema)]
pub(crate) struct PhoneRegistrationApp<'a> {
    /// The app's name.
    #[schema(examples("shop"))]
    name: &'a str,
    /// The app's public key, which is part of what the phone signs.
    #[schema(examples("cs_app_0Jx8yTqM2nVbKcRfWs5LhZ"))]
    key: &'a str,
}

impl<'a> From<&'a Opened> for OpenedPhoneRegistration<'a> {
    fn from(opened: &'a Opened) -> Self {
        let Opened {
            registration,
            app,
            user_handle,
            keys,
            server_time,
        } = opened;
        let host = &registration.host;
        let expires_at = registration.expires_at();
        Self {
            app: PhoneRegistrationApp {
                name: app.id.as_str(),
                key: app.app_key.as_str(),
            },
            public_user_id: registration.owner.as_str(),
            label: registration.label.as_ref().map(KeyLabel::as_str),
            key: app.login.web_phone_key.into_str(),
            rp_id: RpId::of_host(host).map(|id| id.to_string()),
            origin: format!("{}://{host}", host.scheme()),
            user_handle: user_handle.to_string(),
            exclude_credentials: keys
                .iter()
                .filter_map(|key| key.credential().map(CredentialId::as_str))
                .collect(),
            expires_at: expires_at.to_string(),
            expires_in: expires_at.since(*server_time).as_secs(),
            server_time: server_time.to_string(),
        }
    }
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(open))
}

/// Open a link on a phone
///
/// For the page at the link, after the person has tapped: fetching the link changes nothing. The phone generates a token
/// of 32 random bytes, sends it here in base64url, and later proves with it that it is the same phone. Only the first
/// phone opens the link, and may repeat the request.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "openPhoneRegistration",
    tag = "phone registrations",
    params(PathId),
    request_body(content = OpenPhoneRegistrationRequest, description = "The secret in the link.",
        example = json!({"secret": "nW0tT1kX1c0m7Q2bq8Xh5A"})),
    responses(
        (status = 200, description = "What the person must see, and what the key is made for.",
            body = OpenedPhoneRegistration),
        Problems,
    ),
    security(("setupPhoneToken" = [])),
)]
pub(crate) async fn open(
    State(state): State<ApiState>,
    Bearer(token): Bearer<SetupPhoneToken>,
    JsonBody(body): JsonBody,
    id: PathId,
    CallingVisitor(phone): CallingVisitor,
) -> Result<Response, Problem> {
    let OpenPhoneRegistrationRequest { secret } = fields::read(&body)?;
    let secret = fields::required(
        secret,
        SECRET,
        "Send the link's part after the dot as secret.",
    )?;
    let malformed = || {
        Problem::new(ProblemCode::TokenMalformed)
            .detail("Generate 32 random bytes, and send them in base64url without padding.")
    };
    let token = token.ok_or_else(malformed)?;
    let id = id.known()?;
    // A malformed secret gets the same answer as a wrong one.
    let unknown = Problem::new(ProblemCode::RegistrationNotFound);
    let secret = secret.parse::<SetupSecret>().map_err(|_| unknown)?;
    let request = OpenRequest {
        id,
        token: &token,
        secret: &secret,
        phone,
    };
    let opened = phone_registrations::open(state.setup_ports()?, request).await;
    let app = opened.as_ref().ok().map(|opened| opened.app.id.clone());
    let answer = opened.map(|opened| Json(OpenedPhoneRegistration::from(&opened)).into_response());
    Ok(about(Some(id), app, answer.map_err(Problem::from)))
}
