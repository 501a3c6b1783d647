//! `POST /qr-sessions`: a browser opens a login, or the app's server does.

mod request;

use std::convert::Infallible;

use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_domain::event::{Event, Labels, LoginEvent};
use countersign_domain::login::{BrowserToken, LoginCreator};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::{CreateError, CreateRequest, Created};
use http::header::ORIGIN;
use http::request::Parts;
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::about;
use crate::extract::app_key::{self, NamedApp};
use crate::extract::bearer::{self, Bearer};
use crate::extract::body;
use crate::extract::fields;
use crate::extract::json_body::{self, JsonBody};
use crate::extract::sender::{self, Sender};
use crate::extract::visitor::CallingVisitor;
use crate::header::single_text;
use crate::middleware::rate_limit;
use crate::problem::{Problem, ProblemCode};
use crate::rate_limit::source::Source;
use crate::schema::problems::problems;
use crate::state::{self, ApiState};
use crate::viewer::OwnSocket;
use request::CreateSessionRequest;

pub(super) const PATH: &str = "/qr-sessions";

problems![
    rate_limit::PROBLEMS,
    &[
        ProblemCode::TooManySessions,
        ProblemCode::AppRateExceeded,
        ProblemCode::AppOpenExceeded,
    ],
    app_key::PROBLEMS,
    sender::PROBLEMS,
    bearer::PROBLEMS,
    body::PROBLEMS,
    json_body::PROBLEMS,
    fields::PROBLEMS,
    request::PROBLEMS,
    state::ROOM_PROBLEMS,
    &[
        ProblemCode::TokenMalformed,
        ProblemCode::OriginNotAllowed,
        ProblemCode::LoginServerOnly,
        ProblemCode::LinkHostMissing,
        ProblemCode::SessionExists,
        ProblemCode::SessionOver,
    ],
];

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
    /// `https://{link host}?sessionId={sessionId}`; in local mode `http://`, if the host is loopback.
    #[schema(
        format = "uri",
        examples("https://login.shop.example?sessionId=qrs_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    url: String,
    /// Until when the code can be scanned. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:05.678Z"))]
    expires_at: String,
    /// The seconds until then, rounded down; 0 if the time is over. Use this if your clock may be wrong.
    #[schema(examples(60))]
    expires_in: u64,
    /// The service's time. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:04:05.678Z"))]
    server_time: String,
    /// The WebSocket that announces changes to browser and phone. The first message over it is
    /// `{"sessionId": …, "token": …}`, with the token of either.
    #[schema(format = "uri", examples("wss://api.example.com/socket"))]
    socket_url: &'a str,
    /// True if the payload can only be redeemed with the two digits that the phone shows, which the
    /// user types, unless the app returns to `returnUrl`. Absent if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    check_code_required: bool,
    /// `true` if a test key opened it: no phone with the app key opens its code.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    test: bool,
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, post(create))
}

/// The page that asks.
pub(crate) struct Page {
    origin: Option<String>,
    socket: Option<OwnSocket>,
}

impl<S: Sync> FromRequestParts<S> for Page {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self {
            origin: single_text(&parts.headers, ORIGIN.as_str()).map(str::to_owned),
            socket: parts.extensions.get().cloned(),
        })
    }
}

/// Open a login
///
/// For pages whose origin the app lists, unless the app leaves this to its server (`--logins-from
/// server`); browsers send the origin themselves. The page generates a token of 32 random bytes for each
/// login and sends it in base64url; only its hash is stored. It shows `url` as a QR code, and as a link
/// on a phone. Repeating the request with the same key and token returns the same answer while the login
/// is live. An empty body counts as `{}`.
///
/// The app's server opens logins in the same way with its API key instead of the app key. It sends `origin` in the
/// body, and may add the `context` that the user approves, and the user who must decide. It generates key and token
/// like a page, and redeems the payload itself. Alternatively it uses the key and token of a page, which then also
/// sends this request and joins the login: the phone shows that page's browser.
///
/// A test key opens a test login: no phone with the app key can open its code, and it never affects live logins. The
/// app's own tests open the code with a test key (`POST /qr-sessions/{id}/initiate`).
#[utoipa::path(
    post,
    path = PATH,
    operation_id = "createSession",
    tag = "logins",
    params(("Origin" = Option<String>, Header, nullable = false,
        description = "The page's origin, as browsers send it. Required with the app key.",
        example = "https://shop.example")),
    request_body(content = CreateSessionRequest, description = "The browser's key, if it has one; what the app's server asks for.",
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
    security(("appKey" = [], "browserToken" = []), ("apiKey" = [], "browserToken" = [])),
)]
pub(crate) async fn create(
    State(state): State<ApiState>,
    page: Page,
    sender: Sender<NamedApp>,
    Bearer(token): Bearer<BrowserToken>,
    JsonBody(body): JsonBody,
    CallingVisitor(browser): CallingVisitor,
    source: Source,
) -> Result<Response, Problem> {
    let token = token.ok_or_else(|| {
        Problem::new(ProblemCode::TokenMalformed)
            .detail("Send 32 random bytes in base64url without padding: 43 characters.")
    })?;
    let request: CreateSessionRequest = fields::read(&body)?;
    let (app, creator, test, origin) = match sender {
        Sender::Device(NamedApp(app)) => {
            request.refuse_server_fields()?;
            (app, LoginCreator::Page, false, page.origin.as_deref())
        }
        Sender::Server(caller) => {
            let (context, user) = (request.context()?, request.user()?);
            let (origin, test) = (Some(request.origin()?), caller.is_test());
            (
                caller.app,
                LoginCreator::Server { context, user },
                test,
                origin,
            )
        }
    };
    let is_page = creator == LoginCreator::Page;
    let request = CreateRequest {
        app: &app,
        creator,
        test,
        origin,
        browser,
        token: &token,
        browser_key: request.browser_key()?,
        return_url: request.return_url()?,
        openid: None,
        own_origin: state.service_origin(),
        allowance: state.allowance(app.quotas.for_logins()),
    };
    let ports = state.login_ports()?;
    let request = logins::approve(ports, request).map_err(problem)?;
    state.check_room()?;
    // An app's server opens the logins of many users from one address. The app's quotas limit it.
    if is_page {
        count_opening(&state, source, &app.id)?;
    }
    let created = logins::create(ports, request).await;
    let created = created.map_err(problem)?;
    let socket_url = match &page.socket {
        Some(OwnSocket(own)) if is_page => &**own,
        _ => state.logins()?.socket_url.as_str(),
    };
    Ok(respond(created, socket_url, state.clock.now()))
}

/// Answers with a new login.
pub(crate) fn respond(
    Created { login, link }: Created,
    socket_url: &str,
    now: Timestamp,
) -> Response {
    let body = NewSession {
        session_id: login.id.to_string(),
        url: link.to_string(),
        expires_at: login.expires_at().to_string(),
        expires_in: login.expires_at().since(now).as_secs(),
        server_time: now.to_string(),
        socket_url,
        check_code_required: login.requires_check_code,
        test: login.test,
    };
    let answer = Json(body).into_response();
    about(login.id, Some(login.app), Ok(answer))
}

/// Limits the logins and texts that one address opens.
pub(crate) fn count_opening(state: &ApiState, source: Source, app: &AppId) -> Result<(), Problem> {
    let now = state.clock.now();
    let counted = state.rate_limiter().count_opening(source, now);
    if counted.is_err() {
        let limited = Event::Login(LoginEvent::OpeningLimited);
        state.metrics.count(&limited, Labels::of_app(app));
    }
    counted
}

pub(crate) fn problem(error: CreateError) -> Problem {
    match error {
        CreateError::ServerOnly => Problem::new(ProblemCode::LoginServerOnly).detail(
            "Have the app's server open the login with its API key. If pages may, run: countersign app \
             update APP --logins-from pages",
        ),
        CreateError::OriginMissing => Problem::new(ProblemCode::OriginNotAllowed).detail(
            "Send the origin of the page, as browsers do: https://, or http:// on this machine alone.",
        ),
        CreateError::OriginNotListed { origin, other_name } => {
            let add = format!("countersign app update APP --add-origin {origin}");
            Problem::new(ProblemCode::OriginNotAllowed).detail(match other_name {
                None => format!("The app does not list {origin}. If the page is yours, add it: {add}"),
                Some(listed) => format!(
                    "The app lists {listed}. {origin} leads there, too, but is another origin: open the page \
                     at {listed}, or add this one: {add}"
                ),
            })
        }
        CreateError::ReturnElsewhere => Problem::new(ProblemCode::ReturnUrlNotAllowed)
            .detail("Name a page of the same origin as the page that opens the login.")
            .at(request::RETURN_URL),
        CreateError::ReturnNotListed(url) => Problem::new(ProblemCode::ReturnUrlNotAllowed)
            .detail(format!(
                "The app does not return to {url}. If it may, run: countersign app update APP \
                 --add-return-page {url}"
            ))
            .at(request::RETURN_URL),
        CreateError::NoLinkHost => Problem::new(ProblemCode::LinkHostMissing)
            .detail("Configure the host of the app's links."),
        CreateError::KeyRequired => Problem::new(ProblemCode::FieldMissing)
            .detail("The app accepts only encrypted payloads: send the key to encrypt for.")
            .at("/browserPublicKey"),
        CreateError::KeyRequiredByContext => Problem::new(ProblemCode::FieldMissing)
            .detail("Only the id of a session with a key vouches for a context: send a key.")
            .at("/browserPublicKey"),
        CreateError::Anonymous => Problem::new(ProblemCode::PublicUserIdAnonymous)
            .detail("Name the user who must decide, or leave publicUserId out.")
            .at(request::USER),
        CreateError::Taken => Problem::new(ProblemCode::SessionExists)
            .detail("Send another key and another token for each login."),
        CreateError::Ended(_) => Problem::new(ProblemCode::SessionOver)
            .detail("Open a new login, with another key and another token."),
        CreateError::QuotaExceeded(exceeded) => exceeded.into(),
        CreateError::Unavailable(cause) => cause.into(),
    }
}
