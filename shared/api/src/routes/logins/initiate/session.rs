//! The Session object (mobile SDK, section 2), which the phone that opened the code shows.

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use countersign_domain::app::App;
use countersign_domain::login::analytics::{PlaceNames, RiskAnalytics};
use countersign_domain::login::risk::{RiskStatus as Status, Severity};
use countersign_domain::login::screen::{ConfirmationScreen, ShownFlag, Subject};
use countersign_domain::login::sighting::PlaceCredit;
use countersign_domain::login::texts::Texts;
use countersign_domain::login::{CheckCode, Context, ReturnLink};
use countersign_domain::use_cases::logins::Initiated;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::accept_language::answer_in;
use crate::problem::{Problem, ProblemCode};
use crate::schema::words::words;

words! {
    /// The risk of a login.
    RiskStatus(Status)
}

words! {
    /// The severity of a flag: `info` changes nothing, `warn` makes the risk at least `warn`, and `deny`
    /// makes it `deny`.
    FlagSeverity(Severity)
}

/// A login that a phone has opened.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenedSession<'a> {
    /// The facts that the user must see before deciding.
    session: SessionObject,
    /// The app that the user logs in to.
    app: AppObject<'a>,
    /// The origin of the page. Encrypted payloads are bound to it.
    #[schema(examples("https://shop.example"))]
    origin: &'a str,
    /// The key to encrypt the payload for: an uncompressed P-256 point in base64url. The session's id
    /// is computed from it; compare the two before you use it. Absent if the browser sent none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    browser_public_key: Option<String>,
    /// The text that the user approves. The session's id is computed from it; the confirmation needs a
    /// proof. Show all of it. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("Pay 20 EUR to Zoë"))]
    context: Option<&'a str>,
    /// Two digits that the user types in the browser. Show them until the login ends, and only to
    /// the user. Absent if the login needs none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[0-9]{2}$", examples("42"))]
    check_code: Option<String>,
    /// The page from which the link was opened. Open it in the phone's browser once the user has confirmed: nothing
    /// else ends the login. It contains a one-time token. Present if the request said `canReturn` and the page asked
    /// for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        format = "uri",
        examples(
            "https://shop.example/sign-in#countersign=qrs_5f0c8a41f2d94e6b7a13c0de9b81d2a4.mBq7wPKQ8DPZJ9x0R0R4l0bZ0s2mC1Xy5b3lYH2T7kE"
        )
    )]
    return_url: Option<&'a str>,
    /// Until when the user can decide. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:08:05.678Z"))]
    expires_at: String,
    /// The seconds until then, rounded down; 0 if the time is over. Use this if your clock may be wrong.
    #[schema(examples(180))]
    expires_in: u64,
    /// The service's time, by which the phone can correct its own clock. UTC, ISO 8601 with
    /// milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:05.678Z"))]
    server_time: String,
}

/// The app that the user logs in to.
#[derive(Serialize, ToSchema)]
#[schema(as = SessionApp)]
struct AppObject<'a> {
    /// The app's name.
    #[schema(examples("shop"))]
    name: &'a str,
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
    /// The risk of the login.
    risk_analytics: RiskAnalyticsBody,
    /// The texts of the screen on which the user decides.
    mobile_template_response: Screen,
}

/// The risk of a login.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RiskAnalytics)]
struct RiskAnalyticsBody {
    /// The status. A login with `deny` cannot be confirmed.
    risk_status: RiskStatus,
    /// The cause of the risk, as text for the user: the texts of the flags that warn or deny.
    /// Present if the status is `warn` or `deny`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        examples("The browser is in another country than this phone.")
    )]
    risk_flag_string: Option<String>,
    /// The places of phone and browser.
    geo_data: GeoData,
}

/// The places of phone and browser.
#[derive(Serialize, ToSchema)]
struct GeoData {
    /// The phone's place.
    mobile: Whereabouts,
    /// The browser's place.
    browser: Whereabouts,
}

/// A place, with the parts that are known.
#[derive(Serialize, ToSchema)]
struct Whereabouts {
    /// The city. Absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("Berlin"))]
    city: Option<String>,
    /// The country (ISO 3166-1 alpha-2). Absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("DE"))]
    country_code: Option<String>,
}

/// The texts of the screen on which the user decides.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MobileTemplateResponse)]
struct Screen {
    /// The title.
    #[schema(examples("Log in to shop.example?"))]
    title: String,
    /// The question.
    message: String,
    /// The browser's place.
    widget: ScreenPlace,
    /// The phone's place.
    mobile: ScreenPlace,
    /// The browser.
    user_agent: ScreenBrowser,
    /// Facts that the user should know about the login, the most serious first.
    flags: Vec<FlagBody>,
    /// The sources that must be credited where the places are shown, as their licenses require. Absent if there
    /// are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    attributions: Vec<Attribution>,
}

/// A source of places.
#[derive(Serialize, ToSchema)]
struct Attribution {
    /// The text to show, the same in every language.
    #[schema(examples("IP Geolocation by DB-IP"))]
    text: &'static str,
    /// The link's URL.
    #[schema(format = "uri", examples("https://db-ip.com"))]
    url: &'static str,
}

impl From<PlaceCredit> for Attribution {
    fn from(credit: PlaceCredit) -> Self {
        Self {
            text: credit.text(),
            url: credit.url(),
        }
    }
}

/// A fact that the user should know about the login.
#[derive(Serialize, ToSchema)]
#[schema(as = Flag)]
struct FlagBody {
    /// The flag's name, the same in every language. Later versions may send more codes.
    #[schema(examples("countries_differ"))]
    code: &'static str,
    /// The severity.
    severity: FlagSeverity,
    /// The sentence to show, in the language of the answer.
    #[schema(examples("The browser is in another country than this phone."))]
    text: &'static str,
}

/// A place on the screen.
#[derive(Serialize, ToSchema)]
struct ScreenPlace {
    /// The place's name.
    #[schema(examples("Berlin, DE"))]
    location: String,
    /// Why the user should look closely at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    issue: Option<String>,
}

/// The browser on the screen.
#[derive(Serialize, ToSchema)]
struct ScreenBrowser {
    /// The browser's name.
    #[schema(examples("Firefox on Linux"))]
    name: String,
    /// Why the user should look closely at it.
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

impl From<ShownFlag> for FlagBody {
    fn from(ShownFlag { flag, text }: ShownFlag) -> Self {
        Self {
            code: flag.into_str(),
            severity: FlagSeverity(flag.severity()),
            text,
        }
    }
}

/// Builds the answer to the phone that opened a login.
pub(super) fn respond(
    app: &App,
    initiated: &Initiated,
    texts: &'static Texts,
) -> Result<Response, Problem> {
    let Initiated {
        login,
        return_link,
        server_time,
    } = initiated;
    let Some(phone) = login.phone() else {
        let cause = "a login that was opened has no phone";
        return Err(Problem::ours(ProblemCode::InternalError, cause));
    };
    let (browser, mobile) = (&login.browser, &phone.sighting);
    let risk = RiskAnalytics::new(&phone.risk, &browser.place, &mobile.place, texts);
    let screen = ConfirmationScreen::new(login, phone, texts);
    let answer = OpenedSession {
        session: SessionObject {
            ip_address_mobile: mobile.address.to_string(),
            ip_address_widget: browser.address.to_string(),
            risk_analytics: RiskAnalyticsBody {
                risk_status: RiskStatus(risk.status),
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
                flags: screen.flags.into_iter().map(FlagBody::from).collect(),
                attributions: screen.credits.into_iter().map(Into::into).collect(),
            },
        },
        app: AppObject {
            name: app.id.as_str(),
        },
        origin: login.origin.as_str(),
        browser_public_key: login.encryption.key().map(ToString::to_string),
        context: login.context().map(Context::as_str),
        check_code: phone
            .binding
            .and_then(|binding| binding.check_code())
            .map(CheckCode::digits),
        return_url: return_link.as_ref().map(ReturnLink::reveal),
        expires_at: login.expires_at().to_string(),
        expires_in: login.expires_at().since(*server_time).as_secs(),
        server_time: server_time.to_string(),
    };
    Ok(answer_in(texts, Json(answer).into_response()))
}
