//! The pages of the `OpenID` provider: at `/authorize`, where a person logs in for a site, and for requests that go
//! back to no site.
//!
//! The HTML has the texts of every state, so that the script needs none.

mod notice;
mod site;

use std::sync::LazyLock;

use axum::Router;
use axum::response::Response;
use countersign_domain::login::texts::{AuthorizeNames, Direction, Language, Texts};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

pub(crate) use notice::{Refusal, logged_out, refusal};

use crate::extract::accept_language::{self, answer_in};
use crate::routes::html::{escaped, fill};
use crate::routes::page_files::{self, PageFiles};

/// The page, with placeholders such as `{{title}}`.
const PAGE: &str = include_str!("authorize_page/page.html");

/// One of the methods to choose from.
const CHOICE: &str = r#"<label><input type="radio" name="method" value="{{value}}"{{checked}}>{{name}}</label>
"#;

/// What the site learns, and which phone has to send the text.
const LEARNS: &str = r#"<div data-method="{{method}}" class="{{class}}">{{sentences}}</div>"#;

const TEXT_ELEMENT: &str = r#"<countersign-phone data-method="text" class="{{class}}" app-name="{{app}}"></countersign-phone>"#;

const CODE_ELEMENT: &str = r#"<countersign-login data-method="code" class="{{class}}" app-key="{{key}}" app-name="{{app}}"></countersign-login>"#;

/// Where the page's script may send requests to. `'self'` does not include the socket if it has a host of its own.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
    frame-ancestors 'none'; form-action 'none'; base-uri 'none'; require-trusted-types-for 'script'; \
    trusted-types 'none'; connect-src 'self'";

/// A way to log in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// The person sends a text.
    Text,
    /// The person confirms in the app.
    Code,
}

impl Method {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Code => "code",
        }
    }
}

static FILES: LazyLock<PageFiles> = LazyLock::new(|| {
    PageFiles::new(
        include_str!("../../../../clients/authorize/dist/page.js"),
        include_str!("../../../../clients/authorize/dist/page.css"),
    )
});

/// Returns the routes of the script and the style.
pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    page_files::routes("/openid", &FILES)
}

/// What a page at `/authorize` shows.
#[derive(Clone, Copy)]
pub(crate) struct AuthorizePage<'a> {
    pub(crate) texts: &'static Texts,
    /// The request, sealed by the service.
    pub(crate) request: &'a str,
    pub(crate) app_name: &'a str,
    pub(crate) app_key: &'a str,
    /// Where the browser goes back to.
    pub(crate) redirect_uri: &'a str,
    /// The ways to log in, in the app's order.
    pub(crate) methods: &'a [Method],
    /// Whether the site asked for the number (scope `phone`).
    pub(crate) phone: bool,
    /// The number that has to send the text, partly hidden.
    pub(crate) number_hint: Option<&'a str>,
    /// The URL of the WebSocket that the elements open.
    pub(crate) socket_url: Option<&'a str>,
}

/// Chooses the language of a page: the first of `ui_locales` (`OpenID` Connect Core 1.0, section 3.1.2.1) that there are
/// texts for, otherwise as the header `Accept-Language` asks.
pub(crate) fn language(ui_locales: Option<&str>, headers: &HeaderMap) -> &'static Texts {
    let mut asked = ui_locales.unwrap_or_default().split_ascii_whitespace();
    let asked = asked.find_map(accept_language::language_of);
    Texts::for_language(asked.unwrap_or_else(|| accept_language::asked(headers)))
}

/// Builds the page. The caller adds the cookie.
pub(crate) fn page(page: &AuthorizePage<'_>) -> Response {
    let socket = page.socket_url.and_then(site::origin_of_socket);
    let policy = match socket {
        Some(origin) => format!("{POLICY} {origin}"),
        None => POLICY.to_owned(),
    };
    answer(page.texts, StatusCode::OK, page.html(), &policy)
}

impl AuthorizePage<'_> {
    fn html(&self) -> String {
        let texts = self.texts.authorize();
        let names = AuthorizeNames {
            app: self.app_name,
            site: site::name(self.redirect_uri),
            number: self.number_hint.unwrap_or_default(),
            ..AuthorizeNames::default()
        };
        let html = |text: &str| escaped(&self.texts.authorize_text(text, &names));
        fill(PAGE, |placeholder| match placeholder {
            "request" => escaped(self.request),
            "methods" => self.names_of_methods(),
            "learns" => self.each_method(|method| self.learns(method, &html)),
            "choice_hidden" if self.methods.len() < 2 => " hidden".to_owned(),
            "choices" => self.each_method(|method| self.choice(method)),
            "elements" => self.each_method(|method| self.element(method)),
            "title" => html(&texts.title),
            "phone_unknown" => html(&texts.phone_unknown),
            "not_yours" => html(&texts.not_yours),
            "no_script" => html(&texts.no_script),
            "choose" => html(&texts.choose),
            "leaving" => html(&texts.leaving),
            "go_on" => html(&texts.go_on),
            "expired" => html(&texts.expired),
            "expired_about" => html(&texts.expired_about),
            "over" => html(&texts.over),
            "over_about" => html(&texts.over_about),
            "unknown" => html(&texts.unknown),
            "unknown_about" => html(&texts.unknown_about),
            "failed" => html(&texts.failed),
            "failed_about" => html(&texts.failed_about),
            "again" => html(&texts.again),
            "retry" => html(&texts.retry),
            "cancel" => html(&texts.cancel),
            other => language_attribute(self.texts.language(), other),
        })
    }

    fn names_of_methods(&self) -> String {
        let names: Vec<_> = self.methods.iter().map(|method| method.as_str()).collect();
        names.join(" ")
    }

    fn each_method(&self, html: impl Fn(Method) -> String) -> String {
        self.methods.iter().copied().map(html).collect()
    }

    /// Whether a method is the one that the page shows first.
    fn is_first(&self, method: Method) -> bool {
        self.methods.first() == Some(&method)
    }

    /// Hides what belongs to the other methods.
    fn class(&self, method: Method) -> String {
        if self.is_first(method) { "" } else { "off" }.to_owned()
    }

    /// Says what the site learns by a method, and who has to send the text.
    fn learns(&self, method: Method, html: &impl Fn(&str) -> String) -> String {
        let texts = self.texts.authorize();
        let learns = match method {
            Method::Text if self.phone => &texts.learns_number,
            Method::Text => &texts.learns_sameness,
            Method::Code => &texts.learns_user,
        };
        let number =
            (method == Method::Text && self.number_hint.is_some()).then_some(&texts.number);
        let sentences = [learns].into_iter().chain(number);
        let sentences: Vec<_> = sentences
            .map(|text| format!("<p>{}</p>", html(text)))
            .collect();
        fill(LEARNS, |placeholder| match placeholder {
            "method" => method.as_str().to_owned(),
            "class" => self.class(method),
            "sentences" => sentences.concat(),
            _ => String::new(),
        })
    }

    /// Returns the button that chooses a method.
    fn choice(&self, method: Method) -> String {
        let texts = self.texts.authorize();
        fill(CHOICE, |placeholder| match placeholder {
            "value" => method.as_str().to_owned(),
            "checked" if self.is_first(method) => " checked".to_owned(),
            "name" => escaped(match method {
                Method::Text => &texts.by_text,
                Method::Code => &texts.by_code,
            }),
            _ => String::new(),
        })
    }

    /// Returns the element of a method.
    fn element(&self, method: Method) -> String {
        let element = match method {
            Method::Text => TEXT_ELEMENT,
            Method::Code => CODE_ELEMENT,
        };
        fill(element, |placeholder| match placeholder {
            "class" => self.class(method),
            "app" => escaped(self.app_name),
            "key" => escaped(self.app_key),
            _ => String::new(),
        })
    }
}

/// Returns an attribute of the element `html`, or nothing for an unknown placeholder.
fn language_attribute(language: Language, placeholder: &str) -> String {
    let direction: Direction = language.direction();
    match placeholder {
        "lang" => language.tag(),
        "dir" => direction.as_str(),
        _ => "",
    }
    .to_owned()
}

/// Answers with a page that no frame may contain, no cache keeps, and that sends no referrer.
fn answer(texts: &'static Texts, status: StatusCode, html: String, policy: &str) -> Response {
    let mut response = Response::new(html.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::try_from(policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    let fixed = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("x-robots-tag"), "noindex"),
    ];
    headers.extend(fixed.map(|(name, value)| (name, HeaderValue::from_static(value))));
    answer_in(texts, response)
}

#[cfg(test)]
mod tests;
