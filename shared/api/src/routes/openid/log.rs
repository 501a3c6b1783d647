//! The log line of a request to the provider.

use axum::response::Response;
use countersign_domain::app::App;

use crate::middleware::log::LogFields;

/// Adds the app to the log line.
pub(super) fn about(app: Option<&App>, mut response: Response) -> Response {
    response.extensions_mut().insert(LogFields {
        app: app.map(|app| app.id.clone()),
        ..LogFields::default()
    });
    response
}
