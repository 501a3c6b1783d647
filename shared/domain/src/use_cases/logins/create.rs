//! Creating a login: `POST /qr-sessions`.

use thiserror::Error;

use super::{LoginPorts, Visitor};
use crate::app::App;
use crate::app::login::{LoginsFrom, PayloadEncryption};
use crate::app::quota::{Allowance, QuotaExceeded, QuotaLimit};
use crate::event::LoginEvent;
use crate::login::transitions::{self, CreateOutcome};
use crate::login::{
    BrowserPublicKey, BrowserToken, ClaimedUserId, Context, Encryption, Login, LoginCreator,
    LoginLink, OpenIdPage, State, Status, UNSCANNED_TTL, identity,
};
use crate::primitives::unavailable::Unavailable;
use crate::web::link_host::LinkHost;
use crate::web::origin::WebOrigin;
use crate::web::return_url::ReturnUrl;

/// A request to create a login.
#[derive(Clone, Debug)]
pub struct CreateRequest<'a> {
    /// The app whose key the request contains.
    pub app: &'a App,
    /// Sender of the request. For a server, the caller MUST have checked an API key of the app.
    pub creator: LoginCreator,
    /// Origin of the page: the header `Origin` as sent, or the origin that the server names.
    pub origin: Option<&'a str>,
    /// True if a test key opens the login.
    pub test: bool,
    /// The browser or the server that sent the request.
    pub browser: Visitor,
    /// Token that the browser chose. Only its hash is stored.
    pub token: &'a BrowserToken,
    /// Key for which the phone encrypts.
    pub browser_key: Option<BrowserPublicKey>,
    /// The page to which an app on the same phone returns.
    pub return_url: Option<ReturnUrl>,
    /// The page of the `OpenID` provider that sent the request. The service itself creates its login, in place of the app's
    /// server.
    pub openid: Option<OpenIdPage>,
    /// The service's own origin, which the app need not list: the provider's page joins the logins that the service
    /// created for it.
    pub own_origin: Option<&'a str>,
    /// The app's quota.
    pub allowance: Allowance,
}

/// A login that its browser created, now or earlier.
#[derive(Clone, Debug)]
pub struct Created {
    pub login: Login,
    /// The link in the QR code.
    pub link: LoginLink,
}

/// The reason why no login was created.
#[derive(Debug, Error)]
pub enum CreateError {
    /// A page sent the request, but only the app's server may create logins, and it has not created this one.
    #[error("only the app's server may create its logins")]
    ServerOnly,
    #[error("the request does not have the origin of a page")]
    OriginMissing,
    #[error("the app does not list this page")]
    OriginNotListed {
        origin: WebOrigin,
        /// A page in the app's list that is on the same local port under a different name.
        other_name: Option<WebOrigin>,
    },
    #[error("the return URL does not have the page's origin")]
    ReturnElsewhere,
    #[error("the app does not list this return URL")]
    ReturnNotListed(ReturnUrl),
    #[error("the app has no link host")]
    NoLinkHost,
    /// The app requires encrypted payloads, and the browser has no key.
    #[error("the app requires a browser key")]
    KeyRequired,
    /// The login has a context, which only the id of a login with a browser key can cover.
    #[error("a login with a context needs a browser key")]
    KeyRequiredByContext,
    #[error("ANON is not a user who could decide")]
    Anonymous,
    /// Another browser created the login, or this browser created it for a different app or page.
    #[error("the login already exists, with a different token, app or page")]
    Taken,
    /// This browser had already created the login, which has ended or expired.
    #[error("the login is {}", .0.into_str())]
    Ended(Status),
    /// The app's quota is used up.
    #[error(transparent)]
    QuotaExceeded(#[from] QuotaExceeded),
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// A request that passed the checks of the app's settings.
#[derive(Clone, Debug)]
pub struct AllowedRequest<'a> {
    app: &'a App,
    creator: LoginCreator,
    origin: WebOrigin,
    /// True for a page that may only join a login.
    only_joins: bool,
    test: bool,
    browser: Visitor,
    token: &'a BrowserToken,
    encryption: Encryption,
    host: LinkHost,
    return_url: Option<ReturnUrl>,
    openid: Option<OpenIdPage>,
    allowance: Allowance,
}

/// Checks a request against the app's settings, without writing anything.
///
/// # Errors
///
/// Fails if the app's settings do not allow the request.
pub fn approve<'a>(
    ports: LoginPorts<'_>,
    request: CreateRequest<'a>,
) -> Result<AllowedRequest<'a>, CreateError> {
    if request
        .creator
        .user()
        .is_some_and(ClaimedUserId::is_anonymous)
    {
        return Err(CreateError::Anonymous);
    }
    let settings = &request.app.login;
    let allowed = allowed_origin(&request).inspect_err(|_| {
        let ports = ports.uncounted_if(request.test);
        ports.count(LoginEvent::OriginRefused, Some(&request.app.id));
    });
    let (origin, only_joins) = allowed?;
    let return_url = match request.return_url {
        Some(url) if !url.is_of(&origin) => return Err(CreateError::ReturnElsewhere),
        // The page cannot know whether the app returns at all. It never returns to the provider's page, whose address
        // has a query.
        Some(_) if settings.return_pages.is_empty() || !settings.allows(&origin) => None,
        Some(url) if !settings.return_pages.contains(&url) => {
            return Err(CreateError::ReturnNotListed(url));
        }
        allowed => allowed,
    };
    let host = settings.link_host.clone().ok_or(CreateError::NoLinkHost)?;
    let encryption = match (request.browser_key, settings.payload_encryption) {
        (Some(key), _) => Encryption::Sealed(key),
        (None, _) if request.creator.context().is_some() => {
            return Err(CreateError::KeyRequiredByContext);
        }
        (None, PayloadEncryption::Optional) => Encryption::Plain,
        (None, PayloadEncryption::Required) => return Err(CreateError::KeyRequired),
    };
    Ok(AllowedRequest {
        app: request.app,
        creator: request.creator,
        origin,
        only_joins,
        test: request.test,
        browser: request.browser,
        token: request.token,
        encryption,
        host,
        return_url,
        openid: request.openid,
        allowance: request.allowance,
    })
}

/// Returns the page's origin if the app lists it or it is the service's own, and whether the page may only join a login.
fn allowed_origin(request: &CreateRequest<'_>) -> Result<(WebOrigin, bool), CreateError> {
    let parse = |text: &str| text.parse::<WebOrigin>().ok();
    let settings = &request.app.login;
    let origin = request.origin.and_then(parse);
    let origin = origin.ok_or(CreateError::OriginMissing)?;
    let is_page = request.creator == LoginCreator::Page;
    if settings.allows(&origin) || request.openid.is_some() {
        let only_joins = is_page && settings.logins_from == LoginsFrom::Server;
        return Ok((origin, only_joins));
    }
    if is_page && request.own_origin.and_then(parse).as_ref() == Some(&origin) {
        return Ok((origin, true));
    }
    let mut listed = settings.origins.iter();
    let other_name = listed.find(|listed| listed.is_same_place(&origin)).cloned();
    Err(CreateError::OriginNotListed { origin, other_name })
}

/// Creates a login for a page in the app's list, or for the app's server. The id is derived from the request, so
/// repeating the same request returns the same login while it is live. A page with its own key and token joins the
/// login that the app's server created for it, and is from then on the browser that the person sees.
///
/// # Errors
///
/// Fails if another browser has the id, if the login has ended, if the app's quota is used up, or if
/// a port fails.
pub async fn create(
    ports: LoginPorts<'_>,
    request: AllowedRequest<'_>,
) -> Result<Created, CreateError> {
    let AllowedRequest {
        app,
        creator,
        origin,
        only_joins,
        test,
        browser,
        token,
        encryption,
        host,
        return_url,
        openid,
        allowance,
    } = request;
    let ports = ports.uncounted_if(test);
    let now = ports.clock.now();
    let expires_at = now.plus(UNSCANNED_TTL);
    let inputs = identity::IdInputs {
        app_key: &app.app_key,
        origin: &origin,
        context: creator.context().map_or("", Context::as_str),
    };
    let kept = creator.kept_since_creation();
    let login = Login {
        id: match &encryption {
            Encryption::Sealed(key) => identity::sealed_id(inputs, key),
            Encryption::Plain => identity::plain_id(token),
        },
        app: app.id.clone(),
        origin,
        browser_token: token.hash(),
        page_token: match creator {
            LoginCreator::Server { .. } if openid.is_none() => Some(token.page_token().hash()),
            LoginCreator::Page | LoginCreator::Server { .. } => None,
        },
        openid,
        requires_proof: app.login.require_proof,
        requires_check_code: app.login.check_code,
        is_joined: openid.is_some(),
        test,
        browser: match creator {
            LoginCreator::Server { .. } if openid.is_none() => browser.server_sighting(),
            LoginCreator::Page | LoginCreator::Server { .. } => browser.sighting(ports.geo),
        },
        creator,
        encryption,
        return_url,
        // The provider's page learns the decision itself.
        callback: app.login.callback.clone().filter(|_| openid.is_none()),
        created_at: now,
        watchers: Vec::new(),
        state: State::Created { expires_at },
        notice: None,
        purge_at: now.plus(kept),
    };
    let is_page = login.creator == LoginCreator::Page;
    let mut outcome = if only_joins {
        CreateOutcome::Taken
    } else {
        let created = ports.store.start_login(login.clone(), allowance, now);
        created.await?
    };
    if is_page && outcome == CreateOutcome::Taken {
        let join = |current| transitions::join(current, &login, now);
        outcome = ports.store.change(login.id, join).await?;
    }
    let login = match outcome {
        CreateOutcome::Created => {
            ports.count(LoginEvent::Created, Some(&app.id));
            login
        }
        CreateOutcome::Repeated(stored) => {
            let ports = ports.about(&stored);
            ports.count(LoginEvent::Replayed, Some(&app.id));
            *stored
        }
        CreateOutcome::Taken if only_joins => {
            ports.count(LoginEvent::PageRefused, Some(&app.id));
            return Err(CreateError::ServerOnly);
        }
        CreateOutcome::Taken => return Err(CreateError::Taken),
        CreateOutcome::Ended(status) => return Err(CreateError::Ended(status)),
        CreateOutcome::Exceeded(exceeded) => {
            let event = match exceeded.limit {
                QuotaLimit::Rate => LoginEvent::RateExceeded,
                QuotaLimit::Open => LoginEvent::OpenExceeded,
            };
            ports.count(event, Some(&app.id));
            return Err(exceeded.into());
        }
    };
    let link = login.link(host);
    Ok(Created { login, link })
}
