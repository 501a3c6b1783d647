//! An app's login settings, as operators see them.

use std::fmt;

use countersign_domain::app::login::{LoginSettings, LoginsFrom, PayloadEncryption};
use serde::{Deserialize, Serialize};

use crate::admin::argument::AndroidIdentity;

/// An app's settings for logins by QR code or app link. Values have the form that the options that
/// set them take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoginView {
    /// The host of the app's links.
    pub(crate) link_host: Option<String>,
    /// The origins of the pages that logins are for; empty means none.
    pub(crate) origins: Vec<String>,
    /// The parties that may open logins: `pages` or `server`.
    #[serde(default)]
    pub(crate) logins_from: String,
    /// The pages to which the app returns on the same phone; empty means none.
    #[serde(default)]
    pub(crate) return_pages: Vec<String>,
    /// The Android apps that open the links: one `PACKAGE=FINGERPRINT` for each certificate.
    pub(crate) android: Vec<String>,
    /// The iOS apps that open the links: `TEAM.BUNDLE`.
    pub(crate) ios: Vec<String>,
    /// The URL of the webhooks about confirmations and denials.
    pub(crate) callback: Option<String>,
    /// Encryption of payloads for a key of the browser: `required` or `optional`.
    pub(crate) payload_encryption: String,
    /// True if logins are confirmed only with a proof by a registered association key.
    pub(crate) require_proof: bool,
    /// True if the person types the two digits that the phone shows at the browser.
    pub(crate) check_code: bool,
    /// True if repeated denials block logins; otherwise they only raise a warning.
    pub(crate) deny_after_denials: bool,
}

impl LoginView {
    /// Describes the settings.
    pub(crate) fn of(settings: &LoginSettings) -> Self {
        let android = settings.android.iter().flat_map(|app| {
            app.fingerprints.iter().map(|fingerprint| {
                let (package, fingerprint) = (app.package.clone(), *fingerprint);
                AndroidIdentity {
                    package,
                    fingerprint,
                }
                .to_string()
            })
        });
        let callback = settings.callback.as_ref();
        Self {
            link_host: settings.link_host.as_ref().map(ToString::to_string),
            origins: settings.origins.iter().map(ToString::to_string).collect(),
            logins_from: settings.logins_from.into_str().to_owned(),
            return_pages: settings
                .return_pages
                .iter()
                .map(ToString::to_string)
                .collect(),
            android: android.collect(),
            ios: settings
                .ios
                .iter()
                .map(|id| id.as_str().to_owned())
                .collect(),
            callback: callback.map(|url| url.as_str().to_owned()),
            payload_encryption: settings.payload_encryption.into_str().to_owned(),
            require_proof: settings.require_proof,
            check_code: settings.check_code,
            deny_after_denials: settings.risk.denials_forbid,
        }
    }
}

impl fmt::Display for LoginView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |words: &[String], none: &str| match words {
            [] => none.to_owned(),
            words => words.join(", "),
        };
        let or_none = |word: &Option<String>| word.clone().unwrap_or_else(|| "none".to_owned());
        let from = if self.logins_from == LoginsFrom::Server.into_str() {
            "the app's server only"
        } else {
            "these pages, and the app's server"
        };
        let payloads = if self.payload_encryption == PayloadEncryption::Optional.into_str() {
            "encrypted if the browser sends a key"
        } else {
            "encrypted only"
        };
        let proofs = if self.require_proof {
            "required"
        } else {
            "optional"
        };
        let codes = if self.check_code { "on" } else { "off" };
        let denials = if self.deny_after_denials {
            "forbid"
        } else {
            "warn"
        };
        writeln!(f, "link host         {}", or_none(&self.link_host))?;
        let nobody = "none: nobody can log in by QR code or app link";
        writeln!(f, "login origins     {}", list(&self.origins, nobody))?;
        writeln!(f, "logins from       {from}")?;
        writeln!(f, "return pages      {}", list(&self.return_pages, "none"))?;
        writeln!(f, "Android apps      {}", list(&self.android, "none"))?;
        writeln!(f, "iOS apps          {}", list(&self.ios, "none"))?;
        writeln!(f, "login callback    {}", or_none(&self.callback))?;
        writeln!(f, "login payloads    {payloads}")?;
        writeln!(f, "login proofs      {proofs}")?;
        writeln!(f, "check codes       {codes}")?;
        write!(f, "repeated denials  {denials}")
    }
}
