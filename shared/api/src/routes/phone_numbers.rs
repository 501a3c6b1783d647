//! Confirmations: a user proves by a text message that a phone number is theirs.

pub(crate) mod acquire;
pub(crate) mod cancel;
pub(crate) mod confirm;
pub(crate) mod confirmation;
pub(crate) mod list;
pub(crate) mod path;
pub(crate) mod redact;
pub(crate) mod redeliver;
pub(crate) mod show;
pub(crate) mod simulate;
pub(crate) mod start;
pub(crate) mod status;

use axum::Router;

use crate::state::ApiState;

/// Returns the routes of a confirmation that has been started.
pub(crate) fn confirmation_routes() -> Router<ApiState> {
    Router::new()
        .merge(list::routes())
        .merge(show::routes())
        .merge(cancel::routes())
        .merge(redact::routes())
        .merge(redeliver::routes())
        .merge(simulate::routes())
}
