//! The page's files. They hold no data, so anyone on this machine may read them.

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use tower::ServiceExt as _;

use super::refusal::refuse;
use crate::own_pages::files::{self, CSS, File, HTML, SCRIPT, SVG};

const INDEX: File = (
    "/",
    HTML,
    include_str!("../../../clients/console/dist/index.html"),
);

const FILES: [File; 4] = [
    INDEX,
    (
        "/console.js",
        SCRIPT,
        include_str!("../../../clients/console/dist/console.js"),
    ),
    (
        "/console.css",
        CSS,
        include_str!("../../../clients/console/dist/console.css"),
    ),
    (
        "/icon.svg",
        SVG,
        include_str!("../../../clients/console/dist/icon.svg"),
    ),
];

/// Returns a route for each file, and the page for the address of each screen: a path without a dot.
pub(super) fn router() -> Router {
    let page = files::router(&[INDEX]);
    let screen = move |request: Request| show(page.clone(), request);
    files::router(&FILES).fallback(screen)
}

async fn show(page: Router, mut request: Request) -> Response {
    let path = request.uri().path();
    let is_read = request.method() == Method::GET || request.method() == Method::HEAD;
    if !is_read || path.contains('.') {
        return refuse(StatusCode::NOT_FOUND, "the console has no such page");
    }
    *request.uri_mut() = axum::http::Uri::from_static("/");
    match page.oneshot(request).await {
        Ok(response) => response.into_response(),
        Err(never) => match never {},
    }
}
