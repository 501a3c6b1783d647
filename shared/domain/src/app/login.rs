//! What an app wants of logins by QR code or app link.

mod mobile;

pub use mobile::{
    AndroidApp, AndroidPackage, CertificateFingerprint, IosAppId, MalformedMobileIdentity,
};

use crate::web::callback_url::CallbackUrl;
use crate::web::link_host::LinkHost;
use crate::web::origin::WebOrigin;

/// An app's settings for logins. The default opens no session: no page is listed.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LoginSettings {
    /// The host of its links.
    pub link_host: Option<LinkHost>,
    /// The pages that may open sessions.
    pub origins: Vec<WebOrigin>,
    /// The Android apps that open its links.
    pub android: Vec<AndroidApp>,
    /// The iOS apps that open its links.
    pub ios: Vec<IosAppId>,
    /// How risk is judged.
    pub risk: RiskPolicy,
    /// Whether payloads must be encrypted for the browser.
    pub require_encryption: bool,
    /// Where the app is told of confirmations and denials, server to server.
    pub callback: Option<CallbackUrl>,
}

impl LoginSettings {
    /// Whether a page may open sessions.
    #[must_use]
    pub fn allows(&self, origin: &WebOrigin) -> bool {
        self.origins.contains(origin)
    }
}

/// What an app wants of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct RiskPolicy {
    /// Whether repeated denials from the browser's address forbid a login, where otherwise the
    /// person is warned.
    pub denials_forbid: bool,
}
