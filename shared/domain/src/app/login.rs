//! Apps' settings for logins by QR code or app link.

mod mobile;

pub use mobile::{
    AndroidApp, AndroidPackage, CertificateFingerprint, IosAppId, MalformedMobileIdentity,
};

use crate::web::callback_url::CallbackUrl;
use crate::web::link_host::LinkHost;
use crate::web::origin::WebOrigin;

/// An app's settings for logins. The default allows no logins, since it lists no page.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LoginSettings {
    /// The host of the app's links. Without one, no logins can be created.
    pub link_host: Option<LinkHost>,
    /// The origins of the pages that may create logins.
    pub origins: Vec<WebOrigin>,
    /// The Android apps that open the links.
    pub android: Vec<AndroidApp>,
    /// The iOS apps that open the links.
    pub ios: Vec<IosAppId>,
    /// The rules for judging risk.
    pub risk: RiskPolicy,
    /// Whether payloads must be encrypted for the browser.
    pub require_encryption: bool,
    /// Destination of the server-to-server webhooks about confirmed and denied logins.
    pub callback: Option<CallbackUrl>,
}

impl LoginSettings {
    /// Returns whether a page may create logins.
    #[must_use]
    pub fn allows(&self, origin: &WebOrigin) -> bool {
        self.origins.contains(origin)
    }
}

/// An app's choices about the risk rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct RiskPolicy {
    /// Whether repeated denials from the browser's address block the login. Otherwise, the person
    /// is only warned.
    pub denials_forbid: bool,
}
