//! The stored form of a login.

use countersign_domain::login::{
    BlockReason, BrowserPublicKey, BrowserTokenHash, Encryption, Login, Notice, NoticeBody,
    PayloadFingerprint, Phone, State, WatcherId,
};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::origin::WebOrigin;
use serde::{Deserialize, Serialize};

use crate::delivery::DeliveryRecord;
use crate::entity::Entity;
use crate::error::{RecordError, invalid};
use crate::phone::{PayloadRecord, PhoneRecord};
use crate::sighting::SightingRecord;
use crate::value::{Bytes, Millis, Text};

/// A login, stored under its id.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub struct LoginRecord<'a> {
    #[serde(rename = "a")]
    app: Text<'a>,
    /// Origin of the page that created the login.
    #[serde(rename = "o")]
    origin: Text<'a>,
    /// Hash of the browser's token.
    #[serde(rename = "t")]
    browser_token: Bytes<'a>,
    #[serde(rename = "b")]
    browser: SightingRecord<'a>,
    /// Browser's public key, if it sent one.
    #[serde(rename = "k", skip_serializing_if = "Option::is_none")]
    key: Option<Bytes<'a>>,
    /// Whether payloads must be encrypted.
    #[serde(rename = "kr", skip_serializing_if = "Option::is_none")]
    encryption_required: Option<bool>,
    #[serde(rename = "u", skip_serializing_if = "Option::is_none")]
    callback: Option<Text<'a>>,
    #[serde(rename = "c")]
    created_at: Millis,
    /// Time at which the present state expires, or at which the login ended.
    #[serde(rename = "x")]
    expires_at: Millis,
    #[serde(rename = "p")]
    purge_at: Millis,
    /// Connections that are notified of changes, oldest first.
    #[serde(rename = "l", default)]
    watchers: Vec<Text<'a>>,
    /// Phone that opened the login.
    #[serde(rename = "m", skip_serializing_if = "Option::is_none")]
    phone: Option<PhoneRecord<'a>>,
    #[serde(rename = "s")]
    status: StatusTag,
    #[serde(rename = "f", skip_serializing_if = "Option::is_none")]
    confirmed_at: Option<Millis>,
    #[serde(rename = "y", skip_serializing_if = "Option::is_none")]
    payload: Option<PayloadRecord<'a>>,
    /// Hash by which the payload is recognised after it has been fetched.
    #[serde(rename = "h", skip_serializing_if = "Option::is_none")]
    fingerprint: Option<Bytes<'a>>,
    /// Reason why the login was blocked.
    #[serde(rename = "q", skip_serializing_if = "Option::is_none")]
    reason: Option<ReasonTag>,
    /// Body of the webhook for the decision; present together with the fields of its delivery.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    notice: Option<Text<'a>>,
    #[serde(flatten)]
    delivery: DeliveryRecord<'a>,
}

/// The state of a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StatusTag {
    /// No phone has opened it.
    #[serde(rename = "o")]
    Created,
    /// A phone has opened it.
    #[serde(rename = "s")]
    Scanned,
    /// The person confirmed it, and the browser has not fetched the payload.
    #[serde(rename = "f")]
    Confirmed,
    /// The browser fetched the payload.
    #[serde(rename = "u")]
    Consumed,
    /// The person denied it.
    #[serde(rename = "d")]
    Denied,
    /// A rule blocked it.
    #[serde(rename = "b")]
    Blocked,
    /// The browser cancelled it.
    #[serde(rename = "c")]
    Cancelled,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum ReasonTag {
    #[serde(rename = "p")]
    SecondPhone,
    #[serde(rename = "r")]
    Risk,
}

impl<'a> From<&'a Login> for LoginRecord<'a> {
    fn from(item: &'a Login) -> Self {
        let (status, confirmed_at, fingerprint) = match &item.state {
            State::Created { .. } => (StatusTag::Created, None, None),
            State::Scanned { .. } => (StatusTag::Scanned, None, None),
            State::Confirmed {
                at, fingerprint, ..
            } => (StatusTag::Confirmed, Some(*at), Some(fingerprint)),
            State::Consumed {
                confirmed_at,
                fingerprint,
                ..
            } => (StatusTag::Consumed, Some(*confirmed_at), Some(fingerprint)),
            State::Denied { .. } => (StatusTag::Denied, None, None),
            State::Blocked { .. } => (StatusTag::Blocked, None, None),
            State::Cancelled { .. } => (StatusTag::Cancelled, None, None),
        };
        let notice = item.notice.as_ref();
        Self {
            app: item.app.as_str().into(),
            origin: item.origin.as_str().into(),
            browser_token: item.browser_token.as_bytes().into(),
            browser: (&item.browser).into(),
            key: match &item.encryption {
                Encryption::Unavailable => None,
                Encryption::Offered(key) | Encryption::Required(key) => Some(key.as_bytes().into()),
            },
            encryption_required: matches!(item.encryption, Encryption::Required(_)).then_some(true),
            callback: item.callback.as_ref().map(|url| url.as_str().into()),
            created_at: item.created_at.into(),
            expires_at: item.expires_at().into(),
            purge_at: item.purge_at.into(),
            watchers: item.watchers.iter().map(|id| id.as_str().into()).collect(),
            phone: item.phone().map(PhoneRecord::from),
            status,
            confirmed_at: confirmed_at.map(Millis::from),
            payload: match &item.state {
                State::Confirmed { payload, .. } => Some(payload.into()),
                _ => None,
            },
            fingerprint: fingerprint.map(|fingerprint| fingerprint.as_bytes().into()),
            reason: match item.state {
                State::Blocked { reason, .. } => Some(reason.into()),
                _ => None,
            },
            notice: notice.map(|notice| notice.body.as_str().into()),
            delivery: notice
                .map(|notice| DeliveryRecord::from(&notice.delivery))
                .unwrap_or_default(),
        }
    }
}

impl Entity for Login {
    type Id = LoginId;
    type Record<'a> = LoginRecord<'a>;

    fn record(&self) -> LoginRecord<'_> {
        self.into()
    }

    fn from_record(id: LoginId, record: LoginRecord<'_>) -> Result<Self, RecordError> {
        let watchers = record.watchers.iter();
        let watchers = watchers.map(|name| name.as_str().parse::<WatcherId>());
        let callback = record.callback;
        let callback = callback.map(|url| CallbackUrl::from_stored(url.as_str()));
        Ok(Self {
            id,
            app: record
                .app
                .as_str()
                .parse::<AppId>()
                .map_err(invalid("app"))?,
            origin: record
                .origin
                .as_str()
                .parse::<WebOrigin>()
                .map_err(invalid("origin"))?,
            browser_token: BrowserTokenHash::from_bytes(
                record.browser_token.fixed("browser_token")?,
            ),
            browser: record.browser.try_into()?,
            encryption: encryption(record.key.as_ref(), record.encryption_required)?,
            callback: callback.transpose().map_err(invalid("callback"))?,
            created_at: record.created_at.into(),
            watchers: watchers
                .collect::<Result<_, _>>()
                .map_err(invalid("watchers"))?,
            state: StateFields {
                status: record.status,
                expires_at: record.expires_at.into(),
                phone: record.phone.map(Phone::try_from).transpose()?,
                confirmed_at: record.confirmed_at,
                payload: record.payload,
                fingerprint: record.fingerprint,
                reason: record.reason,
            }
            .try_into()?,
            notice: match record.notice {
                None => None,
                Some(body) => Some(Box::new(Notice {
                    body: NoticeBody::from_stored(body.into_string()),
                    delivery: record.delivery.try_into()?,
                })),
            },
            purge_at: record.purge_at.into(),
        })
    }
}

fn encryption(key: Option<&Bytes<'_>>, required: Option<bool>) -> Result<Encryption, RecordError> {
    let key = key.map(|key| {
        let key = BrowserPublicKey::from_bytes(key.fixed("key")?);
        key.map_err(invalid("key"))
    });
    match (key.transpose()?, required.unwrap_or_default()) {
        (None, false) => Ok(Encryption::Unavailable),
        (None, true) => Err(RecordError::Missing("key")),
        (Some(key), false) => Ok(Encryption::Offered(key)),
        (Some(key), true) => Ok(Encryption::Required(key)),
    }
}

/// The record's fields that make up a login's state.
struct StateFields<'a> {
    status: StatusTag,
    expires_at: Timestamp,
    phone: Option<Phone>,
    confirmed_at: Option<Millis>,
    payload: Option<PayloadRecord<'a>>,
    fingerprint: Option<Bytes<'a>>,
    reason: Option<ReasonTag>,
}

impl TryFrom<StateFields<'_>> for State {
    type Error = RecordError;

    fn try_from(fields: StateFields<'_>) -> Result<Self, RecordError> {
        let missing = RecordError::Missing;
        let at = fields.expires_at;
        let confirmed_at = fields.confirmed_at.ok_or(missing("confirmed_at"));
        let fingerprint = match fields.fingerprint {
            None => Err(missing("fingerprint")),
            Some(bytes) => bytes.fixed("fingerprint"),
        };
        let fingerprint = fingerprint.map(PayloadFingerprint::from_bytes);
        Ok(match (fields.status, fields.phone.map(Box::new)) {
            (StatusTag::Created, _) => Self::Created { expires_at: at },
            (StatusTag::Cancelled, phone) => Self::Cancelled { phone, at },
            (_, None) => return Err(missing("phone")),
            (StatusTag::Scanned, Some(phone)) => Self::Scanned {
                phone,
                expires_at: at,
            },
            (StatusTag::Confirmed, Some(phone)) => Self::Confirmed {
                phone,
                at: confirmed_at?.into(),
                payload: fields.payload.ok_or(missing("payload"))?.try_into()?,
                fingerprint: fingerprint?,
                redeem_by: at,
            },
            (StatusTag::Consumed, Some(phone)) => Self::Consumed {
                phone,
                confirmed_at: confirmed_at?.into(),
                fingerprint: fingerprint?,
                at,
            },
            (StatusTag::Denied, Some(phone)) => Self::Denied { phone, at },
            (StatusTag::Blocked, Some(phone)) => Self::Blocked {
                phone,
                at,
                reason: fields.reason.ok_or(missing("reason"))?.into(),
            },
        })
    }
}

impl From<BlockReason> for ReasonTag {
    fn from(reason: BlockReason) -> Self {
        match reason {
            BlockReason::SecondPhone => Self::SecondPhone,
            BlockReason::Risk => Self::Risk,
        }
    }
}

impl From<ReasonTag> for BlockReason {
    fn from(reason: ReasonTag) -> Self {
        match reason {
            ReasonTag::SecondPhone => Self::SecondPhone,
            ReasonTag::Risk => Self::Risk,
        }
    }
}
