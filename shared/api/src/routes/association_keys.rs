//! Association keys that apps register with the service, one file per route.

pub(crate) mod list;
pub(crate) mod register;
pub(crate) mod revoke;

mod answer;
pub(crate) mod user;

use axum::Router;

use crate::state::ApiState;

/// Returns the routes of association keys.
pub(crate) fn routes() -> Router<ApiState> {
    Router::new()
        .merge(list::routes())
        .merge(register::routes())
        .merge(revoke::routes())
}
