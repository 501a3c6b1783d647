//! The web authenticator: the pages on an app's link host that serve people without the app as their phone. One sets the
//! phone up, the other asks for a confirmation.
//!
//! The HTML has the texts of every state, so that the script needs none. Neither page looks a login or a registration up:
//! the script does, after a tap where that has an effect.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::response::Response;
use countersign_domain::app::App;
use countersign_domain::login::texts::Texts;
use countersign_domain::primitives::time::Timestamp;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use http::{HeaderName, HeaderValue};

use crate::extract::accept_language::answer_in;
use crate::routes::html::{escaped, fill};
use crate::routes::page_files::{self, PageFiles};

/// The page that sets a phone up, with placeholders such as `{{setup_title}}`.
const SETUP: &str = include_str!("phone_page/setup.html");

/// The page that asks for a confirmation.
const CONFIRM: &str = include_str!("phone_page/confirm.html");

/// Allows the service's own files and requests, and no frame around the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
    frame-ancestors 'none'; form-action 'none'; base-uri 'none'; require-trusted-types-for 'script'; \
    trusted-types 'none'";

/// Passkeys belong to this page, not to a frame in it. Only Chromium reads this.
const PERMISSIONS: &str =
    "publickey-credentials-create=(self), publickey-credentials-get=(self), clipboard-write=(self)";

/// The names of the sentences that the script of the page for confirmations shows when they are needed.
const SENTENCES: &[&str] = &[
    "wait",
    "read_to_end",
    "sending",
    "offline",
    "copied",
    "unknown_passkey",
];

/// The names of the messages of errors begin so.
const MESSAGE: &str = "message_";

static FILES: LazyLock<PageFiles> = LazyLock::new(|| {
    PageFiles::new(
        include_str!("../../../../clients/phone/dist/page.js"),
        include_str!("../../../../clients/phone/dist/page.css"),
    )
});

/// Returns the routes of the script and the style.
pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    page_files::routes("/phone", &FILES)
}

/// Returns the page that sets a phone up, or `None` if the host's app does not use the web authenticator.
pub(crate) fn setup(apps: &[Arc<App>], texts: &'static Texts, now: Timestamp) -> Option<Response> {
    let app = app_of(apps)?;
    Some(answer(texts, html(SETUP, texts, app, now)))
}

/// Returns the page that asks for a confirmation, or `None` if the host's app does not use the web authenticator.
pub(crate) fn confirmation(
    apps: &[Arc<App>],
    texts: &'static Texts,
    now: Timestamp,
) -> Option<Response> {
    let app = app_of(apps)?;
    Some(answer(texts, html(CONFIRM, texts, app, now)))
}

/// Returns the host's app if it uses the web authenticator. Such a host has only one app.
fn app_of(apps: &[Arc<App>]) -> Option<&App> {
    match apps {
        [app] if app.login.web_phone => Some(app),
        _ => None,
    }
}

fn html(template: &str, texts: &'static Texts, app: &App, now: Timestamp) -> String {
    let language = texts.language();
    let name = app.id.as_str();
    let text = |text: &str| texts.phone(text, name).map(|text| escaped(&text));
    let sentence = |name: &str| {
        let text = text(name).unwrap_or_default();
        format!("<p data-text=\"{name}\">{text}</p>\n")
    };
    let setup_url = app.login.phone_setup_url.as_ref();
    fill(template, |placeholder| match placeholder {
        "lang" => language.tag().to_owned(),
        "dir" => language.direction().as_str().to_owned(),
        "app_key" => escaped(app.app_key.as_str()),
        "app_name" => escaped(name),
        "time" => now.as_millis().to_string(),
        "setup_url" => setup_url.map_or_else(String::new, |url| escaped(url.as_str())),
        "setup_hidden" if setup_url.is_none() => " hidden".to_owned(),
        "no_script" => escaped(&texts.authorize().no_script),
        "sentences" => {
            let messages = texts.phone_names().filter(|name| name.starts_with(MESSAGE));
            let names = SENTENCES.iter().copied().chain(messages);
            names.map(sentence).collect()
        }
        other => text(other).unwrap_or_default(),
    })
}

/// Answers with a page that no frame may contain, no cache keeps, that sends no referrer, since its address has the
/// login's id or the registration's secret, and that shares its process with no other site.
fn answer(texts: &'static Texts, html: String) -> Response {
    let mut response = Response::new(html.into());
    let fixed = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (HeaderName::from_static("permissions-policy"), PERMISSIONS),
        (HeaderName::from_static("x-robots-tag"), "noindex"),
    ];
    let headers = response.headers_mut();
    headers.extend(fixed.map(|(name, value)| (name, HeaderValue::from_static(value))));
    answer_in(texts, response)
}

#[cfg(test)]
mod tests;
