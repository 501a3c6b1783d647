//! `POST /phone-registrations/{id}/digits`: the page sends the digits that the user typed.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use countersign_domain::login::CheckCode;
use countersign_domain::login::phone_registration::SetupPageToken;
use countersign_domain::use_cases::phone_registrations;
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::answer::about;
use super::path::PathId;
use super::problems;
use crate::extract::bearer::{self, Bearer};
use crate::extract::body;
use crate::extract::fields;
use crate::extract::json_body::{self, JsonBody};
use crate::middleware::rate_limit;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

pub(super) const PATH: &str = "/phone-registrations/{id}/digits";

const DIGITS: &str = "/digits";

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    &[
        ProblemCode::FieldMissing,
        ProblemCode::CheckCodeMalformed,
        ProblemCode::CheckCodeWrong,
        ProblemCode::RegistrationNotSigned,
        ProblemCode::RegistrationCancelled,
        ProblemCode::RegistrationFailed,
        ProblemCode::RegistrationExpired,
        ProblemCode::WebPhoneOff,
        ProblemCode::TooManyAssociationKeys,
        ProblemCode::AppAssociationKeysExceeded,
    ],
    problems::KEY_PROBLEMS,
];

/// The body of `POST /phone-registrations/{id}/digits`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckPhoneRegistrationRequest {
    /// The two digits that the phone shows.
    #[schema(pattern = "^[0-9]{2}$", examples("42"), value_type = String)]
    digits: Option<String>,
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(check_digits))
}

/// Send the digits
///
/// For the page where the user is logged in: the user types the two digits that the phone shows. If they are right, the
/// phone's key is registered. Sending them again gets the same answer. The third different wrong pair ends the
/// registration.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "checkPhoneRegistration",
    tag = "phone registrations",
    params(PathId),
    request_body(content = CheckPhoneRegistrationRequest, description = "The digits that the user typed.",
        example = json!({"digits": "42"})),
    responses((status = 204, description = "The phone is set up."), Problems),
    security(("setupPageToken" = [])),
)]
pub(crate) async fn check_digits(
    State(state): State<ApiState>,
    bearer: Bearer<SetupPageToken>,
    JsonBody(body): JsonBody,
    id: PathId,
) -> Result<Response, Problem> {
    let CheckPhoneRegistrationRequest { digits } = fields::read(&body)?;
    let code = ProblemCode::CheckCodeMalformed;
    let digits = fields::parsed::<CheckCode>(digits.as_deref(), DIGITS, code)?;
    let detail = "Send the two digits that the phone shows as digits.";
    let digits = fields::required(digits, DIGITS, detail)?;
    let (id, token) = id.with_token(bearer)?;
    let ports = state.setup_ports()?;
    let checked = phone_registrations::check_digits(ports, id, &token, digits).await;
    let answer = checked.map(|()| StatusCode::NO_CONTENT.into_response());
    Ok(about(Some(id), None, answer.map_err(Problem::from)))
}
