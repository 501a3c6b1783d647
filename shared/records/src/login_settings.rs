//! The stored form of an app's settings for logins.

use countersign_domain::app::login::{
    AndroidApp, AndroidPackage, CertificateFingerprint, IosAppId, LoginSettings, PayloadEncryption,
    RiskPolicy,
};
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::WebOrigin;
use serde::{Deserialize, Serialize};

use crate::error::{RecordError, invalid};
use crate::value::Text;

/// An app's settings for logins, embedded in its record. Absent fields have their default.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct LoginSettingsRecord<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    link_host: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    origins: Vec<Text<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    android: Vec<AndroidRecord<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ios: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    denials_forbid: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload_encryption: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    require_proof: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_code: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    callback: Option<Text<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct AndroidRecord<'a> {
    package: Text<'a>,
    fingerprints: Vec<Text<'a>>,
}

impl<'a> From<&'a LoginSettings> for LoginSettingsRecord<'a> {
    fn from(settings: &'a LoginSettings) -> Self {
        let written = |flag: bool| flag.then_some(true);
        let origins = settings.origins.iter();
        Self {
            link_host: settings.link_host.as_ref().map(|h| h.to_string().into()),
            origins: origins.map(|origin| origin.to_string().into()).collect(),
            android: settings.android.iter().map(Into::into).collect(),
            ios: settings.ios.iter().map(|id| id.as_str().into()).collect(),
            denials_forbid: written(settings.risk.denials_forbid),
            payload_encryption: match settings.payload_encryption {
                PayloadEncryption::Required => None,
                optional @ PayloadEncryption::Optional => Some(optional.as_str().into()),
            },
            require_proof: written(settings.require_proof),
            check_code: written(settings.check_code),
            callback: settings.callback.as_ref().map(|url| url.as_str().into()),
        }
    }
}

impl<'a> From<&'a AndroidApp> for AndroidRecord<'a> {
    fn from(app: &'a AndroidApp) -> Self {
        let fingerprints = app.fingerprints.iter();
        Self {
            package: app.package.as_str().into(),
            fingerprints: fingerprints.map(|f| f.to_string().into()).collect(),
        }
    }
}

impl TryFrom<LoginSettingsRecord<'_>> for LoginSettings {
    type Error = RecordError;

    fn try_from(record: LoginSettingsRecord<'_>) -> Result<Self, RecordError> {
        let host = record
            .link_host
            .map(|host| host.as_str().parse::<LinkHost>());
        let origins = record.origins.iter();
        let origins = origins.map(|origin| origin.as_str().parse::<WebOrigin>());
        let ios = record.ios.iter().map(|id| id.as_str().parse::<IosAppId>());
        let encryption = record.payload_encryption;
        let encryption = encryption.map(|name| name.as_str().parse::<PayloadEncryption>());
        let callback = record.callback;
        let callback = callback.map(|url| CallbackUrl::from_stored(url.as_str()));
        Ok(Self {
            link_host: host.transpose().map_err(invalid("link_host"))?,
            origins: origins
                .collect::<Result<_, _>>()
                .map_err(invalid("origins"))?,
            android: record
                .android
                .into_iter()
                .map(AndroidApp::try_from)
                .collect::<Result<_, _>>()?,
            ios: ios.collect::<Result<_, _>>().map_err(invalid("ios"))?,
            risk: RiskPolicy {
                denials_forbid: record.denials_forbid.unwrap_or_default(),
            },
            payload_encryption: encryption
                .transpose()
                .map_err(invalid("payload_encryption"))?
                .unwrap_or_default(),
            require_proof: record.require_proof.unwrap_or_default(),
            check_code: record.check_code.unwrap_or_default(),
            callback: callback.transpose().map_err(invalid("callback"))?,
        })
    }
}

impl TryFrom<AndroidRecord<'_>> for AndroidApp {
    type Error = RecordError;

    fn try_from(record: AndroidRecord<'_>) -> Result<Self, RecordError> {
        let fingerprints = record.fingerprints.iter();
        let fingerprints = fingerprints.map(|text| text.as_str().parse::<CertificateFingerprint>());
        Ok(Self {
            package: record
                .package
                .as_str()
                .parse::<AndroidPackage>()
                .map_err(invalid("android"))?,
            fingerprints: fingerprints
                .collect::<Result<_, _>>()
                .map_err(invalid("android"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<LoginSettings, RecordError> {
        let record: LoginSettingsRecord<'_> = serde_json::from_str(json).unwrap();
        record.try_into()
    }

    #[test]
    fn absent_fields_get_defaults_and_unknown_ones_are_ignored() {
        assert_eq!(read("{}"), Ok(LoginSettings::default()));
        assert_eq!(read(r#"{"later":1}"#), Ok(LoginSettings::default()));
    }

    #[test]
    fn error_names_the_invalid_field() {
        for (json, field) in [
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
            (r#"{"payload_encryption":"x"}"#, "payload_encryption"),
            (r#"{"callback":"x"}"#, "callback"),
        ] {
            assert_eq!(read(json), Err(RecordError::Invalid(field)), "{json}");
        }
    }
}
