//! The service's answer to a phone that opens a login (mobile SDK, section 2).

use countersign_domain::login::{BrowserKeyHash, BrowserPublicKey};
use countersign_domain::web::origin::WebOrigin;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

/// An opened login.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The Session object.
    pub(crate) session: Session,
    /// The same object as it arrived, for scripts.
    pub(crate) raw: Value,
    /// The page's origin.
    pub(crate) origin: WebOrigin,
    /// Who can read the payload.
    pub(crate) readers: Readers,
}

/// Who can read the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// The browser alone: the link confirms its key.
    Browser(BrowserPublicKey),
    /// The owner of this key. The service says that it is the browser's; the link does not mention
    /// one.
    Unvouched(BrowserPublicKey),
    /// The browser and the service.
    Everybody,
}

/// Why the answer cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum Unusable {
    /// The service sent a key that the code does not match.
    #[error(
        "the service sent a different key than the browser's: somebody may be trying to read along. \
         Nothing was sent; do not log in this way"
    )]
    SwappedKey,
    /// The service sent no key although the code mentions one.
    #[error(
        "the service withheld the browser's key, with which the payload would have been encrypted: \
         somebody may be trying to read along. Nothing was sent; do not log in this way"
    )]
    WithheldKey,
    /// The answer does not have the expected form.
    #[error("the service did not answer with a login; is it a Countersign service?")]
    Malformed,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    session: Value,
    origin: String,
    browser_public_key: Option<String>,
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
    /// Parses the answer, and checks the browser's key against the hash in the code.
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
