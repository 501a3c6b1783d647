//! Apps' settings for logins by QR code or app link.

pub mod link_files;
mod mobile;
mod web_phone;

pub use mobile::{
    AndroidApp, AndroidPackage, CertificateFingerprint, IosAppId, MalformedMobileIdentity,
};
pub use web_phone::{UnknownWebPhoneKey, WebPhoneKey, WebPhoneRefusal};

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;
use thiserror::Error;

use crate::web::callback_url::CallbackUrl;
use crate::web::link_host::LinkHost;
use crate::web::origin::WebOrigin;
use crate::web::page_url::PageUrl;
use crate::web::return_url::ReturnUrl;

/// An app's settings for logins. The default allows no logins because it lists no pages.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LoginSettings {
    /// The host of the app's links. Without a link host, no logins can be created.
    pub link_host: Option<LinkHost>,
    /// The origins of the pages that logins are for.
    pub origins: Vec<WebOrigin>,
    /// The parties that may create logins for these pages.
    pub logins_from: LoginsFrom,
    /// The pages that an app on the same phone may return to. If empty, no app returns. Listing origins would not be
    /// enough: a page that redirects passes the token after `#` to its target.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub return_pages: Vec<ReturnUrl>,
    /// The Android apps that open the links.
    pub android: Vec<AndroidApp>,
    /// The iOS apps that open the links.
    pub ios: Vec<IosAppId>,
    /// The rules for judging risk.
    pub risk: RiskPolicy,
    /// Whether payloads must be encrypted for a key of the browser.
    pub payload_encryption: PayloadEncryption,
    /// True if confirming a login requires a proof by a registered key.
    pub require_proof: bool,
    /// True if the person must type the two digits that the phone shows into the browser.
    pub check_code: bool,
    /// Destination of the server-to-server webhooks about logins and about phones that were set up.
    pub callback: Option<CallbackUrl>,
    /// True if the page on the link host serves people without the app as their phone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub web_phone: bool,
    /// The keys that this page may have.
    #[serde(skip_serializing_if = "WebPhoneKey::is_any")]
    pub web_phone_key: WebPhoneKey,
    /// The app's page where a user sets up a phone.
    pub phone_setup_url: Option<PageUrl>,
}

impl LoginSettings {
    /// Returns whether the app lists a page.
    #[must_use]
    pub fn allows(&self, origin: &WebOrigin) -> bool {
        self.origins.contains(origin)
    }

    /// Returns whether a page that may create logins can name `page` as its return page.
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
    /// The pages in the app's list, with the public app key, and the app's server.
    #[default]
    Pages,
    /// The app's server only, with an API key.
    Server,
}

/// The error for an unknown name of a [`LoginsFrom`].
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

/// An app's policy for logins of browsers without a key.
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
    /// Browsers may have no key; the service can read the payloads of their logins.
    Optional,
}

/// The error for an unknown name of a [`PayloadEncryption`].
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

/// An app's settings for the risk rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RiskPolicy {
    /// True if repeated denials from the browser's address block the login. Otherwise, the person
    /// only gets a warning.
    pub denials_forbid: bool,
}
