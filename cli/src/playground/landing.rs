//! Links of logins that somebody opens here.
//!
//! The demo app's links lead to `localhost`, so that whoever has no phone at hand and opens one in a
//! browser comes to the playground's own address. They are told what every link host tells.

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tower::ServiceExt as _;
use url::form_urlencoded;

/// Answers a link with the page for people without the app, and everything else as ever.
pub(super) async fn instead(State(page): State<Router>, request: Request, next: Next) -> Response {
    if !is_link(&request) {
        return next.run(request).await;
    }
    let Ok(response) = page.oneshot(request).await;
    response
}

/// Whether a request is for a session's link: `/` with a `sessionId`, whatever that is worth.
fn is_link(request: &Request) -> bool {
    let query = request.uri().query().unwrap_or_default();
    let mut members = form_urlencoded::parse(query.as_bytes());
    request.uri().path() == "/" && members.any(|(name, _)| name == "sessionId")
}
