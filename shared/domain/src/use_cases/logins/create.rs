//! Creating a login: `POST /qr-sessions`.

use thiserror::Error;

use super::{Ports, Visitor};
use crate::app::App;
use crate::app::quota::{Allowance, QuotaExceeded, QuotaLimit};
use crate::event::LoginEvent;
use crate::login::transitions::CreateOutcome;
use crate::login::{
    BrowserPublicKey, BrowserToken, Encryption, KEPT, Login, LoginLink, State, UNSCANNED,
};
use crate::primitives::ids::LoginId;
use crate::primitives::unavailable::Unavailable;
use crate::web::link_host::LinkHost;
use crate::web::origin::WebOrigin;

/// A request to create a login.
#[derive(Clone, Debug)]
pub struct CreateRequest<'a> {
    /// The app whose key the request contains.
    pub app: &'a App,
    /// The header `Origin`, as sent.
    pub origin: Option<&'a str>,
    /// The browser.
    pub browser: Visitor,
    /// Key for which the phone should encrypt.
    pub browser_key: Option<BrowserPublicKey>,
    /// The app's quota.
    pub allowance: Allowance,
}

/// A new login, as the browser sees it.
#[derive(Clone, Debug)]
pub struct Created {
    /// The login.
    pub login: Login,
    /// The link in the QR code.
    pub link: LoginLink,
    /// Token by which the browser proves that it created the login. Only its hash is stored.
    pub token: BrowserToken,
}

/// The reason why no login was created.
#[derive(Debug, Error)]
pub enum CreateError {
    /// The request has no origin, or one that the app does not list.
    #[error("this page may not create logins for the app")]
    OriginNotAllowed,
    /// The app has no host for its links.
    #[error("the app has no link host")]
    NoLinkHost,
    /// The app requires encrypted payloads, and the browser has no key.
    #[error("the app requires a browser key")]
    KeyRequired,
    /// The app's quota is used up.
    #[error(transparent)]
    QuotaExceeded(#[from] QuotaExceeded),
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// A request that the app's settings allow.
#[derive(Clone, Debug)]
pub struct Approved<'a> {
    app: &'a App,
    origin: WebOrigin,
    browser: Visitor,
    encryption: Encryption,
    host: LinkHost,
    allowance: Allowance,
}

/// Checks a request against the app's settings, without writing anything.
///
/// # Errors
///
/// Fails if the app's settings do not allow the request.
pub fn approve<'a>(
    ports: Ports<'_>,
    request: CreateRequest<'a>,
) -> Result<Approved<'a>, CreateError> {
    let settings = &request.app.login;
    let origin = request
        .origin
        .and_then(|text| text.parse::<WebOrigin>().ok());
    let Some(origin) = origin.filter(|origin| settings.allows(origin)) else {
        ports.count(LoginEvent::OriginRefused);
        return Err(CreateError::OriginNotAllowed);
    };
    let host = settings.link_host.clone().ok_or(CreateError::NoLinkHost)?;
    let encryption = match (request.browser_key, settings.require_encryption) {
        (Some(key), true) => Encryption::Required(key),
        (Some(key), false) => Encryption::Offered(key),
        (None, false) => Encryption::Unavailable,
        (None, true) => return Err(CreateError::KeyRequired),
    };
    Ok(Approved {
        app: request.app,
        origin,
        browser: request.browser,
        encryption,
        host,
        allowance: request.allowance,
    })
}

/// Creates a login for a page that the app lists.
///
/// # Errors
///
/// Fails if the app's quota is used up, or if a port fails.
pub async fn create(ports: Ports<'_>, request: Approved<'_>) -> Result<Created, CreateError> {
    let Approved {
        app,
        origin,
        browser,
        encryption,
        host,
        allowance,
    } = request;
    let now = ports.clock.now();
    let browser = browser.sighting(ports.geo);
    let expires_at = now.plus(UNSCANNED);
    let token = BrowserToken::generate(ports.entropy);
    let login = Login {
        id: LoginId::generate(ports.entropy),
        app: app.id.clone(),
        origin,
        browser_token: token.hash(),
        browser,
        encryption,
        callback: app.login.callback.clone(),
        created_at: now,
        watchers: Vec::new(),
        state: State::Created { expires_at },
        notice: None,
        purge_at: expires_at.plus(KEPT),
    };
    let created = ports.logins.create_within(login.clone(), allowance, now);
    match created.await? {
        CreateOutcome::Created => {}
        CreateOutcome::Exceeded(exceeded) => {
            ports.count(match exceeded.limit {
                QuotaLimit::Rate => LoginEvent::RateExceeded,
                QuotaLimit::Open => LoginEvent::OpenExceeded,
            });
            return Err(exceeded.into());
        }
        // 128 random bits never repeat. If they do, the generator is broken and none of its output
        // is secret.
        CreateOutcome::Exists => {
            let cause = "a random id was in use already";
            return Err(Unavailable::new("entropy: new login id", cause).into());
        }
    }
    ports.count(LoginEvent::Created);
    let link = login.link(host);
    Ok(Created { login, link, token })
}
