//! The use cases of the `OpenID` provider.

mod exchange;
mod finish;
mod user_info;

use super::logins::{self, AllowedRequest, CreateError, CreateRequest, LoginPorts, Visitor};
use super::start::{Request, StartError, Started, start_for_own_page};
use super::{Ports, Times};
use crate::app::App;
use crate::app::api_key::KeyMode;
use crate::app::quota::Allowance;
use crate::app::template::TemplateLanguage;
use crate::delivery::signing::Signer;
use crate::login::{BrowserPublicKey, BrowserToken, LoginCreator};
use crate::openid::sealed::{BrowserCookie, PageRequest};
use crate::openid::secret::OpenIdSecret;
use crate::primitives::canonical_json::CanonicalObject;

pub use exchange::{ExchangeError, Tokens, exchange};
pub use finish::{FinishError, finish};
pub use user_info::{UserInfo, UserInfoError, user_info};

/// The ports and settings of the provider.
#[derive(Clone, Copy)]
pub struct OpenIdPorts<'a> {
    pub common: Ports<'a>,
    /// Signs ID tokens, with keys that sign nothing else.
    pub signer: &'a dyn Signer,
    pub secret: &'a OpenIdSecret,
    /// The service's public URL, without a trailing slash.
    pub issuer: &'a str,
}

/// A request that a page continues, in its browser.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    pub app: &'a App,
    pub request: &'a PageRequest,
    pub browser: &'a BrowserCookie,
}

/// Starts the confirmation that answers a page's request, or returns it again. It expects the number that the client
/// named, or any number.
///
/// # Errors
/// Fails if the app's settings or its quota do not allow the confirmation, or if a port fails.
pub async fn start_text(
    ports: OpenIdPorts<'_>,
    times: Times,
    page: Page<'_>,
    language: Option<TemplateLanguage>,
    allowance: Allowance,
) -> Result<Started, StartError> {
    let request = Request {
        app: page.app,
        mode: KeyMode::Live,
        phone_number: page.request.request.number.clone(),
        country: None,
        language,
        callback: None,
        metadata: CanonicalObject::default(),
        client_channel: true,
        idempotency: None,
        allowance,
    };
    let code = page.request.text_code(ports.secret, page.browser);
    start_for_own_page(ports.common, times, &request, &code).await
}

/// The browser that shows a page, with what its element chose for a login.
#[derive(Clone, Debug)]
pub struct CodeRequest<'a> {
    pub browser: Visitor,
    pub token: &'a BrowserToken,
    pub browser_key: Option<BrowserPublicKey>,
    pub allowance: Allowance,
}

/// Checks whether a login may answer a page's request, without writing anything. The login is the service's own, at its
/// origin: the page's element joins it, and only this page can return to the client with it.
///
/// # Errors
/// Fails if the app's settings do not allow the login.
pub fn approve_code<'a>(
    ports: OpenIdPorts<'a>,
    logins: LoginPorts<'a>,
    page: Page<'a>,
    request: CodeRequest<'a>,
) -> Result<AllowedRequest<'a>, CreateError> {
    let request = CreateRequest {
        app: page.app,
        creator: LoginCreator::Server {
            context: None,
            user: None,
        },
        test: false,
        origin: Some(ports.issuer),
        browser: request.browser,
        token: request.token,
        browser_key: request.browser_key,
        return_url: None,
        openid: Some(page.request.login_mark(ports.secret, page.browser)),
        own_origin: None,
        allowance: request.allowance,
    };
    logins::approve(logins, request)
}
