//! The login settings as a document, which all stores keep in the same form.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{AndroidApp, AndroidPackage, CertificateFingerprint, IosAppId, LoginSettings};
use crate::app::login::RiskPolicy;
use crate::web::callback_url::CallbackUrl;
use crate::web::link_host::LinkHost;
use crate::web::origin::WebOrigin;

/// [`LoginSettings`] as texts. Reading ignores members that a later release added, and uses the
/// default for absent ones.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LoginDocument {
    #[serde(skip_serializing_if = "Option::is_none")]
    link_host: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    origins: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    android: Vec<AndroidDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ios: Vec<String>,
    #[serde(skip_serializing_if = "is_false")]
    denials_forbid: bool,
    #[serde(skip_serializing_if = "is_false")]
    require_encryption: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    callback: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct AndroidDocument {
    package: String,
    fingerprints: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires it")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// The error for a document with an invalid member, which it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the member `{0}` of the login settings is invalid")]
pub struct MalformedLogin(pub &'static str);

impl LoginDocument {
    /// Returns the document as JSON, for stores that keep texts.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Texts, lists and booleans can always be serialised; an empty text would be refused on
        // reading.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Parses JSON.
    ///
    /// # Errors
    ///
    /// Fails if the text is not such a document.
    pub fn from_json(text: &str) -> Result<Self, MalformedLogin> {
        serde_json::from_str(text).map_err(|_| MalformedLogin("document"))
    }
}

impl LoginSettings {
    /// Converts the settings to a document, or to `None` if all are the default, so that the record
    /// of an app without logins stays short.
    #[must_use]
    pub fn to_document(&self) -> Option<LoginDocument> {
        let android = self.android.iter().map(|app| AndroidDocument {
            package: app.package.as_str().to_owned(),
            fingerprints: app.fingerprints.iter().map(ToString::to_string).collect(),
        });
        let document = LoginDocument {
            link_host: self.link_host.as_ref().map(ToString::to_string),
            origins: self.origins.iter().map(ToString::to_string).collect(),
            android: android.collect(),
            ios: self.ios.iter().map(|id| id.as_str().to_owned()).collect(),
            denials_forbid: self.risk.denials_forbid,
            require_encryption: self.require_encryption,
            callback: self.callback.as_ref().map(|url| url.as_str().to_owned()),
        };
        Some(document).filter(|document| *document != LoginDocument::default())
    }

    /// Converts a document to settings.
    ///
    /// # Errors
    ///
    /// Fails with the name of the first member that is invalid.
    pub fn from_document(document: &LoginDocument) -> Result<Self, MalformedLogin> {
        let android = document.android.iter().map(|app| {
            let fingerprints = app.fingerprints.iter();
            let fingerprints = fingerprints.map(|text| text.parse::<CertificateFingerprint>());
            let fingerprints = fingerprints.collect::<Result<_, _>>();
            Ok(AndroidApp {
                package: app
                    .package
                    .parse::<AndroidPackage>()
                    .map_err(|_| MalformedLogin("android"))?,
                fingerprints: fingerprints.map_err(|_| MalformedLogin("android"))?,
            })
        });
        let origins = document
            .origins
            .iter()
            .map(|text| text.parse::<WebOrigin>());
        let ios = document.ios.iter().map(|text| text.parse::<IosAppId>());
        let callback = document.callback.as_deref().map(CallbackUrl::from_stored);
        let host = document.link_host.as_deref().map(str::parse::<LinkHost>);
        Ok(Self {
            link_host: host.transpose().map_err(|_| MalformedLogin("link_host"))?,
            origins: origins
                .collect::<Result<_, _>>()
                .map_err(|_| MalformedLogin("origins"))?,
            android: android.collect::<Result<_, _>>()?,
            ios: ios
                .collect::<Result<_, _>>()
                .map_err(|_| MalformedLogin("ios"))?,
            risk: RiskPolicy {
                denials_forbid: document.denials_forbid,
            },
            require_encryption: document.require_encryption,
            callback: callback
                .transpose()
                .map_err(|_| MalformedLogin("callback"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> LoginSettings {
        let fingerprint = vec!["AB"; 32].join(":");
        LoginSettings {
            link_host: "login.shop.example".parse::<LinkHost>().ok(),
            origins: vec!["https://shop.example".parse::<WebOrigin>().unwrap()],
            android: vec![AndroidApp {
                package: "com.example.shop".parse::<AndroidPackage>().unwrap(),
                fingerprints: vec![fingerprint.parse::<CertificateFingerprint>().unwrap()],
            }],
            ios: vec!["ABCDE12345.com.example.shop".parse::<IosAppId>().unwrap()],
            risk: RiskPolicy {
                denials_forbid: true,
            },
            require_encryption: true,
            callback: CallbackUrl::from_stored("https://shop.example/hook").ok(),
        }
    }

    #[test]
    fn settings_round_trip_through_their_document() {
        let document = full().to_document().unwrap();
        let read = LoginDocument::from_json(&document.to_json()).unwrap();
        assert_eq!(LoginSettings::from_document(&read), Ok(full()));
        assert!(LoginDocument::from_json("").is_err());
    }

    #[test]
    fn default_settings_need_no_document() {
        assert_eq!(LoginSettings::default().to_document(), None);
        let read: LoginDocument = serde_json::from_str("{\"later\":1}").unwrap();
        let settings = LoginSettings::from_document(&read);
        assert_eq!(settings, Ok(LoginSettings::default()));
    }

    #[test]
    fn malformed_member_is_named() {
        for (json, member) in [
            (r#"{"link_host":"a b"}"#, "link_host"),
            (r#"{"origins":["http://shop.example"]}"#, "origins"),
            (
                r#"{"android":[{"package":"x","fingerprints":[]}]}"#,
                "android",
            ),
            (
                r#"{"android":[{"package":"a.b","fingerprints":["x"]}]}"#,
                "android",
            ),
            (r#"{"ios":["x"]}"#, "ios"),
            (r#"{"callback":"x"}"#, "callback"),
        ] {
            let document: LoginDocument = serde_json::from_str(json).unwrap();
            let read = LoginSettings::from_document(&document);
            assert_eq!(read, Err(MalformedLogin(member)), "{json}");
        }
    }
}
