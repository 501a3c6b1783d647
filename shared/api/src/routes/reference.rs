//! `GET /reference`: the API's description as an HTML page.

use std::sync::LazyLock;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};
use sha2::{Digest as _, Sha256};

use crate::routes::static_file::StaticFile;
use crate::schema::problems::problems;

/// The page, which `make openapi` writes.
const PAGE: &str = include_str!("../../../../docs/reference.html");

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// Each release of the service has a new page.
const CACHING: HeaderValue = HeaderValue::from_static("public, max-age=300");

problems![&[]];

static FILE: LazyLock<StaticFile> = LazyLock::new(|| StaticFile::new(PAGE));

/// The Content-Security-Policy: the page's own style, no scripts, and no frames.
static POLICY: LazyLock<Option<HeaderValue>> = LazyLock::new(|| {
    let hash = BASE64_STANDARD.encode(Sha256::digest(style(PAGE)?));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    );
    HeaderValue::try_from(policy).ok()
});

/// Returns the content of a page's element `style`.
fn style(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("<style>")?;
    rest.split_once("</style>").map(|(style, _)| style)
}

pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    Router::new().route("/reference", get(reference))
}

/// Read the reference
///
/// Returns this description as an HTML page, with every problem and an example of each call. `#`
/// and an `operationId` or a problem's code link to its section.
#[utoipa::path(
    get,
    path = "/reference",
    operation_id = "getReference",
    tag = "service",
    params(("If-None-Match" = Option<String>, Header, nullable = false,
        description = "`ETag` of the page that the caller has. If it is still current, the answer is 304.")),
    responses(
        (status = 200, description = "The page.",
            body = String, content_type = "text/html",
            headers(("etag" = String, description = "Identifies this page."))),
        (status = 304, description = "The page has not changed.",
            headers(("etag" = String, description = "Identifies the page."))),
        Problems,
    ),
)]
pub(crate) async fn reference(headers: HeaderMap) -> Response {
    let mut response = FILE.answer(&headers, HTML);
    let headers = response.headers_mut();
    if let Some(policy) = POLICY.as_ref() {
        headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
    }
    headers.extend([
        (CACHE_CONTROL, CACHING),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ]);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_allows_the_style_of_the_page() {
        assert!(style(PAGE).is_some_and(|style| style.contains(":root")));
        assert!(POLICY.is_some());
    }
}
