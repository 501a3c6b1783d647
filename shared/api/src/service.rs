//! The whole API as one router.

use axum::Router;

use crate::middleware::with_middleware_of;
use crate::openapi;
use crate::problem::{Problem, ProblemCode};
use crate::routes::{
    app_links, association_keys, authorize_page, inbound_sms, logins, openid, phone_numbers,
    phone_page, phone_registrations, reference, well_known, widget,
};
use crate::state::ApiState;

/// Returns the whole API.
pub fn router(state: &ApiState) -> Router {
    let landing = app_links::landing_routes().with_state(state.clone());
    with_middleware_of(routes(state).merge(landing), state)
}

/// Returns every route of the API, with the answers for unknown paths and methods, but without the
/// middleware that each request needs: for hosts that add their own routes. Such hosts merge their
/// routes and wrap everything in [`with_middleware_of`]. The host chooses the page at `/`:
/// [`landing_routes`](app_links::landing_routes) or its own.
pub fn routes(state: &ApiState) -> Router {
    let routes = Router::new()
        .merge(phone_numbers::acquire::routes())
        .merge(phone_numbers::confirm::routes())
        .merge(phone_numbers::confirmation_routes())
        .merge(phone_numbers::status::routes(state))
        .merge(inbound_sms::routes())
        .merge(association_keys::routes())
        .merge(phone_registrations::routes(state))
        .merge(logins::routes(state))
        .merge(logins::list::routes())
        .merge(app_links::routes())
        .merge(phone_page::routes())
        .merge(widget::routes())
        .merge(authorize_page::routes())
        .merge(openid::routes(state))
        .merge(reference::routes())
        .merge(well_known::routes(openapi::json));
    complete(routes).with_state(state.clone())
}

/// Adds the answers for unknown paths and methods.
pub(crate) fn complete<S>(routes: Router<S>) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    routes
        .fallback(async || Problem::new(ProblemCode::NotFound))
        .method_not_allowed_fallback(async || Problem::new(ProblemCode::MethodNotAllowed))
}
