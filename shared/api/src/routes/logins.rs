//! Logins: a browser shows a QR code, and the phone that scans it confirms or denies.

mod answer;
pub(crate) mod cancel;
pub(crate) mod check_code;
pub(crate) mod confirm;
pub(crate) mod create;
pub(crate) mod decision;
pub(crate) mod deny;
pub(crate) mod expire;
pub(crate) mod initiate;
pub(crate) mod list;
pub(crate) mod path;
mod problems;
pub(crate) mod redeem;
pub(crate) mod show;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::options;

use crate::middleware::cors::{allow_any_origin, preflight};
use crate::middleware::rate_limit::limit_misses;
use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;

/// Returns the routes with their layers: the rate limit, and CORS headers that let pages of any
/// origin read every answer under `/qr-sessions`, even for unknown paths.
pub(crate) fn routes(state: &ApiState) -> Router<ApiState> {
    let mut routes = Router::new()
        .merge(create::routes())
        .merge(show::routes())
        .merge(cancel::routes())
        .merge(redeem::routes())
        .merge(check_code::routes())
        .merge(initiate::routes())
        .merge(confirm::routes())
        .merge(deny::routes())
        .merge(expire::routes());
    for path in [
        create::PATH,
        show::PATH,
        redeem::PATH,
        check_code::PATH,
        initiate::PATH,
        confirm::PATH,
        deny::PATH,
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
    routes.nest("/qr-sessions/", unknown_paths)
}
