//! Apps, their keys and what inbound texts are judged by, as they are stored.

use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyRecord};
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::login::{LoginDocument, LoginSettings};
use countersign_domain::app::quota::AppQuotas;
use countersign_domain::app::senders::{Recipient, SenderPool};
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::app::{App, AppKey, InboundProfile};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::phone::Country;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::{CallbackOrigin, CallbackUrl};
use serde::{Deserialize, Serialize};

use super::{RecordError, VERSION, check_version, instant, read, write};

/// An app. Its name is the key.
#[derive(Serialize, Deserialize)]
struct AppRecord {
    v: u8,
    app_key: String,
    created_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default_callback: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    callback_origins: Vec<String>,
    template: String,
    prefix: String,
    senders: Vec<SenderRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    login: Option<LoginDocument>,
    #[serde(default, skip_serializing_if = "AppQuotas::is_default")]
    quotas: AppQuotas,
}

#[derive(Serialize, Deserialize)]
struct SenderRecord {
    /// Absent for a number that serves everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    country: Option<String>,
    number: String,
}

/// An API key. Its app and its hash are the key.
#[derive(Serialize, Deserialize)]
struct KeyRecord {
    v: u8,
    issued_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revoked_at: Option<u64>,
}

/// Every prefix and number that any app ever had.
#[derive(Serialize, Deserialize)]
struct ProfileRecord {
    v: u8,
    prefixes: Vec<String>,
    recipients: Vec<String>,
}

/// Writes an app.
pub(crate) fn encode_app(app: &App) -> Result<Vec<u8>, RecordError> {
    write(&AppRecord {
        v: VERSION,
        app_key: app.app_key.as_str().to_owned(),
        created_at: app.created_at.as_millis(),
        default_callback: app
            .default_callback
            .as_ref()
            .map(|url| url.as_str().to_owned()),
        callback_origins: app
            .callback_origins
            .iter()
            .map(|origin| origin.as_str().to_owned())
            .collect(),
        template: app.template.as_str().to_owned(),
        prefix: app.prefix.as_str().to_owned(),
        senders: app
            .senders
            .numbers()
            .map(|(country, number)| SenderRecord {
                country: country.map(|country| country.to_string()),
                number: number.as_str().to_owned(),
            })
            .collect(),
        login: app.login.to_document(),
        quotas: app.quotas,
    })
}

/// Reads an app back.
pub(crate) fn decode_app(id: AppId, bytes: &[u8]) -> Result<App, RecordError> {
    let record: AppRecord = read(bytes)?;
    check_version(record.v)?;
    let invalid = RecordError::Member;
    let senders = record
        .senders
        .iter()
        .map(|sender| {
            let country = sender
                .country
                .as_deref()
                .map(str::parse::<Country>)
                .transpose();
            Ok((
                country.map_err(|_| invalid("country"))?,
                recipient(&sender.number)?,
            ))
        })
        .collect::<Result<Vec<_>, RecordError>>()?;
    Ok(App {
        id,
        app_key: record
            .app_key
            .parse::<AppKey>()
            .map_err(|_| invalid("app_key"))?,
        created_at: instant(record.created_at),
        default_callback: record
            .default_callback
            .as_deref()
            .map(CallbackUrl::from_stored)
            .transpose()
            .map_err(|_| invalid("default_callback"))?,
        callback_origins: record
            .callback_origins
            .into_iter()
            .map(CallbackOrigin::from_stored)
            .collect(),
        template: record
            .template
            .parse::<MessageTemplate>()
            .map_err(|_| invalid("template"))?,
        prefix: prefix(&record.prefix)?,
        senders: SenderPool::new(senders).map_err(|_| invalid("senders"))?,
        login: record
            .login
            .as_ref()
            .map(LoginSettings::from_document)
            .transpose()
            .map_err(|_| invalid("login"))?
            .unwrap_or_default(),
        quotas: record.quotas,
    })
}

/// Writes a key.
pub(crate) fn encode_key(key: &ApiKeyRecord) -> Result<Vec<u8>, RecordError> {
    write(&KeyRecord {
        v: VERSION,
        issued_at: key.issued_at.as_millis(),
        revoked_at: key.revoked_at.map(Timestamp::as_millis),
    })
}

/// Reads a key back.
pub(crate) fn decode_key(hash: ApiKeyHash, bytes: &[u8]) -> Result<ApiKeyRecord, RecordError> {
    let record: KeyRecord = read(bytes)?;
    check_version(record.v)?;
    Ok(ApiKeyRecord {
        hash,
        issued_at: instant(record.issued_at),
        revoked_at: record.revoked_at.map(instant),
    })
}

/// Writes the profile.
pub(crate) fn encode_profile(profile: &InboundProfile) -> Result<Vec<u8>, RecordError> {
    let texts = |texts: &mut dyn Iterator<Item = &str>| texts.map(str::to_owned).collect();
    write(&ProfileRecord {
        v: VERSION,
        prefixes: texts(&mut profile.prefixes.iter().map(CodePrefix::as_str)),
        recipients: texts(&mut profile.recipients.iter().map(Recipient::as_str)),
    })
}

/// Reads the profile back.
pub(crate) fn decode_profile(bytes: &[u8]) -> Result<InboundProfile, RecordError> {
    let record: ProfileRecord = read(bytes)?;
    check_version(record.v)?;
    Ok(InboundProfile {
        prefixes: record
            .prefixes
            .iter()
            .map(|text| prefix(text))
            .collect::<Result<_, _>>()?,
        recipients: record
            .recipients
            .iter()
            .map(|text| recipient(text))
            .collect::<Result<_, _>>()?,
    })
}

fn prefix(text: &str) -> Result<CodePrefix, RecordError> {
    text.parse::<CodePrefix>()
        .map_err(|_| RecordError::Member("prefix"))
}

fn recipient(text: &str) -> Result<Recipient, RecordError> {
    text.parse::<Recipient>()
        .map_err(|_| RecordError::Member("number"))
}
