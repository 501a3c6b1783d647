//! What the service tells a phone that opened a session (mobile SDK, section 2).

use countersign_domain::login::{BrowserKeyHash, BrowserPublicKey};
use countersign_domain::web::origin::WebOrigin;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

/// An opened session.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The Session object.
    pub(crate) session: Session,
    /// The same as it came, for scripts.
    pub(crate) raw: Value,
    /// Who asks.
    pub(crate) origin: WebOrigin,
    /// Who will be able to read the payload.
    pub(crate) readers: Readers,
}

/// Who will be able to read the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// The browser alone: the link vouches for its key.
    Browser(BrowserPublicKey),
    /// Whoever has this key. The service says that it is the browser's; the link says nothing.
    Unvouched(BrowserPublicKey),
    /// The browser, and the service between.
    Everybody,
}

/// Why an answer is of no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum Unusable {
    /// A key that the code does not speak of.
    #[error(
        "the service handed out another key than the browser's: somebody may want to read along. \
         Nothing was sent; do not log in this way"
    )]
    SwappedKey,
    /// No key, though the code speaks of one.
    #[error(
        "the service withheld the browser's key, for which the payload would have been encrypted: \
         somebody may want to read along. Nothing was sent; do not log in this way"
    )]
    WithheldKey,
    /// Not what was agreed on.
    #[error("the service answered something else than a session; is it a Countersign service?")]
    Malformed,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    session: Value,
    origin: String,
    browser_public_key: Option<String>,
}

/// The Session object, as far as people are shown of it.
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
    pub(crate) flags: Vec<String>,
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
    /// Reads an answer, and holds the browser's key against what the code says of it.
    pub(crate) fn read(
        answer: Value,
        in_the_code: Option<BrowserKeyHash>,
    ) -> Result<Self, Unusable> {
        let answer: Answer = serde_json::from_value(answer).map_err(|_| Unusable::Malformed)?;
        let key = answer.browser_public_key.as_deref();
        let key = key.map(str::parse::<BrowserPublicKey>).transpose();
        let readers = match (in_the_code, key) {
            (Some(hash), Ok(Some(key))) if hash.fits(&key) => Readers::Browser(key),
            (Some(_), Ok(None)) => return Err(Unusable::WithheldKey),
            (Some(_), _) => return Err(Unusable::SwappedKey),
            (None, Ok(Some(key))) => Readers::Unvouched(key),
            (None, Ok(None)) => Readers::Everybody,
            (None, Err(_)) => return Err(Unusable::Malformed),
        };
        Ok(Self {
            session: Session::deserialize(&answer.session).map_err(|_| Unusable::Malformed)?,
            raw: answer.session,
            origin: answer
                .origin
                .parse::<WebOrigin>()
                .map_err(|_| Unusable::Malformed)?,
            readers,
        })
    }
}
