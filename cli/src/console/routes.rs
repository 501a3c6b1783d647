//! The routes of the console: the page, the session and the requests.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request as HttpRequest, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};

use super::facts::show_console;
use super::guard::guard;
use super::refusal::refuse;
use super::session::{MANY_WRONG_CODES, WrongCode};
use super::{Console, shell};
use crate::admin::ask_error::AskError;
use crate::admin::request::{Offer, Request};
use crate::admin::requests::{Visitor, visit_all};
use crate::admin::socket::Refusal;
use crate::admin::target;
use crate::own_pages::headers::{self, Hardening};
use crate::terminal;

/// Maximum size of a body, in bytes.
const MAX_BODY: usize = 1 << 20;

/// The page's code.
#[derive(Deserialize)]
struct Opening {
    code: String,
}

/// The secret that the page sends with its requests, and the run that it belongs to.
#[derive(Serialize)]
struct Opened {
    secret: String,
    run: String,
}

/// Returns all routes. What `guard` refuses reaches none of them.
pub(super) fn router(console: Arc<Console>) -> Router {
    let mut requests = Requests(Router::new());
    visit_all(&mut requests);
    let requests = requests
        .0
        .route("/api/show_console", post(show_console))
        .method_not_allowed_fallback(async || {
            refuse(StatusCode::METHOD_NOT_ALLOWED, "send requests with POST")
        })
        .route("/api/{*name}", any(unknown))
        .route_layer(middleware::from_fn_with_state(
            Arc::clone(&console),
            require_session,
        ));
    Router::new()
        .merge(requests)
        .route(
            "/session",
            post(open).fallback(async || {
                refuse(StatusCode::METHOD_NOT_ALLOWED, "send the code with POST")
            }),
        )
        .with_state(console)
        .merge(shell::router())
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn(guard))
        .layer(middleware::map_response_with_state(
            Hardening::without_socket(),
            headers::harden,
        ))
}

/// Exchanges a code for the cookie and the page's secret.
async fn open(State(console): State<Arc<Console>>, body: Bytes) -> Response {
    let opening: Opening = match serde_json::from_slice(&body) {
        Ok(opening) => opening,
        Err(error) => return malformed(&error),
    };
    let granted = match console.session.exchange(&opening.code) {
        Ok(granted) => granted,
        Err(wrong) => return refuse_code(wrong),
    };
    let cookie = match HeaderValue::try_from(&granted.cookie) {
        Ok(cookie) => cookie,
        Err(error) => return refuse(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    };
    let opened = Opened {
        secret: granted.secret,
        run: granted.run,
    };
    let mut response = Json(opened).into_response();
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    response
}

fn refuse_code(WrongCode(number): WrongCode) -> Response {
    if number == MANY_WRONG_CODES {
        terminal::complain(&format!(
            "countersign: {number} wrong codes came from this machine. They open nothing, but find out who sends them"
        ));
    }
    refuse(
        StatusCode::FORBIDDEN,
        "this link was used before or is too old: run `countersign console` again",
    )
}

/// Passes on the requests of the session.
async fn require_session(
    State(console): State<Arc<Console>>,
    request: HttpRequest,
    next: Next,
) -> Response {
    if console.session.admits(request.headers()) {
        next.run(request).await
    } else {
        refuse(
            StatusCode::UNAUTHORIZED,
            "the session is over: run `countersign console` again",
        )
    }
}

/// Collects the routes of requests that the console offers.
struct Requests(Router<Arc<Console>>);

impl Visitor for Requests {
    fn visit<R: Request>(&mut self) {
        if R::OFFER != Offer::Never {
            let path = format!("/api/{}", R::NAME);
            let routes = std::mem::take(&mut self.0);
            self.0 = routes.route(&path, post(dispatch::<R>));
        }
    }
}

async fn dispatch<R: Request>(State(console): State<Arc<Console>>, body: Bytes) -> Response {
    if console.read_only && R::OFFER != Offer::ToRead {
        return refuse(
            StatusCode::FORBIDDEN,
            "this console is for reading only: run `countersign console` without --read-only",
        );
    }
    let request = match serde_json::from_slice::<R>(&body) {
        Ok(request) => request,
        Err(error) => return malformed(&error),
    };
    match target::try_ask(console.place.target(), request).await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => {
            let (status, message) = (status(&error), error.to_string());
            let (now, code) = match error {
                AskError::Changed { now, .. } => (Some(now), None),
                AskError::Refused { code, .. } => (None, code),
                _ => (None, None),
            };
            (status, Json(Refusal { message, now, code })).into_response()
        }
    }
}

const fn status(error: &AskError) -> StatusCode {
    match error {
        AskError::Refused { .. } | AskError::Changed { .. } => StatusCode::CONFLICT,
        AskError::NotOffered(_) => StatusCode::NOT_FOUND,
        AskError::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

async fn unknown() -> Response {
    refuse(StatusCode::NOT_FOUND, "the console has no such request")
}

/// Answers to a request that is not one: with the rule that a typed value breaks, or that the page is not at fault.
fn malformed(error: &serde_json::Error) -> Response {
    let message = error.to_string();
    let message = if error.is_data() {
        // The place in the request tells an operator nothing.
        let place = format!(" at line {} column {}", error.line(), error.column());
        message.strip_suffix(&place).unwrap_or(&message).to_owned()
    } else {
        format!("the page cannot have sent this: {message}")
    };
    refuse(StatusCode::BAD_REQUEST, message)
}
