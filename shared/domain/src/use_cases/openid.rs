//! The use cases of the `OpenID` provider.

mod exchange;
mod finish;
mod user_info;

use super::start::{Request, StartError, Started, start_for_own_page};
use super::{Ports, Times};
use crate::app::App;
use crate::app::api_key::KeyMode;
use crate::app::quota::Allowance;
use crate::app::template::TemplateLanguage;
use crate::delivery::signing::Signer;
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
