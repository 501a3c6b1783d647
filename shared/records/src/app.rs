//! The stored form of apps, API keys and the profile.

use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyRecord};
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::login::LoginSettings;
use countersign_domain::app::senders::{Recipient, SenderPool};
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::app::{App, AppKey, InboundProfile};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::phone::Country;
use countersign_domain::web::callback_url::{CallbackOrigin, CallbackUrl};
use serde::{Deserialize, Serialize};

use crate::confirmation::whatsapp;
use crate::entity::Entity;
use crate::error::{RecordError, invalid};
use crate::login_settings::LoginSettingsRecord;
use crate::quotas::QuotasRecord;
use crate::value::{Bytes, Millis, Text};

/// An app, stored under its name.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct AppRecord<'a> {
    #[serde(rename = "k")]
    app_key: Text<'a>,
    #[serde(rename = "c")]
    created_at: Millis,
    #[serde(rename = "u", skip_serializing_if = "Option::is_none")]
    default_callback: Option<Text<'a>>,
    #[serde(rename = "o", default, skip_serializing_if = "Vec::is_empty")]
    callback_origins: Vec<Text<'a>>,
    #[serde(rename = "m")]
    template: Text<'a>,
    #[serde(rename = "x")]
    prefix: Text<'a>,
    #[serde(rename = "n")]
    senders: Vec<SenderRecord<'a>>,
    /// Number on WhatsApp; absent if there is none.
    #[serde(rename = "wn", skip_serializing_if = "Option::is_none")]
    whatsapp: Option<Text<'a>>,
    /// Settings for logins; absent if all are the default.
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    login: Option<LoginSettingsRecord<'a>>,
    /// Quotas; absent if all are the default.
    #[serde(rename = "q", skip_serializing_if = "Option::is_none")]
    quotas: Option<QuotasRecord>,
}

/// A number that receives texts.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct SenderRecord<'a> {
    /// Country that the number serves; absent if it serves every country.
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    country: Option<Text<'a>>,
    #[serde(rename = "n")]
    number: Text<'a>,
}

/// An API key, stored under its hash.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct KeyRecord<'a> {
    #[serde(rename = "h")]
    hash: Bytes<'a>,
    #[serde(rename = "i")]
    issued_at: Millis,
    #[serde(rename = "x", skip_serializing_if = "Option::is_none")]
    revoked_at: Option<Millis>,
}

/// The profile: every prefix and number that any app ever had.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct ProfileRecord<'a> {
    #[serde(rename = "x", default)]
    prefixes: Vec<Text<'a>>,
    #[serde(rename = "n", default)]
    recipients: Vec<Text<'a>>,
}

impl<'a> From<&'a App> for AppRecord<'a> {
    fn from(app: &'a App) -> Self {
        let default_callback = app.default_callback.as_ref();
        let origins = app.callback_origins.iter();
        let senders = app.senders.numbers();
        let login = (app.login != LoginSettings::default()).then_some(&app.login);
        let quotas = (!app.quotas.is_default()).then_some(&app.quotas);
        Self {
            app_key: app.app_key.as_str().into(),
            created_at: app.created_at.into(),
            default_callback: default_callback.map(|url| url.as_str().into()),
            callback_origins: origins.map(|origin| origin.as_str().into()).collect(),
            template: app.template.as_str().into(),
            prefix: app.prefix.as_str().into(),
            senders: senders
                .map(|(country, number)| SenderRecord {
                    country: country.map(|country| country.to_string().into()),
                    number: number.as_str().into(),
                })
                .collect(),
            whatsapp: app.whatsapp.as_ref().map(|number| number.as_str().into()),
            login: login.map(Into::into),
            quotas: quotas.map(Into::into),
        }
    }
}

impl Entity for App {
    type Id = AppId;
    type Record<'a> = AppRecord<'a>;

    fn record(&self) -> AppRecord<'_> {
        self.into()
    }

    fn from_record(id: AppId, record: AppRecord<'_>) -> Result<Self, RecordError> {
        let default_callback = record.default_callback;
        let default_callback = default_callback.map(|url| CallbackUrl::from_stored(url.as_str()));
        let origins = record.callback_origins.into_iter();
        let senders = record.senders.iter().map(SenderRecord::read);
        let senders = senders.collect::<Result<Vec<_>, _>>()?;
        let login = record.login.map(LoginSettings::try_from).transpose()?;
        Ok(Self {
            id,
            app_key: record
                .app_key
                .as_str()
                .parse::<AppKey>()
                .map_err(invalid("app_key"))?,
            created_at: record.created_at.into(),
            default_callback: default_callback
                .transpose()
                .map_err(invalid("default_callback"))?,
            callback_origins: origins
                .map(|origin| CallbackOrigin::from_stored(origin.into_string()))
                .collect(),
            template: MessageTemplate::from_stored(record.template.as_str())
                .map_err(invalid("template"))?,
            prefix: prefix(&record.prefix)?,
            senders: SenderPool::new(senders).map_err(invalid("senders"))?,
            whatsapp: whatsapp(record.whatsapp.as_ref())?,
            login: login.unwrap_or_default(),
            quotas: record.quotas.map(Into::into).unwrap_or_default(),
        })
    }
}

impl SenderRecord<'_> {
    fn read(&self) -> Result<(Option<Country>, Recipient), RecordError> {
        let country = self.country.as_ref();
        let country = country.map(|code| code.as_str().parse::<Country>());
        Ok((
            country.transpose().map_err(invalid("country"))?,
            recipient(&self.number)?,
        ))
    }
}

impl<'a> From<&'a ApiKeyRecord> for KeyRecord<'a> {
    fn from(key: &'a ApiKeyRecord) -> Self {
        Self {
            hash: key.hash.as_bytes().into(),
            issued_at: key.issued_at.into(),
            revoked_at: key.revoked_at.map(Millis::from),
        }
    }
}

impl TryFrom<KeyRecord<'_>> for ApiKeyRecord {
    type Error = RecordError;

    fn try_from(record: KeyRecord<'_>) -> Result<Self, RecordError> {
        Ok(Self {
            hash: ApiKeyHash::from_bytes(record.hash.fixed("hash")?),
            issued_at: record.issued_at.into(),
            revoked_at: record.revoked_at.map(Into::into),
        })
    }
}

impl Entity for ApiKeyRecord {
    type Id = ApiKeyHash;
    type Record<'a> = KeyRecord<'a>;

    fn record(&self) -> KeyRecord<'_> {
        self.into()
    }

    fn from_record(hash: ApiKeyHash, record: KeyRecord<'_>) -> Result<Self, RecordError> {
        let key = Self::try_from(record)?;
        if key.hash == hash {
            Ok(key)
        } else {
            Err(RecordError::Invalid("hash"))
        }
    }
}

impl<'a> From<&'a InboundProfile> for ProfileRecord<'a> {
    fn from(profile: &'a InboundProfile) -> Self {
        let prefixes = profile.prefixes.iter();
        let recipients = profile.recipients.iter();
        Self {
            prefixes: prefixes.map(|prefix| prefix.as_str().into()).collect(),
            recipients: recipients.map(|number| number.as_str().into()).collect(),
        }
    }
}

impl Entity for InboundProfile {
    type Id = ();
    type Record<'a> = ProfileRecord<'a>;

    fn record(&self) -> ProfileRecord<'_> {
        self.into()
    }

    fn from_record((): (), record: ProfileRecord<'_>) -> Result<Self, RecordError> {
        Ok(Self {
            prefixes: record
                .prefixes
                .iter()
                .map(prefix)
                .collect::<Result<_, _>>()?,
            recipients: record
                .recipients
                .iter()
                .map(recipient)
                .collect::<Result<_, _>>()?,
        })
    }
}

fn prefix(stored: &Text<'_>) -> Result<CodePrefix, RecordError> {
    CodePrefix::from_stored(stored.as_str()).map_err(invalid("prefix"))
}

fn recipient(stored: &Text<'_>) -> Result<Recipient, RecordError> {
    stored
        .as_str()
        .parse::<Recipient>()
        .map_err(invalid("number"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// An update must not make the apps of an earlier release unreadable.
    #[test]
    fn app_of_a_release_with_other_rules_is_read() {
        let stored = json!({
            "k": "cs_app_0123456789abcdefghijkl", "c": 1, "m": "stop {code}\u{200b}", "x": "REMOVE",
            "n": [{"n": "+12025550199"}],
        });
        let stored = stored.to_string();
        let record = serde_json::from_str::<AppRecord<'_>>(&stored).unwrap();
        let id = "shop".parse::<AppId>().unwrap();
        let app = App::from_record(id, record).unwrap();
        assert_eq!(app.template.as_str(), "stop {code}\u{200b}");
        assert_eq!(app.prefix.as_str(), "REMOVE");
        assert!(app.template.as_str().parse::<MessageTemplate>().is_err());
        assert!(app.prefix.as_str().parse::<CodePrefix>().is_err());

        let profile = serde_json::from_str::<ProfileRecord<'_>>(r#"{"x":["REMOVE"],"n":[]}"#);
        let profile = InboundProfile::from_record((), profile.unwrap()).unwrap();
        assert_eq!(profile.prefixes.len(), 1);
    }
}
