//! The page for users who open a link without the app.

use std::sync::LazyLock;

use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::login::texts::{LandingPage, Texts};
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use http::{HeaderName, HeaderValue};
use sha2::{Digest as _, Sha256};

use crate::routes::html::{escaped, fill};

/// The page, with placeholders such as `{{title}}` for its style and texts.
const PAGE: &str = include_str!("landing.html");

/// The page's style, inlined so that the page needs no further request.
const STYLE: &str = include_str!("landing.css");

/// The Content-Security-Policy: allows only this style, and no frames.
static POLICY: LazyLock<Option<HeaderValue>> = LazyLock::new(|| {
    let hash = BASE64_STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).ok()
});

/// Builds the page, which is the same for every link of a host. `app` is the app's name, if the
/// host belongs to only one app. The page sends no referrer, since its address contains the login's
/// id.
pub(super) fn page(texts: &'static Texts, app: Option<&str>) -> Response {
    let mut response = Response::new(html(texts, app).into());
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

fn html(texts: &'static Texts, app: Option<&str>) -> String {
    let LandingPage {
        title,
        about,
        steps: [open_on_phone, get_the_app, not_started_by_you],
    } = texts.landing(app);
    let language = texts.language();
    fill(PAGE, |placeholder| match placeholder {
        "style" => STYLE.to_owned(),
        "lang" => language.tag().to_owned(),
        "dir" => language.direction().as_str().to_owned(),
        "title" => escaped(title),
        "about" => escaped(&about),
        "open_on_phone" => escaped(open_on_phone),
        "get_the_app" => escaped(get_the_app),
        "not_started_by_you" => escaped(not_started_by_you),
        _ => String::new(),
    })
}

#[cfg(test)]
mod tests {
    use countersign_domain::login::texts::Language;
    use strum::VariantArray as _;

    use super::*;

    #[test]
    fn inlined_style_is_the_one_that_the_policy_allows() {
        let html = html(Texts::for_language(Language::English), None);
        let inside = html.split_once("<style>").unwrap().1;
        assert_eq!(inside.split_once("</style>").unwrap().0, STYLE);
        assert!(POLICY.is_some());
    }

    #[test]
    fn every_placeholder_has_a_text() {
        let names = PAGE.split("{{").skip(1);
        let mut names: Vec<_> = names.map(|part| part.split_once("}}").unwrap().0).collect();
        for &language in Language::VARIANTS {
            let texts = Texts::for_language(language);
            let html = html(texts, Some("shop"));
            assert!(!html.contains("{{") && !html.contains("}}"));
            for empty in [
                "<p></p>",
                "<li></li>",
                "<h1></h1>",
                "<title></title>",
                "=\"\"",
            ] {
                assert!(!html.contains(empty), "{language:?}: {empty}");
            }
            let page = texts.landing(Some("shop"));
            for text in [page.title, &page.about].into_iter().chain(page.steps) {
                assert!(html.contains(&escaped(text)), "{language:?}: {text}");
            }
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 8, "{names:?}");
    }

    #[test]
    fn name_is_no_markup_and_no_placeholder() {
        let html = html(
            Texts::for_language(Language::English),
            Some("<b>&\"'{{title}}"),
        );
        assert!(html.contains("&lt;b&gt;&amp;&quot;&#39;{{title}}"));
    }
}
