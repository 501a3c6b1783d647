//! Pages for requests that go back to no site.

use axum::response::Response;
use countersign_domain::login::texts::{AuthorizeNames, RefusalTexts, Texts};
use http::StatusCode;

use super::{answer, language_attribute};
use crate::routes::html::{escaped, fill};

const NOTICE: &str = include_str!("notice.html");

/// The part for the developers of the site.
const DEVELOPERS: &str =
    "<section class=\"card\">\n<h2>{{title}}</h2>\n<p>{{about}}</p>\n{{command}}</section>\n";

const POLICY: &str = "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; \
    form-action 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// Why a request is refused without going back to the site: its client or its address is not proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal<'a> {
    /// `client_id` is missing, or not the key of an app with a redirect URI.
    UnknownClient,
    RedirectUriMissing,
    RedirectUriNotListed,
    LogoutUriNotListed,
    /// A parameter occurs more than once.
    Repeated(&'a str),
    Malformed,
}

/// Builds the page of a refused request. It says what the developers of the site have to change.
pub(crate) fn refusal(texts: &'static Texts, refusal: Refusal<'_>) -> Response {
    let html = refusal_html(texts, refusal);
    answer(texts, StatusCode::BAD_REQUEST, html, POLICY)
}

pub(super) fn refusal_html(texts: &'static Texts, refusal: Refusal<'_>) -> String {
    let RefusalTexts {
        title,
        about,
        developers,
        ..
    } = &texts.authorize().refusal;
    let (reason, command) = refusal.reason(&texts.authorize().refusal);
    let parameter = match refusal {
        Refusal::Repeated(name) => name,
        _ => "",
    };
    let names = AuthorizeNames {
        parameter,
        ..AuthorizeNames::default()
    };
    let reason = texts.authorize_text(reason, &names);
    let developers = fill(DEVELOPERS, |placeholder| match placeholder {
        "title" => escaped(developers),
        "about" => escaped(&reason),
        "command" => command.map_or_else(String::new, |command| {
            format!("<code dir=\"ltr\">{}</code>\n", escaped(command))
        }),
        _ => String::new(),
    });
    notice(texts, "openid-error", title, about, &developers)
}

/// Builds the page after a logout for a site that named no page to go back to.
pub(crate) fn logged_out(texts: &'static Texts) -> Response {
    let page = texts.authorize();
    let (title, about) = (&page.logged_out, &page.logged_out_about);
    let html = notice(texts, "openid-logout", title, about, "");
    answer(texts, StatusCode::OK, html, POLICY)
}

impl Refusal<'_> {
    /// Returns the text for developers, and the command that it names.
    fn reason(self, texts: &RefusalTexts) -> (&str, Option<&'static str>) {
        match self {
            Self::UnknownClient => (&texts.unknown_client, None),
            Self::RedirectUriMissing => (&texts.redirect_uri_missing, None),
            Self::RedirectUriNotListed => (
                &texts.redirect_uri_not_listed,
                Some("countersign app update APP --add-redirect-uri URL"),
            ),
            Self::LogoutUriNotListed => (
                &texts.logout_uri_not_listed,
                Some("countersign app update APP --add-post-logout-redirect-uri URL"),
            ),
            Self::Repeated(_) => (&texts.repeated, None),
            Self::Malformed => (&texts.malformed, None),
        }
    }
}

fn notice(texts: &Texts, id: &str, title: &str, about: &str, developers: &str) -> String {
    fill(NOTICE, |placeholder| match placeholder {
        "id" => id.to_owned(),
        "title" => escaped(title),
        "about" => escaped(about),
        "developers" => developers.to_owned(),
        other => language_attribute(texts.language(), other),
    })
}
