//! Login links opened in a browser.
//!
//! The demo app's links lead to `localhost`, so opening one in a browser on this machine leads to
//! the playground, which serves the same page as every link host.

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tower::ServiceExt as _;
use url::form_urlencoded;

/// Answers a login link with the page for users without the app, and passes all other requests on.
pub(super) async fn instead(State(page): State<Router>, request: Request, next: Next) -> Response {
    if !is_link(&request) {
        return next.run(request).await;
    }
    let Ok(response) = page.oneshot(request).await;
    response
}

/// Returns whether the request opens a login's link: `/` with a `sessionId`, valid or not.
fn is_link(request: &Request) -> bool {
    let query = request.uri().query().unwrap_or_default();
    let mut members = form_urlencoded::parse(query.as_bytes());
    request.uri().path() == "/" && members.any(|(name, _)| name == "sessionId")
}
