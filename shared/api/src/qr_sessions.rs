//! `/qr-sessions`: logins that begin in a browser and are decided on a phone.

mod browser;
mod create;
mod phone;
mod refusal;
mod representation;
mod written;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use countersign_domain::login::token::Token;
use countersign_domain::primitives::ids::{AppId, LoginId};
use http::request::Parts;

pub(crate) use browser::{__path_cancel, __path_redeem, __path_status, cancel, redeem, status};
pub(crate) use create::{__path_create, create};
pub(crate) use phone::{__path_confirm, __path_deny, __path_initiate, confirm, deny, initiate};

use crate::call::Bearer;
use crate::cors::preflight;
use crate::frame::Noted;
use crate::problem::Problem;
use crate::state::ApiState;
use crate::{app_links, widget};

/// The function's routes, ready to be served: those of sessions, and what browsers and phones read
/// around them, which needs the apps as these do.
pub fn router(state: ApiState) -> Router {
    let around = state.clone();
    let routes = routes().merge(app_links::routes()).merge(widget::routes());
    let routes = crate::complete(routes).merge(app_links::landing_routes());
    crate::framed(routes.with_state(state), &around)
}

pub(crate) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/qr-sessions", post(create).options(preflight))
        .route(
            "/qr-sessions/{id}",
            get(status).delete(cancel).options(preflight),
        )
        .route("/qr-sessions/{id}/redeem", post(redeem).options(preflight))
        .route(
            "/qr-sessions/{id}/initiate",
            post(initiate).options(preflight),
        )
        .route(
            "/qr-sessions/{id}/confirm",
            post(confirm).options(preflight),
        )
        .route("/qr-sessions/{id}/deny", post(deny).options(preflight))
}

/// The id in the path. One that is malformed is unknown.
pub(crate) struct Id(Option<LoginId>);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path: Result<Path<String>, PathRejection> =
            Path::from_request_parts(parts, state).await;
        let id = path.ok().map(|Path(text)| text.parse::<LoginId>());
        Ok(Self(id.and_then(Result::ok)))
    }
}

/// Which session is meant, and what proves to belong to it. Where either is malformed there is no
/// such session: the answer must not tell a good guess at the form from a bad one.
fn named<H>(Id(id): Id, Bearer(token): Bearer<H>) -> Result<(LoginId, Token<H>), Problem> {
    id.zip(token).ok_or_else(refusal::unknown)
}

/// An answer whose line in the log names the session, and the app where the request did, whatever
/// the answer is.
fn about(id: LoginId, app: Option<AppId>, answer: Result<Response, Problem>) -> Response {
    let mut response = answer.unwrap_or_else(Problem::into_response);
    response.extensions_mut().insert(Noted {
        app,
        session: Some(id),
        ..Noted::default()
    });
    response
}
