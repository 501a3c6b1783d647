//! The page for people who open a link without the app.

use std::sync::LazyLock;

use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use http::{HeaderName, HeaderValue};
use sha2::{Digest as _, Sha256};

use super::KEPT;

/// The page without its style.
const PAGE: &str = include_str!("landing.html");

/// The page's style, which stands in it: it is the page's only request.
const STYLE: &str = include_str!("landing.css");

/// Where the style goes.
const PLACE: &str = "/* landing.css */";

static HTML: LazyLock<String> = LazyLock::new(|| PAGE.replacen(PLACE, STYLE, 1));

/// Nothing but that style, and nobody may frame the page.
static POLICY: LazyLock<Option<HeaderValue>> = LazyLock::new(|| {
    let hash = BASE64_STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).ok()
});

/// The same page whatever the link says. The session's id in the address goes to nobody else.
pub(super) fn page() -> Response {
    let mut response = Response::new(HTML.as_str().into());
    let headers = response.headers_mut();
    if let Some(policy) = POLICY.as_ref() {
        headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
    }
    headers.extend([
        (
            CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (CACHE_CONTROL, KEPT),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (
            HeaderName::from_static("x-robots-tag"),
            HeaderValue::from_static("noindex"),
        ),
    ]);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_stands_in_the_page_as_its_hash_says() {
        let inside = HTML.split_once("<style>").unwrap().1;
        assert_eq!(inside.split_once("</style>").unwrap().0, STYLE);
        assert!(!HTML.contains(PLACE));
        assert!(POLICY.is_some());
    }
}
