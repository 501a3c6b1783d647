//! Apps' settings for logins by QR code or app link.

mod mobile;

pub use mobile::{
    AndroidApp, AndroidPackage, CertificateFingerprint, IosAppId, MalformedMobileIdentity,
};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;
use thiserror::Error;

use crate::web::callback_url::CallbackUrl;
use crate::web::link_host::LinkHost;
use crate::web::origin::WebOrigin;
use crate::web::return_url::ReturnUrl;

/// An app's settings for logins. The default allows no logins, since it lists no page.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LoginSettings {
    /// The host of the app's links. Without one, no logins can be created.
    pub link_host: Option<LinkHost>,
    /// The origins of the pages that logins are for.
    pub origins: Vec<WebOrigin>,
    /// The parties that may create logins for them.
    pub logins_from: LoginsFrom,
    /// The pages to which an app on the same phone returns. Without any, none returns: a page that redirects hands the
    /// token after `#` to its target, so an origin is not enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub return_pages: Vec<ReturnUrl>,
    /// The Android apps that open the links.
    pub android: Vec<AndroidApp>,
    /// The iOS apps that open the links.
    pub ios: Vec<IosAppId>,
    /// The rules for judging risk.
    pub risk: RiskPolicy,
    /// Required or optional encryption of payloads, for a key of the browser.
    pub payload_encryption: PayloadEncryption,
    /// True if logins are confirmed only with a proof by a registered key.
    pub require_proof: bool,
    /// True if the person types the two digits that the phone shows at the browser.
    pub check_code: bool,
    /// Destination of the server-to-server webhooks about confirmed and denied logins.
    pub callback: Option<CallbackUrl>,
}

impl LoginSettings {
    /// Returns whether the app lists a page.
    #[must_use]
    pub fn allows(&self, origin: &WebOrigin) -> bool {
        self.origins.contains(origin)
    }

    /// Returns whether a page that may create logins can name `page` as the one to return to.
    #[must_use]
    pub fn lists_origin_of(&self, page: &ReturnUrl) -> bool {
        self.origins.iter().any(|origin| page.is_of(origin))
    }
}

/// The parties that may create an app's logins.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Default,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum LoginsFrom {
    /// The listed pages, with the public app key, and the app's server.
    #[default]
    Pages,
    /// The app's server only, with an API key.
    Server,
}

/// The error for a text that names no [`LoginsFrom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not `pages` or `server`")]
pub struct UnknownLoginsFrom;

impl FromStr for LoginsFrom {
    type Err = UnknownLoginsFrom;

    /// Parses the name that [`into_str`](Self::into_str) returns.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::VARIANTS
            .iter()
            .copied()
            .find(|choice| choice.into_str() == text)
            .ok_or(UnknownLoginsFrom)
    }
}

/// An app's choice about logins of browsers that have no key.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Default,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum PayloadEncryption {
    /// Browsers must have a key, so that only they can read the payload.
    #[default]
    Required,
    /// Browsers may have no key; the payload of their logins is readable to the service.
    Optional,
}

/// The error for a text that names no [`PayloadEncryption`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not `required` or `optional`")]
pub struct UnknownPayloadEncryption;

impl FromStr for PayloadEncryption {
    type Err = UnknownPayloadEncryption;

    /// Parses the name that [`into_str`](Self::into_str) returns.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::VARIANTS
            .iter()
            .copied()
            .find(|choice| choice.into_str() == text)
            .ok_or(UnknownPayloadEncryption)
    }
}

/// An app's choices about the risk rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RiskPolicy {
    /// True if repeated denials from the browser's address block the login. Otherwise, the person
    /// is only warned.
    pub denials_forbid: bool,
}
