//! Phone registrations, which set up the web authenticator as a user's phone, one file per route.

pub(crate) mod cancel;
pub(crate) mod create;
pub(crate) mod digits;
pub(crate) mod identify;
pub(crate) mod open;
pub(crate) mod show;
pub(crate) mod sign;

mod answer;
mod path;
mod problems;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::options;

use crate::middleware::cors::{allow_any_origin, preflight};
use crate::middleware::rate_limit::limit_misses;
use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;

/// Returns the routes with their layers: the rate limit, and CORS headers that let the app's pages read every answer
/// under `/phone-registrations`, even for unknown paths.
pub(crate) fn routes(state: &ApiState) -> Router<ApiState> {
    let mut routes = Router::new()
        .merge(create::routes())
        .merge(show::routes())
        .merge(cancel::routes())
        .merge(open::routes())
        .merge(sign::routes())
        .merge(digits::routes())
        .merge(identify::routes());
    for path in [
        show::PATH,
        open::PATH,
        sign::PATH,
        digits::PATH,
        identify::PATH,
    ] {
        routes = routes.route(path, options(preflight));
    }
    let routes = routes
        .method_not_allowed_fallback(async || Problem::new(ProblemCode::MethodNotAllowed))
        .route_layer(from_fn_with_state(state.clone(), limit_misses))
        .layer(from_fn(allow_any_origin));
    let unknown_paths = Router::new()
        .fallback(async || Problem::new(ProblemCode::NotFound))
        .layer(from_fn(allow_any_origin));
    routes.nest("/phone-registrations/", unknown_paths)
}
