//! `POST /phone-registrations`: the app's server begins to set up a phone.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::app::key_label::KeyLabel;
use countersign_domain::use_cases::phone_registrations::{
    self, CreateError, CreateRequest, Created,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::about;
use crate::extract::api_key::{self, Caller};
use crate::extract::body;
use crate::extract::fields::{self, sentence};
use crate::extract::json_body::{self, JsonBody};
use crate::problem::{Problem, ProblemCode};
use crate::routes::association_keys::user;
use crate::schema::problems::problems;
use crate::state::{ApiState, ROOM_PROBLEMS};

pub(super) const PATH: &str = "/phone-registrations";

const USER: &str = "/publicUserId";
const LABEL: &str = "/label";

problems![
    api_key::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    user::PROBLEMS,
    &[
        ProblemCode::PublicUserIdAnonymous,
        ProblemCode::LabelMalformed,
        ProblemCode::WebPhoneOff,
        ProblemCode::TooManyRegistrations,
        ProblemCode::AppRateExceeded,
    ],
    ROOM_PROBLEMS,
];

/// The body of `POST /phone-registrations`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreatePhoneRegistrationRequest {
    /// The app's own id of the user who is logged in: at most 256 characters, all visible. `ANON` is refused.
    #[schema(
        min_length = 1,
        max_length = 256,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        examples("person@example.com"),
        value_type = String
    )]
    public_user_id: Option<String>,
    /// The account's name as the user knows it, which the phone shows: at most 60 characters, all visible. Send it if
    /// `publicUserId` means nothing to the user.
    #[schema(min_length = 1, max_length = 60, examples("Zoë Example"))]
    label: Option<String>,
}

/// A new phone registration.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreatedPhoneRegistration {
    /// The id of the registration.
    #[schema(
        pattern = "^phr_[0-9a-f]{32}$",
        examples("phr_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    registration_id: String,
    /// The link for the phone: as a link on the phone, as a QR code on another screen. Only the first phone can open
    /// it. It contains a secret, so do not log it.
    #[schema(examples(
        "https://login.shop.example/phone-setup#phr_5f0c8a41f2d94e6b7a13c0de9b81d2a4.nW0tT1kX1c0m7Q2bq8Xh5A"
    ))]
    url: String,
    /// The token of the page where the user is logged in: it watches the registration and sends the digits.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{43}$",
        examples("mBq7wPKQ8DPZJ9x0R0R4l0bZ0s2mC1Xy5b3lYH2T7kE")
    )]
    page_token: String,
    /// When the registration expires. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:15:05.678Z"))]
    expires_at: String,
    /// The seconds until then.
    #[schema(examples(600))]
    expires_in: u64,
    /// The service's time. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:05.678Z"))]
    server_time: String,
}

impl From<&Created> for CreatedPhoneRegistration {
    fn from(created: &Created) -> Self {
        Self {
            registration_id: created.id.to_string(),
            url: created.url.clone(),
            page_token: created.page_token.reveal(),
            expires_at: created.expires_at.to_string(),
            expires_in: created.expires_at.since(created.server_time).as_secs(),
            server_time: created.server_time.to_string(),
        }
    }
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(create))
}

/// Begin to set up a phone
///
/// For a user who is logged in, and who has just logged in again or approved this with another phone: whoever has the
/// link and the page can add a phone to the account. Show `url` on the phone, or as a QR code on another screen, and give
/// `pageToken` to the page. The first phone that opens the link makes a key and shows two digits. The user types them
/// into the page, and the key is registered as one of the user's association keys.
///
/// The app needs the setting `--web-phone on`. With a test key, the phone's key is one for tests.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "createPhoneRegistration",
    tag = "phone registrations",
    request_body(content = CreatePhoneRegistrationRequest, description = "The user, and the account's name.",
        example = json!({"publicUserId": "person@example.com", "label": "Zoë Example"})),
    responses(
        (status = 200, description = "The registration with its link.", body = CreatedPhoneRegistration,
            links(("show" = (operation_id = "getPhoneRegistration", parameters(("id" = "$response.body#/registrationId")))))),
        Problems,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn create(
    State(state): State<ApiState>,
    caller: Caller,
    JsonBody(body): JsonBody,
) -> Result<Response, Problem> {
    let CreatePhoneRegistrationRequest {
        public_user_id,
        label,
    } = fields::read(&body)?;
    let owner = user::parse(public_user_id.as_deref()).map_err(|problem| problem.at(USER))?;
    let label = fields::parsed::<KeyLabel>(label.as_deref(), LABEL, ProblemCode::LabelMalformed)?;
    let request = CreateRequest {
        app: &caller.app,
        mode: caller.key.mode(),
        owner,
        label,
        allowance: state.allowance(caller.app.quotas.for_association_keys()),
    };
    state.check_room()?;
    let created = phone_registrations::create(state.setup_ports()?, request).await;
    let id = created.as_ref().ok().map(|created| created.id);
    let answer = created
        .map(|created| Json(CreatedPhoneRegistration::from(&created)).into_response())
        .map_err(problem);
    Ok(about(id, Some(caller.app.id.clone()), answer))
}

fn problem(error: CreateError) -> Problem {
    match error {
        CreateError::Unavailable(cause) => cause.into(),
        CreateError::QuotaExceeded(exceeded) => exceeded.into(),
        CreateError::Anonymous => Problem::new(ProblemCode::PublicUserIdAnonymous)
            .detail(sentence(&error))
            .at(USER),
        CreateError::Off => Problem::new(ProblemCode::WebPhoneOff)
            .detail("Turn it on: countersign app update APP --web-phone on."),
        CreateError::HostShared => Problem::new(ProblemCode::WebPhoneOff)
            .detail("Another app has the same link host. Give each its own."),
        CreateError::TooMany => Problem::new(ProblemCode::TooManyRegistrations),
    }
}
