//! The stored form of a login.

use countersign_domain::login::{
    BrowserPublicKey, BrowserTokenHash, Context, Encryption, Login, Notice, NoticeBody, Opener,
    Phone, WatcherId,
};
use countersign_domain::primitives::ids::{AppId, LoginId, LoginKind};
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::origin::WebOrigin;
use serde::{Deserialize, Serialize};

use crate::delivery::DeliveryRecord;
use crate::entity::Entity;
use crate::error::{RecordError, invalid};
use crate::login_state::StateRecord;
use crate::phone::PhoneRecord;
use crate::sighting::SightingRecord;
use crate::value::{Bytes, Millis, Text};

/// A login, stored under its id.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct LoginRecord<'a> {
    #[serde(rename = "a")]
    app: Text<'a>,
    /// Origin of the page that created the login.
    #[serde(rename = "o")]
    origin: Text<'a>,
    /// Text that the person approves, if the app's server created the login; empty if it gave none.
    #[serde(rename = "ox", skip_serializing_if = "Option::is_none")]
    context: Option<Text<'a>>,
    /// Hash of the browser's token.
    #[serde(rename = "t")]
    browser_token: Bytes<'a>,
    #[serde(rename = "b")]
    browser: SightingRecord<'a>,
    /// Browser's public key, if it sent one.
    #[serde(rename = "k", skip_serializing_if = "Option::is_none")]
    key: Option<Bytes<'a>>,
    /// Whether it is confirmed only with a proof by a registered key.
    #[serde(rename = "rp", default, skip_serializing_if = "std::ops::Not::not")]
    requires_proof: bool,
    /// Whether the payload is redeemed only with the check code that the phone shows.
    #[serde(rename = "rc", default, skip_serializing_if = "std::ops::Not::not")]
    requires_check_code: bool,
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
    #[serde(flatten)]
    state: StateRecord<'a>,
    /// Body of the webhook for the decision, unless it follows from the other fields.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    notice: Option<Text<'a>>,
    #[serde(flatten)]
    delivery: DeliveryRecord<'a>,
}

impl<'a> From<&'a Login> for LoginRecord<'a> {
    fn from(item: &'a Login) -> Self {
        let notice = item.notice.as_ref();
        Self {
            app: item.app.as_str().into(),
            origin: item.origin.as_str().into(),
            context: match &item.opener {
                Opener::Page => None,
                Opener::Server { context } => {
                    Some(context.as_ref().map_or("", Context::as_str).into())
                }
            },
            browser_token: item.browser_token.as_bytes().into(),
            browser: (&item.browser).into(),
            key: item.encryption.key().map(|key| key.as_bytes().into()),
            requires_proof: item.requires_proof,
            requires_check_code: item.requires_check_code,
            callback: item.callback.as_ref().map(|url| url.as_str().into()),
            created_at: item.created_at.into(),
            expires_at: item.expires_at().into(),
            purge_at: item.purge_at.into(),
            watchers: item.watchers.iter().map(|id| id.as_str().into()).collect(),
            phone: item.phone().map(PhoneRecord::from),
            state: (&item.state).into(),
            notice: notice
                .and_then(|notice| notice.body.as_ref())
                .map(|body| body.as_str().into()),
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
        let callback = callback.transpose().map_err(invalid("callback"))?;
        // DynamoDB's fast path writes a delivery with every decision; one without a callback is not
        // owed.
        let delivery = callback.as_ref().and(record.delivery.present());
        let phone = record.phone.map(Phone::try_from).transpose()?;
        match (record.requires_check_code, &phone) {
            (true, Some(phone)) if phone.check_code.is_none() => {
                return Err(RecordError::Missing("check_code"));
            }
            (false, Some(phone)) if phone.check_code.is_some() => {
                return Err(RecordError::Invalid("check_code"));
            }
            _ => {}
        }
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
            opener: opener(record.context.as_ref())?,
            browser_token: BrowserTokenHash::from_bytes(
                record.browser_token.fixed("browser_token")?,
            ),
            browser: record.browser.try_into()?,
            encryption: encryption(id.kind(), record.key.as_ref())?,
            requires_proof: record.requires_proof,
            requires_check_code: record.requires_check_code,
            created_at: record.created_at.into(),
            watchers: watchers
                .collect::<Result<_, _>>()
                .map_err(invalid("watchers"))?,
            state: record.state.restore(phone, record.expires_at.into())?,
            notice: match delivery {
                None => None,
                Some(delivery) => Some(Box::new(Notice {
                    body: record
                        .notice
                        .map(|body| NoticeBody::from_text(body.into_string())),
                    delivery: delivery.try_into()?,
                })),
            },
            callback,
            purge_at: record.purge_at.into(),
        })
    }
}

fn opener(context: Option<&Text<'_>>) -> Result<Opener, RecordError> {
    Ok(match context.map(Text::as_str) {
        None => Opener::Page,
        Some("") => Opener::Server { context: None },
        Some(text) => Opener::Server {
            context: Some(text.parse::<Context>().map_err(invalid("context"))?),
        },
    })
}

/// Returns the rule for the payload. The browser's key must be present exactly if the id vouches for
/// one.
fn encryption(kind: LoginKind, key: Option<&Bytes<'_>>) -> Result<Encryption, RecordError> {
    match (kind, key) {
        (LoginKind::Plain, None) => Ok(Encryption::Plain),
        (LoginKind::Plain, Some(_)) => Err(RecordError::Invalid("key")),
        (LoginKind::Sealed, None) => Err(RecordError::Missing("key")),
        (LoginKind::Sealed, Some(key)) => {
            let key = BrowserPublicKey::from_bytes(key.fixed("key")?);
            Ok(Encryption::Sealed(key.map_err(invalid("key"))?))
        }
    }
}
