//! `GET /widget.js`: the login element for web pages, in one file.

use std::sync::LazyLock;

use axum::Router;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE, ETAG};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use sha2::{Digest as _, Sha256};

use crate::conditional;

/// What `clients/widget` builds.
const SCRIPT: &str = include_str!("../../../clients/widget/dist/widget.js");

const KIND: HeaderValue = HeaderValue::from_static("text/javascript; charset=utf-8");

/// What every page may do with it: load it as a module from another origin, and keep it for a
/// while. A new release of the service brings a new one, so not for long.
const HEADERS: [(HeaderName, HeaderValue); 3] = [
    (
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=300"),
    ),
    (ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("cross-origin"),
    ),
];

/// `ETag`: a hash of the file.
static TAG: LazyLock<String> = LazyLock::new(|| {
    let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(SCRIPT));
    format!("\"{hash}\"")
});

pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    Router::new().route("/widget.js", get(widget))
}

/// Read the login element
///
/// A module that defines `<countersign-login>`. Pages include it with `<script type="module">`.
#[utoipa::path(
    get,
    path = "/widget.js",
    operation_id = "getWidget",
    tag = "links",
    params(("If-None-Match" = Option<String>, Header, nullable = false,
        description = "`ETag` of the file that is there already: where it is the same, the answer is 304.")),
    responses(
        (status = 200, description = "The module.",
            body = String, content_type = "text/javascript; charset=utf-8",
            headers(("etag" = String, description = "Names this file."))),
        (status = 304, description = "It is the same file.",
            headers(("etag" = String, description = "Names the file."))),
    ),
)]
pub(crate) async fn widget(headers: HeaderMap) -> Response {
    let mut response = if conditional::is_known(&headers, &TAG) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(CONTENT_TYPE, KIND)], SCRIPT).into_response()
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, value);
    }
    if let Ok(tag) = HeaderValue::from_str(&TAG) {
        headers.insert(ETAG, tag);
    }
    response
}
