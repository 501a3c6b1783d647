//! The HTTP API: routers over the ports, one module for each function that is deployed.
//!
//! [`router`] is the whole. A function mounts its own part: [`acquire::router`],
//! [`confirm::router`], [`confirmations::router`], [`inbound_sms::router`], [`qr_sessions::router`],
//! [`well_known::router`]. A host that adds routes of its own merges them into [`routes`] and puts
//! [`framed`] around all. What a WebSocket of a host has to do stands in [`socket`].
//!
//! Every answer that is an error is a [`Problem`] (RFC 9457); `docs/problems.md` lists them. What
//! each request is put through, in this order: the path (404), the method (405), the key and the
//! token (401), the body (413, 415, 400), its fields (422), then what the use case says, limits of
//! address and app (429) last.

pub mod acquire;
pub mod app_links;
mod body;
mod call;
mod conditional;
pub mod confirm;
pub mod confirmations;
mod cors;
mod frame;
pub mod inbound_sms;
pub mod logins;
pub mod openapi;
pub mod problem;
pub mod qr_sessions;
mod rate_limit;
mod request_id;
mod session;
pub mod socket;
mod state;
pub mod viewer;
pub mod well_known;
mod widget;

use axum::Router;

pub use body::{DRAINED, MAX_BODY};
pub use frame::{framed, unframed};
pub use logins::Logins;
pub use problem::{Causes, Problem, ProblemCode};
pub use rate_limit::RateLimits;
pub use request_id::RequestId;
pub use state::{ApiParts, ApiState};

/// The whole API.
pub fn router(state: ApiState) -> Router {
    let around = state.clone();
    let routes = routes().merge(app_links::landing_routes());
    framed(routes.with_state(state), &around)
}

/// Every route of the API, with the answers for unknown paths and methods, and without the frame
/// that each request needs around it: for hosts that add routes.
/// Their own come in by `merge`, and then [`framed`] goes around all. The page at `/` is left to
/// the host: [`app_links::landing_routes`], or one of its own.
pub fn routes() -> Router<ApiState> {
    complete(
        Router::new()
            .merge(acquire::routes())
            .merge(confirm::routes())
            .merge(confirmations::routes())
            .merge(inbound_sms::routes())
            .merge(qr_sessions::routes())
            .merge(app_links::routes())
            .merge(widget::routes())
            .merge(well_known::routes()),
    )
}

/// One function's routes as a router of their own.
fn alone(routes: Router<ApiState>, state: ApiState) -> Router {
    let around = state.clone();
    framed(complete(routes).with_state(state), &around)
}

/// Adds the answers for unknown paths and methods.
fn complete<S>(routes: Router<S>) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    routes
        .fallback(async || Problem::new(ProblemCode::NotFound))
        .method_not_allowed_fallback(not_allowed)
}

async fn not_allowed() -> Problem {
    Problem::new(ProblemCode::MethodNotAllowed)
}
