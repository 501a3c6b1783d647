//! Authorization requests (`OpenID` Connect Core, section 3.1.2.1).
//!
//! The client and the redirect URI are checked first. Until both are proven, an error is shown on our own page, because a
//! redirect would make the service an open redirector (RFC 9700, section 4.11). Unknown parameters and scopes are
//! ignored.

mod methods;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::answer::{ErrorCode, Refusal, location};
use super::code::AuthorizationCode;
use super::parameters::{Parameters, Repeated};
use super::pkce::{Challenge, METHOD};
use crate::app::openid::SignInMethod;
use crate::app::{App, AppKey};
use crate::primitives::phone::PhoneNumber;
use crate::web::redirect_uri::RedirectUri;

/// Maximum length of a request's query or form, in bytes. The page sends the request back inside a JSON body.
pub const MAX_REQUEST: usize = 8 * 1024;

/// The prefix of a `login_hint` that is a phone number (RFC 3966).
const TEL: &str = "tel:";

/// A request of a client that is listed, with a redirect URI that it lists.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthorizationRequest {
    #[serde(rename = "c")]
    pub client: AppKey,
    #[serde(rename = "r")]
    pub redirect_uri: RedirectUri,
    /// The client's value, returned unchanged.
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The client's value for the ID token.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<Challenge>,
    /// True if the client asked for the scope `phone`.
    #[serde(rename = "t", default, skip_serializing_if = "std::ops::Not::not")]
    pub phone: bool,
    /// The only number that may answer the request.
    #[serde(rename = "h", default, skip_serializing_if = "Option::is_none")]
    pub number: Option<PhoneNumber>,
    /// The ways to log in that the page offers, in its order.
    #[serde(rename = "m", default = "methods::of_earlier_pages")]
    pub methods: Vec<SignInMethod>,
    /// The languages that the client prefers, as it sent them.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub locales: Option<String>,
}

/// Shows only the client: the other values are secrets or personal data.
impl std::fmt::Debug for AuthorizationRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthorizationRequest")
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

/// Why a request is answered with a page rather than a redirect.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnprovenRequest {
    #[error("the request has more than {MAX_REQUEST} bytes")]
    TooLong,
    #[error(transparent)]
    Repeated(#[from] Repeated),
    #[error("client_id is missing")]
    NoClient,
    /// No app has this key, or the app has no redirect URI.
    #[error("there is no client with this client_id")]
    UnknownClient,
    #[error("redirect_uri is missing")]
    NoRedirectUri,
    #[error("the client does not list this redirect_uri: it is compared letter by letter")]
    UnlistedRedirectUri,
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// The refusal is shown on our own page.
    Unproven(UnprovenRequest),
    /// The client gets the refusal.
    Refused(Box<Refusal>),
}

impl From<UnprovenRequest> for RequestError {
    fn from(error: UnprovenRequest) -> Self {
        Self::Unproven(error)
    }
}

/// Returns the client that a request names.
///
/// # Errors
/// Fails if the request is too long, or names none or several.
pub fn client(query: &[u8], parameters: &Parameters) -> Result<AppKey, UnprovenRequest> {
    if query.len() > MAX_REQUEST {
        return Err(UnprovenRequest::TooLong);
    }
    let client = parameters.get("client_id")?;
    let client = client.ok_or(UnprovenRequest::NoClient)?;
    client.parse().map_err(|_| UnprovenRequest::UnknownClient)
}

impl AuthorizationRequest {
    /// Returns the address to which the browser returns with a code.
    #[must_use]
    pub fn location(&self, code: &AuthorizationCode, issuer: &str) -> String {
        let code = code.reveal();
        let state = self.state.as_deref();
        location(&self.redirect_uri, [("code", code.as_str())], state, issuer)
    }

    /// Returns the refusal of a request that the person cancelled.
    #[must_use]
    pub fn cancelled(self) -> Refusal {
        Refusal {
            redirect_uri: self.redirect_uri,
            state: self.state,
            code: ErrorCode::AccessDenied,
            description: "the person cancelled",
        }
    }

    /// Parses the request of a client.
    ///
    /// # Errors
    /// Fails with the first rule that the request breaks.
    pub fn parse(parameters: &Parameters, app: &App) -> Result<Self, RequestError> {
        if !app.openid.is_on() {
            return Err(UnprovenRequest::UnknownClient.into());
        }
        let named = parameters.get("redirect_uri");
        let named = named.map_err(UnprovenRequest::from)?;
        let named = named.ok_or(UnprovenRequest::NoRedirectUri)?;
        let listed = app.openid.redirect_uri(named);
        let redirect_uri = listed.ok_or(UnprovenRequest::UnlistedRedirectUri)?;
        // Of two states, none is the client's.
        let state = parameters.get("state").ok().flatten().map(str::to_owned);
        let refuse = |(code, description)| {
            RequestError::Refused(Box::new(Refusal {
                redirect_uri: redirect_uri.clone(),
                state: state.clone(),
                code,
                description,
            }))
        };
        let rest = Rest::parse(parameters, app).map_err(refuse)?;
        Ok(Self {
            client: app.app_key.clone(),
            redirect_uri,
            state,
            nonce: rest.nonce,
            challenge: rest.challenge,
            phone: rest.phone,
            number: rest.number,
            methods: rest.methods,
            locales: rest.locales,
        })
    }
}

/// The parameters that are read once client and redirect URI are proven.
struct Rest {
    nonce: Option<String>,
    challenge: Option<Challenge>,
    phone: bool,
    number: Option<PhoneNumber>,
    methods: Vec<SignInMethod>,
    locales: Option<String>,
}

type Reason = (ErrorCode, &'static str);

impl From<Repeated> for Reason {
    fn from(Repeated(name): Repeated) -> Self {
        let description = match name {
            "state" => "state is repeated",
            "code_challenge" => "code_challenge is repeated",
            _ => "a parameter is repeated",
        };
        (ErrorCode::InvalidRequest, description)
    }
}

const fn invalid(description: &'static str) -> Reason {
    (ErrorCode::InvalidRequest, description)
}

impl Rest {
    fn parse(parameters: &Parameters, app: &App) -> Result<Self, Reason> {
        parameters.get("state")?;
        refuse_objects(parameters)?;
        match parameters.get("response_type")? {
            Some("code") => {}
            None => return Err(invalid("response_type is missing")),
            Some(_) => {
                return Err((
                    ErrorCode::UnsupportedResponseType,
                    "response_type must be code",
                ));
            }
        }
        if parameters
            .get("response_mode")?
            .is_some_and(|mode| mode != "query")
        {
            return Err(invalid("response_mode must be query"));
        }
        let scope = parameters.get("scope")?.unwrap_or_default();
        let has = |wanted: &str| scope.split(' ').any(|one| one == wanted);
        if !has("openid") {
            return Err((ErrorCode::InvalidScope, "scope must contain openid"));
        }
        check_prompt(parameters)?;
        if let Some(age) = parameters.get("max_age")?
            && age.parse::<u32>().is_err()
        {
            return Err(invalid("max_age must be a number of seconds"));
        }
        let nonce = parameters.get("nonce")?.map(str::to_owned);
        let challenge = challenge(parameters)?;
        if challenge.is_none() && (app.openid.requires_pkce() || nonce.is_none()) {
            return Err(invalid(if app.openid.requires_pkce() {
                "code_challenge is missing: this client must use PKCE with S256"
            } else {
                "code_challenge and nonce are missing: one of them is required"
            }));
        }
        let number = number(parameters)?;
        let acr_values = parameters.get("acr_values")?.unwrap_or_default();
        let offered = methods::offered(&app.openid.methods, number.is_some(), acr_values);
        Ok(Self {
            nonce,
            challenge,
            phone: has("phone"),
            number,
            methods: offered?,
            locales: parameters.get("ui_locales")?.map(str::to_owned),
        })
    }
}

/// Refuses requests inside a JWT, and clients that register with a request (`OpenID` Connect Core, sections 6 and 7).
fn refuse_objects(parameters: &Parameters) -> Result<(), Reason> {
    for (name, code, description) in [
        (
            "request",
            ErrorCode::RequestNotSupported,
            "send the parameters without a request object",
        ),
        (
            "request_uri",
            ErrorCode::RequestUriNotSupported,
            "send the parameters without a request object",
        ),
        (
            "registration",
            ErrorCode::RegistrationNotSupported,
            "clients are registered by the operator",
        ),
    ] {
        if parameters.get(name)?.is_some() {
            return Err((code, description));
        }
    }
    Ok(())
}

/// Refuses requests that must be answered without a page: nobody is ever logged in here. All other values of `prompt`
/// are fulfilled, because each request needs a new proof.
fn check_prompt(parameters: &Parameters) -> Result<(), Reason> {
    let prompt = parameters.get("prompt")?.unwrap_or_default();
    let values: Vec<&str> = prompt.split(' ').filter(|one| !one.is_empty()).collect();
    match values.as_slice() {
        ["none"] => Err((
            ErrorCode::LoginRequired,
            "every request needs a new proof by the person",
        )),
        values if values.contains(&"none") => Err(invalid("prompt=none must be alone")),
        _ => Ok(()),
    }
}

fn challenge(parameters: &Parameters) -> Result<Option<Challenge>, Reason> {
    let method = parameters.get("code_challenge_method")?;
    let Some(challenge) = parameters.get("code_challenge")? else {
        return match method {
            None => Ok(None),
            Some(_) => Err(invalid("code_challenge is missing")),
        };
    };
    // Without a method, the standard's default is `plain`.
    if method != Some(METHOD) {
        return Err(invalid("code_challenge_method must be S256"));
    }
    let parsed = challenge.parse();
    parsed
        .map(Some)
        .map_err(|_| invalid("code_challenge is not a SHA-256 digest in base64url"))
}

/// Returns the number of a hint. A hint of another kind is ignored, as other providers' clients send e-mail addresses.
fn number(parameters: &Parameters) -> Result<Option<PhoneNumber>, Reason> {
    let hint = parameters.get("login_hint")?;
    let hint = hint.and_then(|hint| {
        let (scheme, number) = hint.split_at_checked(TEL.len())?;
        scheme.eq_ignore_ascii_case(TEL).then_some(number)
    });
    let parsed = hint.map(PhoneNumber::parse_international).transpose();
    parsed.map_err(|_| invalid("login_hint is not a phone number: tel:, +, country code, number"))
}
