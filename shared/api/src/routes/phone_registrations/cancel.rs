//! `DELETE /phone-registrations/{id}`: cancels a registration.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::delete;
use countersign_domain::login::phone_registration::RegistrationToken;
use countersign_domain::login::phone_registration::transitions::SetupParty;
use countersign_domain::use_cases::phone_registrations;
use http::StatusCode;

use super::answer::about;
use super::path::PathId;
use super::{problems, show};
use crate::extract::bearer::{self, Bearer};
use crate::extract::body::{self, WholeBody};
use crate::extract::sender::{self, Sender};
use crate::middleware::rate_limit;
use crate::problem::Problem;
use crate::schema::problems::problems;
use crate::state::ApiState;

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    sender::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
    problems::ENDED_PROBLEMS,
];

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(show::PATH, delete(cancel))
}

/// Cancel a phone registration
///
/// For the app's server, the page and the phone, until the user has typed the digits. Repeating the request returns the
/// same answer.
#[utoipa::path(
    delete,
    path = show::PATH,
    operation_id = "cancelPhoneRegistration",
    tag = "phone registrations",
    params(PathId),
    responses((status = 204, description = "The registration is cancelled."), Problems),
    security(("apiKey" = []), ("setupPageToken" = []), ("setupPhoneToken" = [])),
)]
pub(crate) async fn cancel(
    State(state): State<ApiState>,
    sender: Sender<Bearer<RegistrationToken>>,
    _body: WholeBody,
    id: PathId,
) -> Result<Response, Problem> {
    let ports = state.setup_ports()?;
    let (id, app, cancelled) = match sender {
        Sender::Device(bearer) => {
            let (id, token) = id.with_token(bearer)?;
            let party = SetupParty::Device(&token);
            (
                id,
                None,
                phone_registrations::cancel(ports, id, party).await,
            )
        }
        Sender::Server(caller) => {
            let id = id.known()?;
            let party = SetupParty::Server(caller.scope());
            let cancelled = phone_registrations::cancel(ports, id, party).await;
            (id, Some(caller.app.id.clone()), cancelled)
        }
    };
    let answer = cancelled.map(|()| StatusCode::NO_CONTENT.into_response());
    Ok(about(Some(id), app, answer.map_err(Problem::from)))
}
