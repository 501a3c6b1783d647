//! The Session object (mobile SDK, section 2): what a phone gets that opened a code.

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use countersign_domain::login::Login;
use countersign_domain::login::risk::{PlaceNames, RiskAnalytics};
use countersign_domain::login::screen::{ConfirmationScreen, Subject};
use serde::Serialize;
use utoipa::ToSchema;

use crate::openapi::RiskStatus;
use crate::problem::{Problem, ProblemCode};

/// A session that a phone opened.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenedSession<'a> {
    /// What the person has to see.
    session: SessionObject,
    /// The page that asks. A payload is bound to it.
    #[schema(examples("https://shop.example"))]
    origin: &'a str,
    /// The key to encrypt the payload for: an uncompressed P-256 point in base64url. Compare its
    /// SHA-256 with `k` of the link before you use it. Absent where the browser gave none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    browser_public_key: Option<String>,
}

/// The Session object.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
struct SessionObject {
    /// The phone's address.
    #[serde(rename = "iPAddressMobile")]
    #[schema(examples("198.51.100.9"))]
    ip_address_mobile: String,
    /// The browser's address.
    #[serde(rename = "iPAddressWidget")]
    #[schema(examples("203.0.113.7"))]
    ip_address_widget: String,
    /// How risky it looks.
    risk_analytics: Judgement,
    /// What the screen says on which the person decides.
    mobile_template_response: Screen,
}

/// How risky a session looks.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RiskAnalytics)]
struct Judgement {
    /// The judgement. `deny` cannot be confirmed.
    #[schema(value_type = RiskStatus)]
    risk_status: &'static str,
    /// What triggers the risk, for people. There where the status is `warn` or `deny`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        examples("The browser is in another country than this phone.")
    )]
    risk_flag_string: Option<String>,
    /// Where the two are.
    geo_data: GeoData,
}

/// Where the two are.
#[derive(Serialize, ToSchema)]
struct GeoData {
    /// The phone.
    mobile: Whereabouts,
    /// The browser.
    browser: Whereabouts,
}

/// Where one of the two is, as far as anybody knows.
#[derive(Serialize, ToSchema)]
struct Whereabouts {
    /// The city. Absent where nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("Berlin"))]
    city: Option<String>,
    /// The country (ISO 3166-1 alpha-2). Absent where nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("DE"))]
    country_code: Option<String>,
}

/// What the screen says on which the person decides.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MobileTemplateResponse)]
struct Screen {
    /// The title.
    #[schema(examples("Log in to shop.example?"))]
    title: String,
    /// What it is about.
    message: String,
    /// Where the browser is.
    widget: ScreenPlace,
    /// Where the phone is.
    mobile: ScreenPlace,
    /// Which browser it is.
    user_agent: ScreenBrowser,
    /// Everything that was noticed, a sentence each, the gravest first.
    flags: Vec<&'static str>,
}

/// A place on the screen.
#[derive(Serialize, ToSchema)]
struct ScreenPlace {
    /// Which place.
    #[schema(examples("Berlin, DE"))]
    location: String,
    /// Why to look twice at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    issue: Option<String>,
}

/// The browser on the screen.
#[derive(Serialize, ToSchema)]
struct ScreenBrowser {
    /// Which browser.
    #[schema(examples("Firefox on Linux"))]
    name: String,
    /// Why to look twice at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    issue: Option<String>,
}

impl From<PlaceNames> for Whereabouts {
    fn from(PlaceNames { city, country_code }: PlaceNames) -> Self {
        Self { city, country_code }
    }
}

impl From<Subject> for ScreenPlace {
    fn from(Subject { what, issue }: Subject) -> Self {
        let location = what;
        Self { location, issue }
    }
}

impl From<Subject> for ScreenBrowser {
    fn from(Subject { what, issue }: Subject) -> Self {
        let name = what;
        Self { name, issue }
    }
}

/// The answer to the phone that opened a session.
pub(super) fn opened(session: &Login) -> Result<Response, Problem> {
    let Some(phone) = session.phone() else {
        let cause = "a session that was opened has no phone";
        return Err(Problem::ours(ProblemCode::InternalError, cause));
    };
    let (browser, mobile) = (&session.browser, &phone.sighting);
    let risk = RiskAnalytics::of(&phone.risk, &browser.place, &mobile.place);
    let screen = ConfirmationScreen::of(session, phone);
    let answer = OpenedSession {
        session: SessionObject {
            ip_address_mobile: mobile.address.to_string(),
            ip_address_widget: browser.address.to_string(),
            risk_analytics: Judgement {
                risk_status: risk.status.as_str(),
                risk_flag_string: risk.flag_string,
                geo_data: GeoData {
                    mobile: risk.geo.mobile.into(),
                    browser: risk.geo.browser.into(),
                },
            },
            mobile_template_response: Screen {
                title: screen.title,
                message: screen.message,
                widget: screen.widget.into(),
                mobile: screen.mobile.into(),
                user_agent: screen.user_agent.into(),
                flags: screen.flags,
            },
        },
        origin: session.origin.as_str(),
        browser_public_key: session.encryption.key().map(ToString::to_string),
    };
    Ok(Json(answer).into_response())
}
