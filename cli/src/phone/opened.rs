//! The service's answer to a phone that opens a login (mobile SDK, section 2).

use std::time::SystemTime;

use countersign_domain::app::AppKey;
use countersign_domain::login::identity::{self, IdentityError, Vouched};
use countersign_domain::login::{BrowserPublicKey, CheckCode, Context, Encryption};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::origin::WebOrigin;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

/// An opened login, for whose app, page, context and key the id in the code vouches.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The Session object.
    pub(crate) session: Session,
    /// The same object as it arrived, for scripts.
    pub(crate) raw: Value,
    /// The app's name.
    pub(crate) app: String,
    /// The page's origin.
    pub(crate) origin: WebOrigin,
    /// Text that the person approves, if there is one.
    pub(crate) context: Option<Context>,
    /// Digits that the person types at the browser, if the login needs them.
    pub(crate) check_code: Option<CheckCode>,
    /// Whether the payload is encrypted for the browser.
    pub(crate) encryption: Encryption,
    /// The service's time when it answered. The phone's own clock may be wrong.
    pub(crate) server_time: Timestamp,
}

/// Why the answer cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum Unusable {
    /// The id in the code does not vouch for what the service said. The phone must deny the login.
    #[error(
        "{0}: somebody may be trying to read along. The payload was not sent; do not log in this way"
    )]
    Mismatch(#[from] IdentityError),
    /// The answer does not have the expected form.
    #[error("the service did not answer with a login; is it a Countersign service?")]
    Malformed,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    session: Value,
    app: AppName,
    origin: String,
    context: Option<String>,
    check_code: Option<String>,
    browser_public_key: Option<String>,
    server_time: String,
}

#[derive(Deserialize)]
struct AppName {
    name: String,
}

/// The parts of the Session object that people see.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    #[serde(rename = "iPAddressMobile")]
    pub(crate) ip_address_mobile: Option<String>,
    #[serde(rename = "iPAddressWidget")]
    pub(crate) ip_address_widget: Option<String>,
    pub(crate) risk_analytics: Option<RiskAnalytics>,
    pub(crate) mobile_template_response: Template,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RiskAnalytics {
    pub(crate) risk_status: String,
    pub(crate) risk_flag_string: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Template {
    pub(crate) title: String,
    pub(crate) message: String,
    pub(crate) widget: Whereabouts,
    pub(crate) mobile: Whereabouts,
    pub(crate) user_agent: BrowserName,
    #[serde(default)]
    pub(crate) flags: Vec<Flag>,
}

/// A fact about the login: a name for programs, `info`, `warn` or `deny`, and a sentence for people.
#[derive(Debug, Deserialize)]
pub(crate) struct Flag {
    pub(crate) code: String,
    pub(crate) severity: String,
    pub(crate) text: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Whereabouts {
    pub(crate) location: String,
    pub(crate) issue: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct BrowserName {
    pub(crate) name: String,
    pub(crate) issue: Option<String>,
}

impl Opened {
    /// Parses the answer, and checks it against the id in the code. `app_key` is the phone's own.
    pub(crate) fn read(answer: Value, id: LoginId, app_key: &AppKey) -> Result<Self, Unusable> {
        let answer: Answer = serde_json::from_value(answer).map_err(|_| Unusable::Malformed)?;
        let origin = answer.origin.parse::<WebOrigin>();
        let origin = origin.map_err(|_| IdentityError::Mismatch)?;
        // Anybody can open a login with a text of their own, so a service that cheats could name one
        // that screens show differently.
        let context = answer.context.map(|text| text.parse::<Context>());
        let context = context.transpose().map_err(|_| IdentityError::Mismatch)?;
        let key = answer.browser_public_key.as_deref();
        let key = key.map(str::parse::<BrowserPublicKey>).transpose();
        let key = key.map_err(|_| IdentityError::Mismatch)?;
        let check_code = answer.check_code.as_deref().map(str::parse::<CheckCode>);
        let vouched = Vouched {
            app_key,
            origin: &origin,
            context: context.as_ref().map_or("", Context::as_str),
        };
        Ok(Self {
            encryption: identity::check(id, vouched, key.as_ref())?,
            session: Session::deserialize(&answer.session).map_err(|_| Unusable::Malformed)?,
            raw: answer.session,
            app: answer.app.name,
            origin,
            context,
            check_code: check_code.transpose().map_err(|_| Unusable::Malformed)?,
            server_time: time(&answer.server_time).ok_or(Unusable::Malformed)?,
        })
    }
}

/// Parses a time such as `2026-01-02T03:04:05.678Z`.
fn time(text: &str) -> Option<Timestamp> {
    let time = humantime::parse_rfc3339(text).ok()?;
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Timestamp::from_millis(
        u64::try_from(since.as_millis()).ok()?,
    ))
}
