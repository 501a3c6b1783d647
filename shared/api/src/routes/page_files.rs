//! The script and the style of a page that the service serves.

use std::sync::LazyLock;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderValue};

use super::static_file::StaticFile;

pub(crate) struct PageFiles {
    script: StaticFile,
    style: StaticFile,
}

impl PageFiles {
    pub(crate) fn new(script: &'static str, style: &'static str) -> Self {
        Self {
            script: StaticFile::new(script),
            style: StaticFile::new(style),
        }
    }
}

/// Returns the routes of both files, `page.js` and `page.css` in a folder. The browser asks each time whether a file has
/// changed, so that a page and its script belong to the same release.
pub(crate) fn routes<S>(folder: &str, files: &'static LazyLock<PageFiles>) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    let script = async |headers: HeaderMap| {
        answer(&files.script, &headers, "text/javascript; charset=utf-8")
    };
    let style =
        async |headers: HeaderMap| answer(&files.style, &headers, "text/css; charset=utf-8");
    Router::new()
        .route(&format!("{folder}/page.js"), get(script))
        .route(&format!("{folder}/page.css"), get(style))
}

fn answer(file: &'static StaticFile, headers: &HeaderMap, kind: &'static str) -> Response {
    let mut response = file.answer(headers, HeaderValue::from_static(kind));
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
