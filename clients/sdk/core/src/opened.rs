//! The service's answer to a phone that opens a login.

use std::time::SystemTime;

use countersign_domain::app::AppKey;
use countersign_domain::login::identity::{self, IdInputs, IdentityError};
use countersign_domain::login::{BrowserPublicKey, CheckCode, Context, Encryption, ReturnLink};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::origin::WebOrigin;
use serde::Deserialize;
use serde_json::Value;

use crate::details::Details;
use crate::error::{AnswerFault, SdkError};

/// An opened login; its app, page, context and key match the id.
pub(crate) struct OpenedLogin {
    pub(crate) details: Details,
    /// The Session object as received.
    pub(crate) json: String,
    pub(crate) app_name: String,
    pub(crate) origin: WebOrigin,
    pub(crate) context: Option<Context>,
    pub(crate) encryption: Encryption,
    pub(crate) check_code: Option<String>,
    pub(crate) return_url: Option<ReturnLink>,
    pub(crate) expires_at: Timestamp,
    /// The service's time when it answered. The phone's own clock may be wrong.
    pub(crate) server_time: Timestamp,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenedAnswer {
    session: Value,
    app: AppName,
    origin: String,
    context: Option<String>,
    browser_public_key: Option<String>,
    check_code: Option<String>,
    return_url: Option<String>,
    expires_at: String,
    server_time: String,
}

#[derive(Deserialize)]
struct AppName {
    name: String,
}

impl OpenedLogin {
    /// Parses the answer, and verifies it against the id. `app_key` is the phone's own. Unknown
    /// members are ignored, because services may send more.
    pub(crate) fn read(answer: Value, id: LoginId, app_key: &AppKey) -> Result<Self, SdkError> {
        let malformed = || SdkError::MalformedAnswer(AnswerFault::NotALogin);
        let answer: OpenedAnswer = serde_json::from_value(answer).map_err(|_| malformed())?;
        let (inputs, encryption) = check_id(&answer, id, app_key).map_err(SdkError::KeyMismatch)?;
        let check_code = answer.check_code.as_deref().map(str::parse::<CheckCode>);
        let check_code = check_code.transpose().map_err(|_| malformed())?;
        let return_url = answer.return_url.map(ReturnLink::try_from).transpose();
        let return_url = return_url.map_err(|_| malformed())?;
        // A service that cheats could send any page.
        let is_own = |link: &ReturnLink| link.is_of(&inputs.origin);
        if !return_url.as_ref().is_none_or(is_own) {
            return Err(malformed());
        }
        Ok(Self {
            details: Details::deserialize(&answer.session).map_err(|_| malformed())?,
            json: answer.session.to_string(),
            app_name: answer.app.name,
            origin: inputs.origin,
            context: inputs.context,
            encryption,
            check_code: check_code.map(CheckCode::digits),
            return_url,
            expires_at: time(&answer.expires_at).ok_or_else(malformed)?,
            server_time: time(&answer.server_time).ok_or_else(malformed)?,
        })
    }
}

/// The parts of the answer that the id covers.
struct CoveredParts {
    origin: WebOrigin,
    context: Option<Context>,
}

fn check_id(
    answer: &OpenedAnswer,
    id: LoginId,
    app_key: &AppKey,
) -> Result<(CoveredParts, Encryption), IdentityError> {
    let origin = answer.origin.parse::<WebOrigin>();
    let origin = origin.map_err(|_| IdentityError::Mismatch)?;
    // The id matches any text with which the service opened it, so a service that cheats could send one
    // that is displayed differently.
    let context = answer.context.as_deref().map(str::parse::<Context>);
    let context = context.transpose().map_err(|_| IdentityError::Mismatch)?;
    let key = answer.browser_public_key.as_deref();
    let key = key.map(str::parse::<BrowserPublicKey>).transpose();
    let key = key.map_err(|_| IdentityError::Mismatch)?;
    let inputs = IdInputs {
        app_key,
        origin: &origin,
        context: context.as_ref().map_or("", Context::as_str),
    };
    let encryption = identity::check(id, inputs, key.as_ref())?;
    Ok((CoveredParts { origin, context }, encryption))
}

/// Parses a time such as `2026-01-02T03:04:05.678Z`.
fn time(text: &str) -> Option<Timestamp> {
    let time = humantime::parse_rfc3339(text).ok()?;
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Timestamp::from_millis(
        u64::try_from(since.as_millis()).ok()?,
    ))
}
