//! `DELETE /qr-sessions/{id}`: the browser cancels its login, or the app's server does.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::delete;
use countersign_domain::login::BrowserToken;
use countersign_domain::use_cases::logins;
use http::StatusCode;

use super::answer::about;
use super::path::PathId;
use super::problems;
use crate::extract::bearer::{self, Bearer};
use crate::extract::body::{self, WholeBody};
use crate::extract::sender::{self, Sender};
use crate::middleware::rate_limit;
use crate::problem::Problem;
use crate::schema::problems::problems;
use crate::state::ApiState;

const PATH: &str = "/qr-sessions/{id}";

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    sender::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    problems::ENDED_PROBLEMS,
];

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, delete(cancel))
}

/// Cancel a login
///
/// Ends the login: no phone can confirm it any longer, and a pending payload cannot be redeemed.
/// The app's server may cancel any login of its app; with a test key, only tests.
#[utoipa::path(
    delete,
    path = PATH,
    operation_id = "cancelSession",
    tag = "logins",
    params(PathId),
    responses((status = 204, description = "The login is cancelled."), Problems),
    security(("browserToken" = []), ("apiKey" = [])),
)]
pub(crate) async fn cancel(
    State(state): State<ApiState>,
    sender: Sender<Bearer<BrowserToken>>,
    _body: WholeBody,
    id: PathId,
) -> Result<Response, Problem> {
    let ports = state.login_ports()?;
    let (id, app, cancelled) = match sender {
        Sender::Device(bearer) => {
            let (id, token) = id.with_token(bearer)?;
            (id, None, logins::cancel(ports, id, &token).await)
        }
        Sender::Server(caller) => {
            let (id, app) = (id.known()?, caller.app.id.clone());
            let cancelled = logins::cancel_for_app(ports, id, caller.scope()).await;
            (id, Some(app), cancelled)
        }
    };
    let answer = cancelled.map_err(Problem::from);
    Ok(about(
        id,
        app,
        answer.map(|()| StatusCode::NO_CONTENT.into_response()),
    ))
}
