//! A login as an item. Its id is the key, and stands in no other attribute.

use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::login::risk::{Assessment, Flag};
use countersign_domain::login::{
    BlockReason, BrowserPublicKey, BrowserTokenHash, ClaimedUserId, Encryption, Login,
    MobileTokenHash, Notice, NoticeBody, Payload, PayloadFingerprint, Phone, State, WatcherId,
};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::origin::WebOrigin;

use super::delivery::{decode_delivery, encode_delivery};
use super::sighting::{decode_sighting, encode_sighting};
use crate::store::attributes::{LANE, TTL, VERSION, login as at, notice_shard_of, phone};
use crate::store::item::{
    Attributes, FORMAT, Item, RecordError, bytes, instant, number, seconds, text,
};
use crate::store::lane;

/// Values of [`at::STATE`].
pub(in crate::store) mod status {
    pub(in crate::store) const CREATED: &str = "o";
    pub(in crate::store) const SCANNED: &str = "s";
    pub(in crate::store) const CONFIRMED: &str = "f";
    pub(in crate::store) const CONSUMED: &str = "u";
    pub(in crate::store) const DENIED: &str = "d";
    pub(in crate::store) const BLOCKED: &str = "b";
    pub(in crate::store) const CANCELLED: &str = "c";
}

/// Values of [`at::REASON`].
mod reason {
    pub(super) const SECOND_PHONE: &str = "p";
    pub(super) const RISK: &str = "r";
}

/// The attributes of a login, keys and revision aside.
pub(in crate::store) fn encode_login(item: &Login) -> Item {
    let mut attributes = encode_state(&item.state);
    let mut put = |name: &str, value: AttributeValue| {
        attributes.insert(name.to_owned(), value);
    };
    put(VERSION, number(FORMAT));
    put(TTL, seconds(item.purge_at));
    put(LANE, lane::base(item.lane()));
    put(at::APP, text(item.app.as_str()));
    put(at::ORIGIN, text(item.origin.as_str()));
    put(at::BROWSER_TOKEN, bytes(*item.browser_token.as_bytes()));
    put(
        at::BROWSER,
        AttributeValue::M(encode_sighting(&item.browser)),
    );
    if let Some(key) = item.encryption.key() {
        put(at::KEY, bytes(*key.as_bytes()));
    }
    if matches!(item.encryption, Encryption::Required(_)) {
        put(at::REQUIRED, AttributeValue::Bool(true));
    }
    if let Some(callback) = &item.callback {
        put(at::CALLBACK, text(callback.as_str()));
    }
    put(at::CREATED_AT, instant(item.created_at));
    put(at::EXPIRES_AT, instant(item.expires_at()));
    put(at::PURGE_AT, instant(item.purge_at));
    let watchers = item.watchers.iter().map(|watcher| text(watcher.as_str()));
    put(at::WATCHERS, AttributeValue::L(watchers.collect()));
    if let Some(phone) = item.phone() {
        put(at::PHONE, encode_phone(phone));
    }
    if let Some(notice) = &item.notice {
        put(at::NOTICE, text(notice.body.as_str()));
        let shard = notice_shard_of(item.id);
        attributes.extend(encode_delivery(shard, item.lane(), &notice.delivery));
    }
    attributes
}

/// What a state has besides its phone and the end of its time.
fn encode_state(state: &State) -> Item {
    let mut attributes = Item::new();
    let mut put = |name: &str, value: AttributeValue| {
        attributes.insert(name.to_owned(), value);
    };
    let status = match state {
        State::Created { .. } => status::CREATED,
        State::Scanned { .. } => status::SCANNED,
        State::Confirmed {
            at,
            payload,
            fingerprint,
            ..
        } => {
            put(at::CONFIRMED_AT, instant(*at));
            put(at::PAYLOAD, encode_payload(payload));
            put(at::FINGERPRINT, bytes(*fingerprint.as_bytes()));
            status::CONFIRMED
        }
        State::Consumed {
            confirmed_at,
            fingerprint,
            ..
        } => {
            put(at::CONFIRMED_AT, instant(*confirmed_at));
            put(at::FINGERPRINT, bytes(*fingerprint.as_bytes()));
            status::CONSUMED
        }
        State::Denied { .. } => status::DENIED,
        State::Blocked { reason, .. } => {
            let reason = match reason {
                BlockReason::SecondPhone => reason::SECOND_PHONE,
                BlockReason::Risk => reason::RISK,
            };
            put(at::REASON, text(reason));
            status::BLOCKED
        }
        State::Cancelled { .. } => status::CANCELLED,
    };
    put(at::STATE, text(status));
    attributes
}

/// A phone, as its map has it.
pub(in crate::store) fn encode_phone(item: &Phone) -> AttributeValue {
    let mut map = encode_sighting(&item.sighting);
    let mut put = |name: &str, value: AttributeValue| {
        map.insert(name.to_owned(), value);
    };
    put(phone::TOKEN, bytes(*item.token.as_bytes()));
    if let Some(user) = &item.user {
        put(phone::USER, text(user.as_str()));
    }
    let flags = item.risk.flags().iter().map(|flag| flag.as_str());
    let flags: Vec<_> = flags.map(str::to_owned).collect();
    // A set cannot be empty.
    if !flags.is_empty() {
        put(phone::FLAGS, AttributeValue::Ss(flags));
    }
    put(phone::SCANNED_AT, instant(item.scanned_at));
    AttributeValue::M(map)
}

/// A payload. What is encrypted is kept without its Base64, which has one spelling only.
pub(in crate::store) fn encode_payload(payload: &Payload) -> AttributeValue {
    let sealed = payload
        .is_encrypted()
        .then(|| BASE64_URL_SAFE_NO_PAD.decode(payload.as_str()).ok());
    match sealed.flatten() {
        Some(sealed) => bytes(sealed),
        None => text(payload.as_str()),
    }
}

/// Reads an item back.
pub(in crate::store) fn decode_login(id: LoginId, item: &Item) -> Result<Login, RecordError> {
    let item = Attributes::of(item)?;
    let callback = item.text_if(at::CALLBACK)?.map(CallbackUrl::from_stored);
    let watchers = item.list(at::WATCHERS)?.iter().map(|stored| {
        let name = stored
            .as_s()
            .ok()
            .and_then(|name| name.parse::<WatcherId>().ok());
        name.ok_or(RecordError::Invalid(at::WATCHERS))
    });
    Ok(Login {
        id,
        app: item
            .text(at::APP)?
            .parse::<AppId>()
            .map_err(|_| RecordError::Invalid(at::APP))?,
        origin: item
            .text(at::ORIGIN)?
            .parse::<WebOrigin>()
            .map_err(|_| RecordError::Invalid(at::ORIGIN))?,
        browser_token: BrowserTokenHash::from_bytes(item.fixed(at::BROWSER_TOKEN)?),
        browser: decode_sighting(item.map(at::BROWSER)?)?,
        encryption: encryption(item)?,
        callback: callback
            .transpose()
            .map_err(|_| RecordError::Invalid(at::CALLBACK))?,
        created_at: item.instant(at::CREATED_AT)?,
        watchers: watchers.collect::<Result<_, _>>()?,
        state: decode_state(item)?,
        notice: notice(item)?,
        purge_at: item.instant(at::PURGE_AT)?,
    })
}

fn encryption(item: Attributes<'_>) -> Result<Encryption, RecordError> {
    let required = item.flag(at::REQUIRED)?;
    if item.get(at::KEY).is_none() {
        return if required {
            Err(RecordError::Missing(at::KEY))
        } else {
            Ok(Encryption::Unavailable)
        };
    }
    let key = BrowserPublicKey::from_bytes(item.fixed(at::KEY)?);
    let key = key.map_err(|_| RecordError::Invalid(at::KEY))?;
    Ok(if required {
        Encryption::Required(key)
    } else {
        Encryption::Offered(key)
    })
}

fn decode_state(item: Attributes<'_>) -> Result<State, RecordError> {
    let at = item.instant(at::EXPIRES_AT)?;
    let phone = item.map_if(at::PHONE)?.map(decode_phone).transpose()?;
    let phone = phone.map(Box::new);
    let opened = || phone.clone().ok_or(RecordError::Missing(at::PHONE));
    let fingerprint = || {
        item.fixed(at::FINGERPRINT)
            .map(PayloadFingerprint::from_bytes)
    };
    Ok(match item.text(at::STATE)? {
        status::CREATED => State::Created { expires_at: at },
        status::SCANNED => State::Scanned {
            phone: opened()?,
            expires_at: at,
        },
        status::CONFIRMED => State::Confirmed {
            phone: opened()?,
            at: item.instant(at::CONFIRMED_AT)?,
            payload: payload(item)?.ok_or(RecordError::Missing(at::PAYLOAD))?,
            fingerprint: fingerprint()?,
            redeem_by: at,
        },
        status::CONSUMED => State::Consumed {
            phone: opened()?,
            confirmed_at: item.instant(at::CONFIRMED_AT)?,
            fingerprint: fingerprint()?,
            at,
        },
        status::DENIED => State::Denied {
            phone: opened()?,
            at,
        },
        status::BLOCKED => State::Blocked {
            phone: opened()?,
            at,
            reason: match item.text(at::REASON)? {
                reason::SECOND_PHONE => BlockReason::SecondPhone,
                reason::RISK => BlockReason::Risk,
                _ => return Err(RecordError::Invalid(at::REASON)),
            },
        },
        status::CANCELLED => State::Cancelled { phone, at },
        _ => return Err(RecordError::Invalid(at::STATE)),
    })
}

fn decode_phone(map: Attributes<'_>) -> Result<Phone, RecordError> {
    let user = map.text_if(phone::USER)?.map(str::parse::<ClaimedUserId>);
    let flags = map
        .set(phone::FLAGS)?
        .iter()
        .map(|name| name.parse::<Flag>());
    let flags: Result<Vec<_>, _> = flags.collect();
    Ok(Phone {
        token: MobileTokenHash::from_bytes(map.fixed(phone::TOKEN)?),
        sighting: decode_sighting(map)?,
        user: user
            .transpose()
            .map_err(|_| RecordError::Invalid(phone::USER))?,
        risk: Assessment::of(flags.map_err(|_| RecordError::Invalid(phone::FLAGS))?),
        scanned_at: map.instant(phone::SCANNED_AT)?,
    })
}

fn payload(item: Attributes<'_>) -> Result<Option<Payload>, RecordError> {
    let payload = match item.get(at::PAYLOAD) {
        None => return Ok(None),
        Some(AttributeValue::S(text)) => Payload::clear(text.clone()),
        Some(AttributeValue::B(sealed)) => {
            Payload::encrypted(BASE64_URL_SAFE_NO_PAD.encode(sealed))
        }
        Some(_) => return Err(RecordError::Invalid(at::PAYLOAD)),
    };
    payload
        .map(Some)
        .map_err(|_| RecordError::Invalid(at::PAYLOAD))
}

fn notice(item: Attributes<'_>) -> Result<Option<Box<Notice>>, RecordError> {
    let Some(body) = item.text_if(at::NOTICE)? else {
        return Ok(None);
    };
    Ok(Some(Box::new(Notice {
        body: NoticeBody::from_stored(body.to_owned()),
        delivery: decode_delivery(item)?,
    })))
}
