use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use countersign_domain::event::{Event, LoginEvent};
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::{CreateRequest, Created};
use http::header::ORIGIN;
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use super::{refusal, written};
use crate::call::{JsonBody, OfApp};
use crate::frame::Noted;
use crate::openapi::CreateSessionRequest;
use crate::problem::Problem;
use crate::rate_limit::Source;
use crate::state::ApiState;
use crate::viewer::Visiting;

/// A new session, as the browser that opened it sees it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewSession<'a> {
    /// Identifier of the session. It is on the screen for all to see, and proves nothing.
    #[schema(
        pattern = "^qrs_[0-9a-f]{32}$",
        examples("qrs_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    session_id: String,
    /// What the code says, and what opens the app on the same phone. Where the browser gave a key,
    /// the fragment has `k`, its SHA-256 in base64url.
    #[schema(
        format = "uri",
        examples("https://login.shop.example?sessionId=qrs_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    url: String,
    /// By what the browser proves that it is the one. Secret; nobody keeps it but the browser.
    #[schema(examples("LXEWQrcmsEQBYnyp-6wy9chTD7GQPMTbAiWHF5IaSIE"))]
    browser_token: String,
    /// Until when the code can be scanned. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:05.678Z"))]
    expires_at: String,
    /// Where to listen for changes: a WebSocket, whose first message is
    /// `{"sessionId": …, "browserToken": …}`.
    #[schema(format = "uri", examples("wss://api.example.com/socket"))]
    socket_url: &'a str,
}

/// Open a login session
///
/// For a page whose origin the app lists; browsers say themselves which origin that is. The page
/// shows `url` as a QR code, and on a phone as a link. An empty body counts as `{}`.
#[utoipa::path(
    post,
    path = "/qr-sessions",
    operation_id = "createSession",
    tag = "logins",
    params(("Origin" = String, Header, description = "The page's origin, as browsers send it.",
        example = "https://shop.example")),
    request_body(content = CreateSessionRequest, description = "What the browser has.",
        example = json!({"browserPublicKey": "BAswVXqfxOkOM1h9osfsETZbgKXK7xQ5XoOozfIXPGGGq9D1Gj9kia7T-B1CZ4yx1vsgRWqPtNn-I0htkrfcASY"})),
    responses((status = 200, description = "The session, which waits to be scanned.", body = NewSession,
        links(
            ("status" = (operation_id = "getSession", parameters(("id" = "$response.body#/sessionId")))),
            ("cancel" = (operation_id = "cancelSession", parameters(("id" = "$response.body#/sessionId")))),
            ("redeem" = (operation_id = "redeemSession", parameters(("id" = "$response.body#/sessionId")))),
            ("initiate" = (operation_id = "initiateSession", parameters(("id" = "$response.body#/sessionId")))),
            ("confirm" = (operation_id = "confirmSession", parameters(("id" = "$response.body#/sessionId")))),
            ("deny" = (operation_id = "denySession", parameters(("id" = "$response.body#/sessionId")))),
        ))),
    security(("appKey" = [])),
)]
pub(crate) async fn create(
    State(state): State<ApiState>,
    headers: HeaderMap,
    OfApp(app): OfApp,
    JsonBody(body): JsonBody,
    Visiting(browser): Visiting,
    source: Source,
) -> Result<Response, Problem> {
    let request = CreateRequest {
        app: &app,
        origin: only_origin(&headers),
        browser,
        browser_key: written::browser_key(&body)?,
        allowance: state.allowance(app.quotas.for_logins()),
    };
    let ports = state.login_ports()?;
    let request = logins::approve(ports, request).map_err(refusal::of_create)?;
    state.check_room()?;
    let counted = state
        .rate_limiter()
        .count_opening(source, state.clock.now());
    if let Err(problem) = counted {
        state
            .metrics
            .count(&Event::Login(LoginEvent::OpeningLimited));
        return Err(problem);
    }
    let created = logins::create(ports, request).await;
    let Created { login, link, token } = created.map_err(refusal::of_create)?;
    let new = NewSession {
        session_id: login.id.to_string(),
        url: link.to_string(),
        browser_token: token.reveal(),
        expires_at: login.expires_at().to_string(),
        socket_url: &state.logins()?.socket_url,
    };
    let mut response = (StatusCode::OK, axum::Json(new)).into_response();
    response.extensions_mut().insert(Noted {
        app: Some(login.app),
        session: Some(login.id),
        ..Noted::default()
    });
    Ok(response)
}

/// The value of `Origin`, if it is there exactly once.
fn only_origin(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(ORIGIN).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
