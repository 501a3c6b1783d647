//! `GET /phone/page.js` and `GET /phone/page.css`: the script and the style of both pages.

use std::sync::LazyLock;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderValue};

use crate::routes::static_file::StaticFile;

static SCRIPT: LazyLock<StaticFile> =
    LazyLock::new(|| StaticFile::new(include_str!("../../../../../clients/phone/dist/page.js")));

static STYLE: LazyLock<StaticFile> =
    LazyLock::new(|| StaticFile::new(include_str!("../../../../../clients/phone/dist/page.css")));

/// Returns the routes of both files. The browser asks each time whether a file has changed, so that a page and its
/// script belong to the same release.
pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    Router::new()
        .route(
            "/phone/page.js",
            get(async |headers: HeaderMap| {
                file(&SCRIPT, &headers, "text/javascript; charset=utf-8")
            }),
        )
        .route(
            "/phone/page.css",
            get(async |headers: HeaderMap| file(&STYLE, &headers, "text/css; charset=utf-8")),
        )
}

fn file(file: &'static StaticFile, headers: &HeaderMap, kind: &'static str) -> Response {
    let mut response = file.answer(headers, HeaderValue::from_static(kind));
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
