//! `POST /qr-sessions/{id}/initiate`: a phone opens the code that it scanned.

mod session;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use countersign_domain::login::MobileToken;
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::InitiateRequest;
use serde::Deserialize;
use utoipa::ToSchema;

use super::answer::about;
use super::path::PathId;
use super::problems;
use crate::extract::accept_language::{self, AskedTexts};
use crate::extract::app_key::{self, NamedApp};
use crate::extract::bearer::{self, Bearer};
use crate::extract::body;
use crate::extract::fields;
use crate::extract::json_body::{self, JsonBody};
use crate::extract::sender::{self, Sender};
use crate::extract::visitor::CallingVisitor;
use crate::middleware::rate_limit;
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;
use session::OpenedSession;

pub(super) const PATH: &str = "/qr-sessions/{id}/initiate";

problems![
    rate_limit::PROBLEMS,
    app_key::PROBLEMS,
    sender::PROBLEMS,
    bearer::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    &[
        ProblemCode::TestKeyNeeded,
        ProblemCode::PublicUserIdMalformed,
        ProblemCode::UserMismatch,
        ProblemCode::SecondPhone,
        ProblemCode::SessionInitiatedDifferently,
        ProblemCode::SessionEnded,
        ProblemCode::SessionExpired,
    ],
];

/// The body of `POST /qr-sessions/{id}/initiate`. `null` counts as absent.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InitiateSessionRequest {
    /// The name that the user claims, with which earlier logins are compared. It is not verified.
    /// Omit it, or send `ANON`, for no user. At most 256 characters, all visible.
    #[schema(
        min_length = 1,
        max_length = 256,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        examples("person@example.com")
    )]
    public_user_id: Option<String>,
    /// Whether the app will open the answer's `returnUrl` in the phone's browser after a
    /// confirmation.
    can_return: Option<bool>,
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(initiate))
}

/// Open a code
///
/// For the phone that scanned the code. The phone generates a token of 32 random bytes, sends it here
/// in base64url, and later proves with it that it is the same phone. Repeating the request with the same token and
/// body returns the same login; another token means another phone, and blocks the login. A request that
/// specifies a different user from the one that the app's server expects is refused, and changes
/// nothing. The answer is what the user must see before deciding, with texts in the language that
/// `Accept-Language` asks for.
///
/// Before the phone shows the answer, it computes the session's id from its own app key and from
/// `origin`, `context` and `browserPublicKey`. If the id differs from the scanned one, the phone denies with the
/// reason `key_mismatch`. An empty body counts as `{}`.
///
/// The app's own tests send a test key as `x-api-key` instead of the app key, and open only what test keys opened. For
/// a phone with the app key such a code is unknown.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "initiateSession",
    tag = "logins",
    params(
        PathId,
        ("Accept-Language" = Option<String>, Header, nullable = false,
            description = accept_language::DESCRIPTION),
    ),
    request_body(content = InitiateSessionRequest, description = "The name that the user claims.",
        example = json!({"publicUserId": "person@example.com"})),
    responses(
        (status = 200, description = "The login, which only this phone can decide.",
            body = OpenedSession,
            headers(("content-language" = String, description = "The language of the texts."))),
        Problems,
    ),
    security(("appKey" = [], "mobileToken" = []), ("apiKey" = [], "mobileToken" = [])),
)]
pub(crate) async fn initiate(
    State(state): State<ApiState>,
    bearer: Bearer<MobileToken>,
    sender: Sender<NamedApp>,
    JsonBody(body): JsonBody,
    id: PathId,
    CallingVisitor(phone): CallingVisitor,
    AskedTexts(texts): AskedTexts,
) -> Result<Response, Problem> {
    let (app, test) = match sender {
        Sender::Device(NamedApp(app)) => (app, false),
        Sender::Server(caller) => {
            caller.only_test()?;
            (caller.app, true)
        }
    };
    let InitiateSessionRequest {
        public_user_id,
        can_return,
    } = fields::read(&body)?;
    let (at, code) = ("/publicUserId", ProblemCode::PublicUserIdMalformed);
    let user = fields::parsed(public_user_id.as_deref(), at, code)?;
    let (id, token) = id.with_token(bearer)?;
    let request = InitiateRequest {
        app: &app,
        id,
        token: &token,
        phone,
        test,
        can_return: can_return.unwrap_or_default(),
        user,
    };
    let answer = logins::initiate(state.login_ports()?, request).await;
    let answer = answer.map_err(Problem::from);
    let answer = answer.and_then(|initiated| session::respond(&app, &initiated, texts));
    Ok(about(id, Some(app.id.clone()), answer))
}
