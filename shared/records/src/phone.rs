//! The stored form of the phone that opened a login, and of the payload that it sent.

use countersign_domain::login::risk::{Assessment, Flag};
use countersign_domain::login::{
    CheckCode, ClaimedUserId, MobileTokenHash, PayDigest, Payload, Phone, VerifiedUser,
};
use serde::{Deserialize, Serialize};

use crate::error::{RecordError, invalid};
use crate::sighting::SightingRecord;
use crate::value::{Bytes, Millis, Text};

/// A phone, embedded in the record of its login.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct PhoneRecord<'a> {
    /// Hash of the phone's token.
    #[serde(rename = "t")]
    token: Bytes<'a>,
    #[serde(rename = "s")]
    sighting: SightingRecord<'a>,
    /// Id of the user that the phone claims to be.
    #[serde(rename = "p", skip_serializing_if = "Option::is_none")]
    user: Option<Text<'a>>,
    /// Names of the risk flags.
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    flags: Vec<Text<'a>>,
    #[serde(rename = "a")]
    scanned_at: Millis,
    /// Owner of the registered key that proved the confirmation.
    #[serde(rename = "v", skip_serializing_if = "Option::is_none")]
    verified: Option<Text<'a>>,
    /// Hash of payload and salt in the proof by that key.
    #[serde(rename = "d", skip_serializing_if = "Option::is_none")]
    pay: Option<Bytes<'a>>,
    /// Code that the phone shows, as a number.
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    check_code: Option<u8>,
}

impl<'a> From<&'a Phone> for PhoneRecord<'a> {
    fn from(phone: &'a Phone) -> Self {
        let flags = phone.risk.flags().iter();
        let verified = phone.verified.as_ref();
        Self {
            token: phone.token.as_bytes().into(),
            sighting: (&phone.sighting).into(),
            user: phone.user.as_ref().map(|user| user.as_str().into()),
            flags: flags.map(|flag| flag.as_str().into()).collect(),
            scanned_at: phone.scanned_at.into(),
            verified: verified.map(|verified| verified.user.as_str().into()),
            pay: verified.map(|verified| verified.pay.as_bytes().into()),
            check_code: phone.check_code.map(CheckCode::number),
        }
    }
}

impl TryFrom<PhoneRecord<'_>> for Phone {
    type Error = RecordError;

    fn try_from(record: PhoneRecord<'_>) -> Result<Self, RecordError> {
        let user = record
            .user
            .map(|user| ClaimedUserId::from_stored(user.as_str()));
        let flags = record
            .flags
            .iter()
            .map(|name| name.as_str().parse::<Flag>());
        let flags: Result<Vec<_>, _> = flags.collect();
        let check_code = record.check_code.map(CheckCode::from_number);
        Ok(Self {
            token: MobileTokenHash::from_bytes(record.token.fixed("token")?),
            sighting: record.sighting.try_into()?,
            user: user.transpose().map_err(invalid("user"))?,
            // An unknown flag is an error, because it might forbid the login.
            risk: Assessment::of(flags.map_err(invalid("flags"))?),
            scanned_at: record.scanned_at.into(),
            verified: verified(record.verified, record.pay)?,
            check_code: check_code.transpose().map_err(invalid("check_code"))?,
        })
    }
}

/// Returns the verified user. User and hash are stored together or not at all.
fn verified(
    user: Option<Text<'_>>,
    pay: Option<Bytes<'_>>,
) -> Result<Option<VerifiedUser>, RecordError> {
    let Some(user) = user else { return Ok(None) };
    let user = ClaimedUserId::from_stored(user.as_str());
    Ok(Some(VerifiedUser {
        user: user.map_err(invalid("verified"))?,
        pay: PayDigest::from_bytes(pay.ok_or(RecordError::Invalid("pay"))?.fixed("pay")?),
    }))
}

/// A payload: a plain text, or an encrypted one.
#[derive(Serialize, Deserialize)]
#[serde(untagged, bound(deserialize = "'de: 'a"))]
pub(crate) enum PayloadRecord<'a> {
    Clear(Text<'a>),
    Encrypted { sealed: Text<'a> },
}

impl<'a> From<&'a Payload> for PayloadRecord<'a> {
    fn from(payload: &'a Payload) -> Self {
        let text = payload.as_str().into();
        if payload.is_encrypted() {
            Self::Encrypted { sealed: text }
        } else {
            Self::Clear(text)
        }
    }
}

impl TryFrom<PayloadRecord<'_>> for Payload {
    type Error = RecordError;

    fn try_from(record: PayloadRecord<'_>) -> Result<Self, RecordError> {
        let payload = match record {
            PayloadRecord::Clear(text) => Self::clear(text.into_string()),
            PayloadRecord::Encrypted { sealed } => Self::encrypted(sealed.into_string()),
        };
        payload.map_err(invalid("payload"))
    }
}
