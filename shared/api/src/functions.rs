//! A router for each function that is deployed. A host that serves everything uses
//! [`router`](crate::router) instead.

use std::sync::Arc;

use axum::Router;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::primitives::entropy::Entropy;

use crate::middleware::{with_middleware, with_middleware_of};
use crate::openapi;
use crate::routes::well_known::Keys;
use crate::routes::{
    app_links, association_keys, authorize_page, inbound_sms, logins, openid as openid_routes,
    phone_numbers, phone_page, phone_registrations, reference, well_known, widget,
};
use crate::service::complete;
use crate::state::ApiState;

/// Returns the router of the function `acquire`.
pub fn acquire(state: ApiState) -> Router {
    serve(phone_numbers::acquire::routes(), state)
}

/// Returns the router of the function `confirm`.
pub fn confirm(state: ApiState) -> Router {
    serve(phone_numbers::confirm::routes(), state)
}

/// Returns the router of the function `confirmations`, which also lists logins, so that no other function needs the IAM
/// permission to list.
pub fn confirmations(state: ApiState) -> Router {
    let routes = phone_numbers::confirmation_routes().merge(logins::list::routes());
    serve(routes, state)
}

/// Returns the router of the function `inbound-sms`.
pub fn inbound_sms(state: ApiState) -> Router {
    serve(inbound_sms::routes(), state)
}

/// Returns the router of the function `association-keys`, which also sets phones up without an app, so that no other
/// function needs the IAM permission to write keys.
pub fn association_keys(state: ApiState) -> Router {
    let routes = association_keys::routes().merge(phone_registrations::routes(&state));
    serve(routes, state)
}

/// Returns the router of the function `qr-session`, which serves browsers and phones. It serves logins, the status
/// of confirmations, and the related public files, which need the apps as logins do.
pub fn logins(state: ApiState) -> Router {
    let routes = logins::routes(&state)
        .merge(phone_numbers::status::routes(&state))
        .merge(app_links::routes())
        .merge(phone_page::routes())
        .merge(widget::routes());
    let entropy = Arc::clone(&state.entropy);
    let routes = complete(routes).merge(app_links::landing_routes());
    with_middleware(routes.with_state(state), entropy)
}

/// Returns the router of the function `openid`: the `OpenID` provider with its pages.
pub fn openid(state: ApiState) -> Router {
    let routes = openid_routes::routes(&state).merge(authorize_page::routes());
    serve(routes, state)
}

/// Returns the router of the function `well-known`. It needs only keys, so that this public
/// function needs no other permission.
pub fn well_known(signer: Arc<dyn Signer>, entropy: Arc<dyn Entropy>) -> Router {
    let routes = well_known::routes(openapi::json).merge(reference::routes());
    let routes = complete(routes);
    with_middleware(routes.with_state(Keys(signer)), entropy)
}

fn serve(routes: Router<ApiState>, state: ApiState) -> Router {
    let api = state.clone();
    with_middleware_of(complete(routes).with_state(state), &api)
}
