//! `POST /qr-sessions`: a browser opens a login.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::event::{Event, LoginEvent};
use countersign_domain::login::{BrowserPublicKey, BrowserToken};
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::{CreateError, CreateRequest, Created};
use http::HeaderMap;
use http::header::ORIGIN;
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::about;
use crate::extract::app_key::{self, NamedApp};
use crate::extract::bearer::{self, Bearer};
use crate::extract::body;
use crate::extract::fields::{self, Fields, sentence};
use crate::extract::json_body::{self, JsonBody};
use crate::extract::visitor::CallingVisitor;
use crate::header::single_text;
use crate::middleware::rate_limit;
use crate::problem::{Problem, ProblemCode};
use crate::rate_limit::source::Source;
use crate::schema::problems::problems;
use crate::state::{self, ApiState};

pub(super) const PATH: &str = "/qr-sessions";

problems![
    rate_limit::PROBLEMS,
    &[
        ProblemCode::TooManySessions,
        ProblemCode::AppRateExceeded,
        ProblemCode::AppOpenExceeded,
    ],
    app_key::PROBLEMS,
    bearer::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    state::ROOM_PROBLEMS,
    &[
        ProblemCode::TokenMalformed,
        ProblemCode::OriginNotAllowed,
        ProblemCode::LinkHostMissing,
        ProblemCode::FieldMissing,
        ProblemCode::BrowserKeyMalformed,
        ProblemCode::SessionExists,
        ProblemCode::SessionOver,
    ],
];

/// The body of `POST /qr-sessions`. `null` counts as absent.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "describes the body, whose members are parsed one by one"
)]
pub(crate) struct CreateSessionRequest {
    /// The key to encrypt the payload for: an uncompressed P-256 point, 65 bytes in base64url without
    /// padding. Required, unless the app allows logins without a key.
    #[schema(
        min_length = 87,
        max_length = 87,
        pattern = "^B[A-P][A-Za-z0-9_-]{84}[AEIMQUYcgkosw048]$",
        examples(
            "BAswVXqfxOkOM1h9osfsETZbgKXK7xQ5XoOozfIXPGGGq9D1Gj9kia7T-B1CZ4yx1vsgRWqPtNn-I0htkrfcASY"
        )
    )]
    browser_public_key: Option<String>,
}

/// A new login, as the browser that opened it sees it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewSession<'a> {
    /// The id of the login: a hash of the app key, the origin and the browser's key (`qrs_`), or of
    /// the browser's token if it has no key (`qrp_`). Compare it with the id that you compute. It is
    /// shown on the screen, and knowing it proves nothing.
    #[schema(
        pattern = "^qr[sp]_[0-9a-f]{32}$",
        examples("qrs_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    session_id: String,
    /// The link to show as a QR code; on a phone it opens the app. Exactly
    /// `https://{link host}?sessionId={sessionId}`.
    #[schema(
        format = "uri",
        examples("https://login.shop.example?sessionId=qrs_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    url: String,
    /// Until when the code can be scanned. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:05.678Z"))]
    expires_at: String,
    /// The WebSocket that announces changes to browser and phone. The first message over it is
    /// `{"sessionId": …, "token": …}`, with the token of either.
    #[schema(format = "uri", examples("wss://api.example.com/socket"))]
    socket_url: &'a str,
}

/// Returns the route.
pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(create))
}

/// Open a login
///
/// For pages whose origin the app lists; browsers send the origin themselves. The page generates a
/// token of 32 random bytes for each login and sends it in base64url; only its hash is stored. It shows
/// `url` as a QR code, and as a link on a phone. Repeating the request with the same key and token
/// returns the same answer while the login is live. An empty body counts as `{}`.
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "createSession",
    tag = "logins",
    params(("Origin" = String, Header, description = "The page's origin, as browsers send it.",
        example = "https://shop.example")),
    request_body(content = CreateSessionRequest, description = "The browser's key, if it has one.",
        example = json!({"browserPublicKey": "BAswVXqfxOkOM1h9osfsETZbgKXK7xQ5XoOozfIXPGGGq9D1Gj9kia7T-B1CZ4yx1vsgRWqPtNn-I0htkrfcASY"})),
    responses(
        (status = 200, description = "The login, which waits to be scanned.", body = NewSession,
            links(
                ("status" = (operation_id = "getSession", parameters(("id" = "$response.body#/sessionId")))),
                ("cancel" = (operation_id = "cancelSession", parameters(("id" = "$response.body#/sessionId")))),
                ("redeem" = (operation_id = "redeemSession", parameters(("id" = "$response.body#/sessionId")))),
                ("initiate" = (operation_id = "initiateSession", parameters(("id" = "$response.body#/sessionId")))),
                ("confirm" = (operation_id = "confirmSession", parameters(("id" = "$response.body#/sessionId")))),
                ("deny" = (operation_id = "denySession", parameters(("id" = "$response.body#/sessionId")))),
            )),
        Problems,
    ),
    security(("appKey" = [], "browserToken" = [])),
)]
pub(crate) async fn create(
    State(state): State<ApiState>,
    headers: HeaderMap,
    NamedApp(app): NamedApp,
    Bearer(token): Bearer<BrowserToken>,
    JsonBody(body): JsonBody,
    CallingVisitor(browser): CallingVisitor,
    source: Source,
) -> Result<Response, Problem> {
    let token = token.ok_or_else(|| {
        Problem::new(ProblemCode::TokenMalformed)
            .detail("Send 32 random bytes in base64url without padding: 43 characters.")
    })?;
    let request = CreateRequest {
        app: &app,
        origin: single_text(&headers, ORIGIN.as_str()),
        browser,
        token: &token,
        browser_key: browser_key(&body)?,
        allowance: state.allowance(app.quotas.for_logins()),
    };
    let ports = state.login_ports()?;
    let request = logins::approve(ports, request).map_err(problem)?;
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
    let Created { login, link } = created.map_err(problem)?;
    let body = NewSession {
        session_id: login.id.to_string(),
        url: link.to_string(),
        expires_at: login.expires_at().to_string(),
        socket_url: &state.logins()?.socket_url,
    };
    let answer = Json(body).into_response();
    Ok(about(login.id, Some(login.app), Ok(answer)))
}

/// Parses `browserPublicKey`, if present.
fn browser_key(body: &[u8]) -> Result<Option<BrowserPublicKey>, Problem> {
    let at = "/browserPublicKey";
    let text = Fields::read(body)?.text("browserPublicKey", at)?;
    text.map(|text| text.parse::<BrowserPublicKey>())
        .transpose()
        .map_err(|error| {
            Problem::new(ProblemCode::BrowserKeyMalformed)
                .detail(sentence(&error))
                .at(at)
        })
}

fn problem(error: CreateError) -> Problem {
    match error {
        CreateError::OriginNotAllowed => Problem::new(ProblemCode::OriginNotAllowed)
            .detail("Open logins from a page whose origin the app lists."),
        CreateError::NoLinkHost => Problem::new(ProblemCode::LinkHostMissing)
            .detail("Configure the host of the app's links."),
        CreateError::KeyRequired => Problem::new(ProblemCode::FieldMissing)
            .detail("The app accepts only encrypted payloads: send the key to encrypt for.")
            .at("/browserPublicKey"),
        CreateError::Taken => Problem::new(ProblemCode::SessionExists)
            .detail("Send another key and another token for each login."),
        CreateError::Ended(_) => Problem::new(ProblemCode::SessionOver)
            .detail("Open a new login, with another key and another token."),
        CreateError::QuotaExceeded(exceeded) => exceeded.into(),
        CreateError::Unavailable(cause) => cause.into(),
    }
}
