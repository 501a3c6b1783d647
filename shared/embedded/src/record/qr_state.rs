//! Where a QR session stands, as it is stored inside its record.

use std::borrow::Cow;

use countersign_domain::login::risk::{Assessment, Flag};
use countersign_domain::login::{
    BlockReason, ClaimedUserId, MobileTokenHash, Payload, PayloadFingerprint, Phone, State,
};
use serde::{Deserialize, Serialize};

use super::sighting::SightingRecord;
use super::{RecordError, fixed, instant, to_base64};

#[derive(Serialize, Deserialize)]
pub(super) enum StateRecord<'a> {
    #[serde(rename = "n")]
    Created {
        #[serde(rename = "x")]
        expires_at: u64,
    },
    #[serde(rename = "s")]
    Scanned {
        #[serde(rename = "p", borrow)]
        phone: Box<PhoneRecord<'a>>,
        #[serde(rename = "x")]
        expires_at: u64,
    },
    #[serde(rename = "y")]
    Confirmed {
        #[serde(rename = "p", borrow)]
        phone: Box<PhoneRecord<'a>>,
        #[serde(rename = "t")]
        at: u64,
        #[serde(rename = "l", borrow)]
        payload: PayloadRecord<'a>,
        #[serde(rename = "f", borrow)]
        fingerprint: Cow<'a, str>,
        #[serde(rename = "x")]
        redeem_by: u64,
    },
    #[serde(rename = "r")]
    Consumed {
        #[serde(rename = "p", borrow)]
        phone: Box<PhoneRecord<'a>>,
        #[serde(rename = "c")]
        confirmed_at: u64,
        #[serde(rename = "f", borrow)]
        fingerprint: Cow<'a, str>,
        #[serde(rename = "t")]
        at: u64,
    },
    #[serde(rename = "d")]
    Denied {
        #[serde(rename = "p", borrow)]
        phone: Box<PhoneRecord<'a>>,
        #[serde(rename = "t")]
        at: u64,
    },
    #[serde(rename = "b")]
    Blocked {
        #[serde(rename = "p", borrow)]
        phone: Box<PhoneRecord<'a>>,
        #[serde(rename = "t")]
        at: u64,
        #[serde(rename = "w")]
        reason: ReasonRecord,
    },
    #[serde(rename = "c")]
    Cancelled {
        #[serde(rename = "p", borrow, default, skip_serializing_if = "Option::is_none")]
        phone: Option<Box<PhoneRecord<'a>>>,
        #[serde(rename = "t")]
        at: u64,
    },
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) enum ReasonRecord {
    #[serde(rename = "p")]
    SecondPhone,
    #[serde(rename = "r")]
    Risk,
}

#[derive(Serialize, Deserialize)]
pub(super) struct PhoneRecord<'a> {
    #[serde(rename = "t", borrow)]
    token: Cow<'a, str>,
    #[serde(rename = "s", borrow)]
    sighting: SightingRecord<'a>,
    #[serde(rename = "u", borrow, default, skip_serializing_if = "Option::is_none")]
    user: Option<Cow<'a, str>>,
    #[serde(rename = "r", borrow, default, skip_serializing_if = "Vec::is_empty")]
    risk: Vec<Cow<'a, str>>,
    #[serde(rename = "c")]
    scanned_at: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct PayloadRecord<'a> {
    #[serde(rename = "t", borrow)]
    text: Cow<'a, str>,
    #[serde(rename = "e", default)]
    encrypted: bool,
}

impl<'a> StateRecord<'a> {
    pub(super) fn of(state: &'a State) -> Self {
        let phone_of = |phone: &'a Phone| Box::new(PhoneRecord::of(phone));
        match state {
            State::Created { expires_at } => Self::Created {
                expires_at: expires_at.as_millis(),
            },
            State::Scanned { phone, expires_at } => Self::Scanned {
                phone: phone_of(phone),
                expires_at: expires_at.as_millis(),
            },
            State::Confirmed {
                phone,
                at,
                payload,
                fingerprint,
                redeem_by,
            } => Self::Confirmed {
                phone: phone_of(phone),
                at: at.as_millis(),
                payload: PayloadRecord::of(payload),
                fingerprint: to_base64(fingerprint.as_bytes()).into(),
                redeem_by: redeem_by.as_millis(),
            },
            State::Consumed {
                phone,
                confirmed_at,
                fingerprint,
                at,
            } => Self::Consumed {
                phone: phone_of(phone),
                confirmed_at: confirmed_at.as_millis(),
                fingerprint: to_base64(fingerprint.as_bytes()).into(),
                at: at.as_millis(),
            },
            State::Denied { phone, at } => Self::Denied {
                phone: phone_of(phone),
                at: at.as_millis(),
            },
            State::Blocked { phone, at, reason } => Self::Blocked {
                phone: phone_of(phone),
                at: at.as_millis(),
                reason: match reason {
                    BlockReason::SecondPhone => ReasonRecord::SecondPhone,
                    BlockReason::Risk => ReasonRecord::Risk,
                },
            },
            State::Cancelled { phone, at } => Self::Cancelled {
                phone: phone.as_deref().map(phone_of),
                at: at.as_millis(),
            },
        }
    }

    pub(super) fn read(self) -> Result<State, RecordError> {
        Ok(match self {
            Self::Created { expires_at } => State::Created {
                expires_at: instant(expires_at),
            },
            Self::Scanned { phone, expires_at } => State::Scanned {
                phone: phone.read()?,
                expires_at: instant(expires_at),
            },
            Self::Confirmed {
                phone,
                at,
                payload,
                fingerprint,
                redeem_by,
            } => State::Confirmed {
                phone: phone.read()?,
                at: instant(at),
                payload: payload.read()?,
                fingerprint: known_by(&fingerprint)?,
                redeem_by: instant(redeem_by),
            },
            Self::Consumed {
                phone,
                confirmed_at,
                fingerprint,
                at,
            } => State::Consumed {
                phone: phone.read()?,
                confirmed_at: instant(confirmed_at),
                fingerprint: known_by(&fingerprint)?,
                at: instant(at),
            },
            Self::Denied { phone, at } => State::Denied {
                phone: phone.read()?,
                at: instant(at),
            },
            Self::Blocked { phone, at, reason } => State::Blocked {
                phone: phone.read()?,
                at: instant(at),
                reason: match reason {
                    ReasonRecord::SecondPhone => BlockReason::SecondPhone,
                    ReasonRecord::Risk => BlockReason::Risk,
                },
            },
            Self::Cancelled { phone, at } => State::Cancelled {
                phone: phone.map(|phone| phone.read()).transpose()?,
                at: instant(at),
            },
        })
    }
}

fn known_by(text: &str) -> Result<PayloadFingerprint, RecordError> {
    fixed(text, "fingerprint").map(PayloadFingerprint::from_bytes)
}

impl<'a> PhoneRecord<'a> {
    fn of(phone: &'a Phone) -> Self {
        let flags = phone.risk.flags().iter();
        Self {
            token: to_base64(phone.token.as_bytes()).into(),
            sighting: SightingRecord::of(&phone.sighting),
            user: phone.user.as_ref().map(|user| user.as_str().into()),
            risk: flags.map(|flag| flag.as_str().into()).collect(),
            scanned_at: phone.scanned_at.as_millis(),
        }
    }

    fn read(self) -> Result<Box<Phone>, RecordError> {
        let flags = self.risk.iter().map(|name| name.parse::<Flag>());
        let flags: Result<Vec<Flag>, _> = flags.collect();
        Ok(Box::new(Phone {
            token: MobileTokenHash::from_bytes(fixed(&self.token, "token")?),
            sighting: self.sighting.read()?,
            user: self
                .user
                .map(|user| user.parse::<ClaimedUserId>())
                .transpose()
                .map_err(|_| RecordError::Member("user"))?,
            // A flag that is not known might forbid the login.
            risk: Assessment::of(flags.map_err(|_| RecordError::Member("risk"))?),
            scanned_at: instant(self.scanned_at),
        }))
    }
}

impl<'a> PayloadRecord<'a> {
    fn of(payload: &'a Payload) -> Self {
        Self {
            text: payload.as_str().into(),
            encrypted: payload.is_encrypted(),
        }
    }

    fn read(self) -> Result<Payload, RecordError> {
        let text = self.text.into_owned();
        let read = if self.encrypted {
            Payload::encrypted(text)
        } else {
            Payload::clear(text)
        };
        read.map_err(|_| RecordError::Member("payload"))
    }
}
