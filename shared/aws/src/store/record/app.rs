//! Apps with their API keys, pointers to apps, and what inbound texts are judged by.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyRecord};
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::login::{LoginDocument, LoginSettings};
use countersign_domain::app::quota::AppQuotas;
use countersign_domain::app::senders::{Recipient, SenderPool};
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::app::{App, AppKey, InboundProfile};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::phone::Country;
use countersign_domain::web::callback_url::{CallbackOrigin, CallbackUrl};

use crate::store::attributes::{APP_SORT, REVISION, SK, app as at, pointer, profile};
use crate::store::change::Change;
use crate::store::item::{Attributes, Item, RecordError, bytes, instant, number, text};

/// Attributes of an API key, a map within its app's item.
mod key {
    pub(super) const HASH: &str = "h";
    pub(super) const ISSUED_AT: &str = "i";
}

/// Of an API key; absent while it is active.
pub(in crate::store) const REVOKED_AT: &str = "x";

/// Attributes of a number that receives texts, a map within its app's list of them.
mod sender {
    /// Absent for a number that serves everybody.
    pub(super) const COUNTRY: &str = "c";
    pub(super) const NUMBER: &str = "n";
}

/// An app as its item has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct AppItem {
    /// The app.
    pub(in crate::store) app: Arc<App>,
    /// Its API keys, the oldest first.
    pub(in crate::store) keys: Vec<ApiKeyRecord>,
    /// How many writes the item had seen.
    pub(in crate::store) revision: u64,
}

impl AppItem {
    /// The key with this hash.
    pub(in crate::store) fn key(&self, hash: &ApiKeyHash) -> Option<&ApiKeyRecord> {
        self.keys.iter().find(|key| key.hash == *hash)
    }
}

/// Sets everything about an app but its keys.
pub(in crate::store) fn app_changes(change: Change, app: &App) -> Change {
    let numbers = app.senders.numbers().map(|(country, number)| {
        let mut map = Item::from([(sender::NUMBER.to_owned(), text(number.as_str()))]);
        if let Some(country) = country {
            map.insert(sender::COUNTRY.to_owned(), text(country.to_string()));
        }
        AttributeValue::M(map)
    });
    let origins = app.callback_origins.iter();
    let origins = origins.map(|origin| text(origin.as_str())).collect();
    let change = change
        .set(at::APP_KEY, text(app.app_key.as_str()))
        .set(at::CREATED_AT, instant(app.created_at))
        .set(at::ORIGINS, AttributeValue::L(origins))
        .set(at::TEMPLATE, text(app.template.as_str()))
        .set(at::PREFIX, text(app.prefix.as_str()))
        .set(at::SENDERS, AttributeValue::L(numbers.collect()));
    let change = match app.login.to_document() {
        Some(login) => change.set(at::LOGIN, text(login.to_json())),
        None => change.remove(at::LOGIN),
    };
    let change = if app.quotas.is_default() {
        change.remove(at::QUOTAS)
    } else {
        change.set(at::QUOTAS, text(app.quotas.to_json()))
    };
    match &app.default_callback {
        Some(url) => change.set(at::CALLBACK, text(url.as_str())),
        None => change.remove(at::CALLBACK),
    }
}

/// Sets everything about an app that is new, and has no keys.
pub(in crate::store) fn new_app(change: Change, app: &App) -> Change {
    app_changes(change, app)
        .set(at::KEYS, AttributeValue::M(Item::new()))
        .set(at::ACTIVE, number(0_u32))
}

/// Reads an app and its keys back; its name is in its key.
pub(in crate::store) fn decode_app(item: &Item) -> Result<AppItem, RecordError> {
    let item = Attributes::of(item)?;
    let id = item.text(SK)?.strip_prefix(APP_SORT);
    let id = id.and_then(|name| name.parse::<AppId>().ok());
    let callback = item.text_if(at::CALLBACK)?;
    let app = App {
        id: id.ok_or(RecordError::Invalid(SK))?,
        app_key: item
            .text(at::APP_KEY)?
            .parse::<AppKey>()
            .map_err(|_| RecordError::Invalid(at::APP_KEY))?,
        created_at: item.instant(at::CREATED_AT)?,
        default_callback: callback
            .map(CallbackUrl::from_stored)
            .transpose()
            .map_err(|_| RecordError::Invalid(at::CALLBACK))?,
        callback_origins: item
            .list(at::ORIGINS)?
            .iter()
            .map(|origin| Ok(CallbackOrigin::from_stored(origin.as_s()?.clone())))
            .collect::<Result<_, &AttributeValue>>()
            .map_err(|_| RecordError::Invalid(at::ORIGINS))?,
        template: item
            .text(at::TEMPLATE)?
            .parse::<MessageTemplate>()
            .map_err(|_| RecordError::Invalid(at::TEMPLATE))?,
        prefix: item
            .text(at::PREFIX)?
            .parse::<CodePrefix>()
            .map_err(|_| RecordError::Invalid(at::PREFIX))?,
        senders: decode_senders(item.list(at::SENDERS)?)?,
        login: decode_login(item.text_if(at::LOGIN)?)?,
        quotas: decode_quotas(item.text_if(at::QUOTAS)?)?,
    };
    Ok(AppItem {
        app: Arc::new(app),
        keys: decode_keys(item)?,
        revision: item.number(REVISION)?,
    })
}

fn decode_login(stored: Option<&str>) -> Result<LoginSettings, RecordError> {
    let Some(json) = stored else {
        return Ok(LoginSettings::default());
    };
    let document = LoginDocument::from_json(json);
    let login = document.and_then(|document| LoginSettings::from_document(&document));
    login.map_err(|_| RecordError::Invalid(at::LOGIN))
}

fn decode_quotas(stored: Option<&str>) -> Result<AppQuotas, RecordError> {
    let quotas = stored.map(AppQuotas::from_json).transpose();
    let quotas = quotas.map_err(|_| RecordError::Invalid(at::QUOTAS))?;
    Ok(quotas.unwrap_or_default())
}

fn decode_senders(list: &[AttributeValue]) -> Result<SenderPool, RecordError> {
    let invalid = RecordError::Invalid(at::SENDERS);
    let senders = list.iter().map(|stored| {
        let map = Attributes::within(stored.as_m().map_err(|_| invalid)?);
        let country = map.text_if(sender::COUNTRY)?;
        let country = country.map(str::parse::<Country>).transpose();
        let number = map.text(sender::NUMBER)?.parse::<Recipient>();
        Ok((country.map_err(|_| invalid)?, number.map_err(|_| invalid)?))
    });
    let senders = senders.collect::<Result<Vec<_>, RecordError>>()?;
    SenderPool::new(senders).map_err(|_| invalid)
}

/// An API key within its app's item.
pub(in crate::store) fn encode_key(record: &ApiKeyRecord) -> AttributeValue {
    let mut map = Item::from([
        (key::HASH.to_owned(), bytes(*record.hash.as_bytes())),
        (key::ISSUED_AT.to_owned(), instant(record.issued_at)),
    ]);
    if let Some(revoked_at) = record.revoked_at {
        map.insert(REVOKED_AT.to_owned(), instant(revoked_at));
    }
    AttributeValue::M(map)
}

fn decode_keys(item: Attributes<'_>) -> Result<Vec<ApiKeyRecord>, RecordError> {
    let invalid = RecordError::Invalid(at::KEYS);
    let map = item.get(at::KEYS).ok_or(RecordError::Missing(at::KEYS))?;
    let map = map.as_m().map_err(|_| invalid)?;
    let keys = map.values().map(|stored| {
        let map = Attributes::within(stored.as_m().map_err(|_| invalid)?);
        Ok(ApiKeyRecord {
            hash: ApiKeyHash::from_bytes(map.fixed(key::HASH)?),
            issued_at: map.instant(key::ISSUED_AT)?,
            revoked_at: map.instant_if(REVOKED_AT)?,
        })
    });
    let mut keys = keys.collect::<Result<Vec<_>, RecordError>>()?;
    keys.sort_by_key(|key| (key.issued_at, key.hash));
    Ok(keys)
}

/// Whose an API key is, by its pointer.
pub(in crate::store) fn decode_owner(item: &Item) -> Result<AppId, RecordError> {
    let name = Attributes::of(item)?.text(pointer::APP)?;
    name.parse::<AppId>()
        .map_err(|_| RecordError::Invalid(pointer::APP))
}

/// Reads the profile back.
pub(in crate::store) fn decode_profile(item: &Item) -> Result<InboundProfile, RecordError> {
    let item = Attributes::of(item)?;
    let prefixes = item.set(profile::PREFIXES)?.iter();
    let numbers = item.set(profile::NUMBERS)?.iter();
    Ok(InboundProfile {
        prefixes: prefixes
            .map(|text| text.parse::<CodePrefix>())
            .collect::<Result<_, _>>()
            .map_err(|_| RecordError::Invalid(profile::PREFIXES))?,
        recipients: numbers
            .map(|text| text.parse::<Recipient>())
            .collect::<Result<_, _>>()
            .map_err(|_| RecordError::Invalid(profile::NUMBERS))?,
    })
}
