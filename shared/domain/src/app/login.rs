//! Apps' settings for logins by QR code or app link.

mod mobile;

pub use mobile::{
    AndroidApp, AndroidPackage, CertificateFingerprint, IosAppId, MalformedMobileIdentity,
};
use serde::{Deserialize, Serialize};

use std::str::FromStr;

use thiserror::Error;

use crate::web::callback_url::CallbackUrl;
use crate::web::link_host::LinkHost;
use crate::web::origin::WebOrigin;

/// An app's settings for logins. The default allows no logins, since it lists no page.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
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
    /// Whether browsers must have a key, for which payloads are encrypted.
    pub payload_encryption: PayloadEncryption,
    /// Whether logins are confirmed only with a proof by a registered key.
    pub require_proof: bool,
    /// Whether the person types the two digits that the phone shows at the browser.
    pub check_code: bool,
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

/// An app's choice about logins of browsers that have no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PayloadEncryption {
    /// Browsers must have a key, so that only they can read the payload.
    #[default]
    Required,
    /// Browsers may have no key; the payload of their logins is readable to the service.
    Optional,
}

impl PayloadEncryption {
    /// Every choice.
    pub const ALL: [Self; 2] = [Self::Required, Self::Optional];

    /// Returns the name that operators use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Optional => "optional",
        }
    }
}

/// The error for a text that names no [`PayloadEncryption`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not `required` or `optional`")]
pub struct UnknownPayloadEncryption;

impl FromStr for PayloadEncryption {
    type Err = UnknownPayloadEncryption;

    /// Parses the name that [`as_str`](Self::as_str) returns.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|choice| choice.as_str() == text)
            .ok_or(UnknownPayloadEncryption)
    }
}

/// An app's choices about the risk rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RiskPolicy {
    /// Whether repeated denials from the browser's address block the login. Otherwise, the person
    /// is only warned.
    pub denials_forbid: bool,
}
