//! A QR session as it is stored. Its id is the key, and stands nowhere in the record.

use std::borrow::Cow;

use countersign_domain::login::{
    BrowserPublicKey, BrowserTokenHash, Encryption, Login, Notice, NoticeBody, WatcherId,
};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::origin::WebOrigin;
use serde::{Deserialize, Serialize};

use super::delivery::DeliveryRecord;
use super::qr_state::StateRecord;
use super::sighting::SightingRecord;
use super::{RecordError, VERSION, check_version, fixed, instant, read, to_base64, write};

#[derive(Serialize, Deserialize)]
struct LoginRecord<'a> {
    v: u8,
    #[serde(rename = "a", borrow)]
    app: Cow<'a, str>,
    #[serde(rename = "o", borrow)]
    origin: Cow<'a, str>,
    #[serde(rename = "b", borrow)]
    browser_token: Cow<'a, str>,
    #[serde(rename = "s", borrow)]
    browser: SightingRecord<'a>,
    #[serde(rename = "e", borrow, default, skip_serializing_if = "Option::is_none")]
    encryption: Option<EncryptionRecord<'a>>,
    #[serde(rename = "u", borrow, default, skip_serializing_if = "Option::is_none")]
    callback: Option<Cow<'a, str>>,
    #[serde(rename = "c")]
    created_at: u64,
    #[serde(rename = "w", borrow, default, skip_serializing_if = "Vec::is_empty")]
    watchers: Vec<Cow<'a, str>>,
    #[serde(rename = "t", borrow)]
    state: StateRecord<'a>,
    #[serde(rename = "n", borrow, default, skip_serializing_if = "Option::is_none")]
    notice: Option<NoticeRecord<'a>>,
    #[serde(rename = "p")]
    purge_at: u64,
}

/// Absent where the browser gave no key.
#[derive(Serialize, Deserialize)]
enum EncryptionRecord<'a> {
    #[serde(rename = "o", borrow)]
    Offered(Cow<'a, str>),
    #[serde(rename = "r", borrow)]
    Required(Cow<'a, str>),
}

#[derive(Serialize, Deserialize)]
struct NoticeRecord<'a> {
    #[serde(rename = "b", borrow)]
    body: Cow<'a, str>,
    #[serde(rename = "d", borrow)]
    delivery: DeliveryRecord<'a>,
}

/// Writes a session.
pub(crate) fn encode_session(item: &Login) -> Result<Vec<u8>, RecordError> {
    write(&LoginRecord {
        v: VERSION,
        app: item.app.as_str().into(),
        origin: item.origin.as_str().into(),
        browser_token: to_base64(item.browser_token.as_bytes()).into(),
        browser: SightingRecord::of(&item.browser),
        encryption: match &item.encryption {
            Encryption::Unavailable => None,
            Encryption::Offered(key) => Some(EncryptionRecord::Offered(key.to_string().into())),
            Encryption::Required(key) => Some(EncryptionRecord::Required(key.to_string().into())),
        },
        callback: item.callback.as_ref().map(|url| url.as_str().into()),
        created_at: item.created_at.as_millis(),
        watchers: item.watchers.iter().map(|id| id.as_str().into()).collect(),
        state: StateRecord::of(&item.state),
        notice: item.notice.as_ref().map(|notice| NoticeRecord {
            body: notice.body.as_str().into(),
            delivery: DeliveryRecord::of(&notice.delivery),
        }),
        purge_at: item.purge_at.as_millis(),
    })
}

/// Reads a session back.
pub(crate) fn decode_session(id: LoginId, bytes: &[u8]) -> Result<Login, RecordError> {
    let record: LoginRecord<'_> = read(bytes)?;
    check_version(record.v)?;
    let watchers = record.watchers.iter().map(|id| id.parse::<WatcherId>());
    Ok(Login {
        id,
        app: record
            .app
            .parse::<AppId>()
            .map_err(|_| RecordError::Member("app"))?,
        origin: record
            .origin
            .parse::<WebOrigin>()
            .map_err(|_| RecordError::Member("origin"))?,
        browser_token: BrowserTokenHash::from_bytes(fixed(&record.browser_token, "browser_token")?),
        browser: record.browser.read()?,
        encryption: match record.encryption {
            None => Encryption::Unavailable,
            Some(EncryptionRecord::Offered(key)) => Encryption::Offered(browser_key(&key)?),
            Some(EncryptionRecord::Required(key)) => Encryption::Required(browser_key(&key)?),
        },
        callback: record
            .callback
            .map(|url| CallbackUrl::from_stored(&url))
            .transpose()
            .map_err(|_| RecordError::Member("callback"))?,
        created_at: instant(record.created_at),
        watchers: watchers
            .collect::<Result<_, _>>()
            .map_err(|_| RecordError::Member("watchers"))?,
        state: record.state.read()?,
        notice: record.notice.map(NoticeRecord::read).transpose()?,
        purge_at: instant(record.purge_at),
    })
}

fn browser_key(text: &str) -> Result<BrowserPublicKey, RecordError> {
    text.parse::<BrowserPublicKey>()
        .map_err(|_| RecordError::Member("encryption"))
}

impl NoticeRecord<'_> {
    fn read(self) -> Result<Box<Notice>, RecordError> {
        Ok(Box::new(Notice {
            body: NoticeBody::from_stored(self.body.into_owned()),
            delivery: self.delivery.read()?,
        }))
    }
}
