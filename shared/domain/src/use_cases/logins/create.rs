//! A browser opens a session: `POST /qr-sessions`.

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

/// A request to open a session.
#[derive(Clone, Debug)]
pub struct CreateRequest<'a> {
    /// Whose app key it came with.
    pub app: &'a App,
    /// The header `Origin`, as it was sent.
    pub origin: Option<&'a str>,
    /// The browser.
    pub browser: Visitor,
    /// The key for which the phone is to encrypt.
    pub browser_key: Option<BrowserPublicKey>,
    /// What the app may begin.
    pub allowance: Allowance,
}

/// A new session, as the browser sees it.
#[derive(Clone, Debug)]
pub struct Created {
    /// The session.
    pub session: Login,
    /// What the code says.
    pub link: LoginLink,
    /// By what the browser proves that it is this browser. Nobody keeps it but the browser.
    pub token: BrowserToken,
}

/// Why no session was opened.
#[derive(Debug, Error)]
pub enum CreateError {
    /// The request names no origin, or one that the app does not list.
    #[error("this page may not open sessions of the app")]
    OriginNotAllowed,
    /// The app has no host for its links.
    #[error("the app has no link host")]
    NoLinkHost,
    /// The app takes encrypted payloads alone, and the browser gave no key for them.
    #[error("the app requires a browser key")]
    KeyRequired,
    /// The app's quota is used up.
    #[error(transparent)]
    QuotaExceeded(#[from] QuotaExceeded),
    /// Ours.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// A request to open a session that the app's settings allow.
#[derive(Clone, Debug)]
pub struct Approved<'a> {
    app: &'a App,
    origin: WebOrigin,
    browser: Visitor,
    encryption: Encryption,
    host: LinkHost,
    allowance: Allowance,
}

/// Judges a request to open a session by the app's settings. Nothing is written.
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

/// Opens a session for a page that the app lists.
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
    let session = Login {
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
    let created = ports
        .sessions
        .create_within(session.clone(), allowance, now);
    match created.await? {
        CreateOutcome::Created => {}
        CreateOutcome::Exceeded(exceeded) => {
            ports.count(match exceeded.limit {
                QuotaLimit::Rate => LoginEvent::RateExceeded,
                QuotaLimit::Open => LoginEvent::OpenExceeded,
            });
            return Err(exceeded.into());
        }
        // 128 random bits do not come twice: the generator is broken, and nothing that it makes
        // is a secret.
        CreateOutcome::Exists => {
            let cause = "an id was drawn that is there already";
            return Err(Unavailable::new("chance", cause).into());
        }
    }
    ports.count(LoginEvent::Created);
    let link = session.link(host);
    Ok(Created {
        session,
        link,
        token,
    })
}
