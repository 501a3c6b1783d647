//! The page for people who open a link without the app.

use std::sync::LazyLock;

use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use http::{HeaderName, HeaderValue};
use sha2::{Digest as _, Sha256};

/// The page, with a placeholder for its style.
const PAGE: &str = include_str!("landing.html");

/// The page's style, which is inlined so that the page needs no further request.
const STYLE: &str = include_str!("landing.css");

/// The placeholder for the style.
const PLACEHOLDER: &str = "/* landing.css */";

static HTML: LazyLock<String> = LazyLock::new(|| PAGE.replacen(PLACEHOLDER, STYLE, 1));

/// The Content-Security-Policy: this style alone, and no frames.
static POLICY: LazyLock<Option<HeaderValue>> = LazyLock::new(|| {
    let hash = BASE64_STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).ok()
});

/// Builds the page, which is the same for every link. It sends no referrer, since the address contains
/// the login's id.
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
    fn inlined_style_is_the_one_that_the_policy_allows() {
        let inside = HTML.split_once("<style>").unwrap().1;
        assert_eq!(inside.split_once("</style>").unwrap().0, STYLE);
        assert!(!HTML.contains(PLACEHOLDER));
        assert!(POLICY.is_some());
    }
}
