//! The page's files, compiled into the binary.

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The path, content type and content of each file.
const FILES: [(&str, &str, &str); 24] = [
    (
        "/",
        HTML,
        include_str!("../../assets/playground/index.html"),
    ),
    (
        "/playground.css",
        CSS,
        include_str!("../../assets/playground/playground.css"),
    ),
    (
        "/playground.svg",
        SVG,
        include_str!("../../assets/playground/playground.svg"),
    ),
    (
        "/playground.js",
        SCRIPT,
        include_str!("../../assets/playground/playground.js"),
    ),
    (
        "/playground/attempts.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/attempts.js"),
    ),
    (
        "/playground/confirmation-screen.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/confirmation-screen.js"),
    ),
    (
        "/playground/countdown.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/countdown.js"),
    ),
    (
        "/playground/curl.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/curl.js"),
    ),
    (
        "/playground/dom.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/dom.js"),
    ),
    (
        "/playground/funnel",
        HTML,
        include_str!("../../assets/playground/funnel.html"),
    ),
    (
        "/playground/funnel.css",
        CSS,
        include_str!("../../assets/playground/funnel.css"),
    ),
    (
        "/playground/funnel.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/funnel.js"),
    ),
    (
        "/playground/http.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/http.js"),
    ),
    (
        "/playground/last-miss.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/last-miss.js"),
    ),
    (
        "/playground/login.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/login.js"),
    ),
    (
        "/playground/login-events.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/login-events.js"),
    ),
    (
        "/playground/login-phone.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/login-phone.js"),
    ),
    (
        "/playground/phone.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/phone.js"),
    ),
    (
        "/playground/phone-number.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/phone-number.js"),
    ),
    (
        "/playground/qr.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/qr.js"),
    ),
    (
        "/playground/signature.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/signature.js"),
    ),
    (
        "/playground/steps.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/steps.js"),
    ),
    (
        "/playground/tabs.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/tabs.js"),
    ),
    (
        "/playground/webhooks.js",
        SCRIPT,
        include_str!("../../assets/playground/scripts/webhooks.js"),
    ),
];

/// Returns a route for each file.
pub(super) fn router() -> Router {
    FILES
        .into_iter()
        .fold(Router::new(), |router, (path, kind, content)| {
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
