//! The `OpenID` provider: discovery, keys, the page at `/authorize` with its calls, tokens and claims.
//!
//! The API's description leaves these routes out. `OpenID` Connect specifies them, clients read
//! `/.well-known/openid-configuration` instead, and their errors are those of OAuth 2.0 rather than problems. Only the
//! calls of our own page answer with problems.

mod authorize;
mod client;
mod discovery;
mod end_session;
mod error;
mod form;
mod log;
mod page_call;
mod redirect;
mod token;
mod user_info;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::options;

use crate::middleware::cors::{allow_any_origin, preflight};
use crate::middleware::rate_limit::limit_misses;
use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;

/// Returns the routes. They answer 404 on hosts without the provider.
pub(crate) fn routes(state: &ApiState) -> Router<ApiState> {
    let limited = |routes: Router<ApiState>| {
        routes
            .method_not_allowed_fallback(async || Problem::new(ProblemCode::MethodNotAllowed))
            .route_layer(from_fn_with_state(state.clone(), limit_misses))
    };
    // No other page may read what the browser of a person gets.
    let person = Router::new()
        .merge(authorize::routes())
        .merge(page_call::routes())
        .merge(end_session::routes());
    limited(person).merge(limited(clients()).layer(from_fn(allow_any_origin)))
}

/// Returns the routes that clients call. A client that runs in a browser reads the answers from any origin: it sends its
/// credentials itself, and no cookie counts.
fn clients() -> Router<ApiState> {
    let routes = Router::new()
        .merge(discovery::routes())
        .merge(token::routes())
        .merge(user_info::routes());
    [
        discovery::CONFIGURATION,
        discovery::KEYS,
        token::PATH,
        user_info::PATH,
    ]
    .into_iter()
    .fold(routes, |routes, path| {
        routes.route(path, options(preflight))
    })
}
