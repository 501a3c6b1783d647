//! Files of pages, compiled into the binary.

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const CSS: &str = "text/css; charset=utf-8";
pub(crate) const SVG: &str = "image/svg+xml";
pub(crate) const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The path, content type and content of a file.
pub(crate) type File = (&'static str, &'static str, &'static str);

/// Returns a route for each file.
pub(crate) fn router(files: &[File]) -> Router {
    files
        .iter()
        .fold(Router::new(), |router, &(path, kind, content)| {
            let tag = format!(
                "\"{}\"",
                BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(content))
            );
            let serve = async move |headers: HeaderMap| answer(&headers, &tag, kind, content);
            router.route(path, get(serve))
        })
}

/// Returns the file, or 304 if the browser already has it (RFC 9110, section 13.1.2). With
/// `no-cache`, browsers store files but revalidate them each time, because a different version of
/// the server may answer.
fn answer(headers: &HeaderMap, tag: &str, kind: &'static str, content: &'static str) -> Response {
    let mut response = if headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|known| known == tag)
    {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, kind)], content).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}
