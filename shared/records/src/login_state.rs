//! The state of a login.

use countersign_domain::login::{
    BlockReason, CheckCode, DenialPayload, MissedCodes, PayloadFingerprint, Phone, PhonePayload,
    Proof, ReceiptHash, Redeemed, Salt, State,
};
use countersign_domain::primitives::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::{RecordError, invalid};
use crate::phone::PayloadRecord;
use crate::value::{Bytes, Millis, Text};

/// A login's state. Its fields stand among those of the login's record, which has the phone and the
/// time at which the state ends, or ended, too.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct StateRecord<'a> {
    #[serde(rename = "s")]
    status: StatusTag,
    #[serde(rename = "f", skip_serializing_if = "Option::is_none")]
    confirmed_at: Option<Millis>,
    #[serde(rename = "y", skip_serializing_if = "Option::is_none")]
    payload: Option<PayloadRecord<'a>>,
    /// The salt beside a readable payload.
    #[serde(rename = "ys", skip_serializing_if = "Option::is_none")]
    salt: Option<Bytes<'a>>,
    #[serde(rename = "yp", skip_serializing_if = "Option::is_none")]
    proof: Option<Text<'a>>,
    /// Hash that recognises the confirmation once the payload is gone.
    #[serde(rename = "h", skip_serializing_if = "Option::is_none")]
    fingerprint: Option<Bytes<'a>>,
    /// Hash of the receipt that redeemed a sealed payload.
    #[serde(rename = "yr", skip_serializing_if = "Option::is_none")]
    receipt: Option<Bytes<'a>>,
    /// The time until which the same receipt redeems it again.
    #[serde(rename = "yu", skip_serializing_if = "Option::is_none")]
    redeem_until: Option<Millis>,
    /// Wrong check codes that the browser has sent, as numbers.
    #[serde(rename = "ym", default, skip_serializing_if = "Vec::is_empty")]
    missed: Vec<u8>,
    /// The reason for blocking it.
    #[serde(rename = "q", skip_serializing_if = "Option::is_none")]
    reason: Option<ReasonTag>,
    /// What the phone sent with a denial.
    #[serde(rename = "yd", skip_serializing_if = "Option::is_none")]
    denial: Option<Text<'a>>,
}

/// The name of a login's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StatusTag {
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

/// The reason why a login was blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ReasonTag {
    /// A second phone opened it.
    #[serde(rename = "p")]
    SecondPhone,
    /// The risk was too high.
    #[serde(rename = "r")]
    Risk,
    /// The phone was told another key, page or app than the id vouches for.
    #[serde(rename = "k")]
    KeyMismatch,
    /// The browser sent too many wrong check codes.
    #[serde(rename = "c")]
    CheckCode,
}

impl StateRecord<'_> {
    const fn of(status: StatusTag) -> Self {
        Self {
            status,
            confirmed_at: None,
            payload: None,
            salt: None,
            proof: None,
            fingerprint: None,
            receipt: None,
            redeem_until: None,
            missed: Vec::new(),
            reason: None,
            denial: None,
        }
    }
}

impl<'a> StateRecord<'a> {
    fn with_payload(self, payload: &'a PhonePayload) -> Self {
        Self {
            payload: Some(payload.payload().into()),
            salt: payload.salt().map(|salt| salt.as_bytes().into()),
            proof: payload.proof().map(|proof| proof.as_str().into()),
            ..self
        }
    }

    fn redeemed(self, redeemed: &'a Redeemed) -> Self {
        match redeemed {
            Redeemed::Removed { proof } => Self {
                proof: proof.as_ref().map(|proof| proof.as_str().into()),
                ..self
            },
            Redeemed::Sealed {
                payload,
                receipt,
                until,
            } => Self {
                receipt: Some(receipt.as_bytes().into()),
                redeem_until: Some((*until).into()),
                ..self.with_payload(payload)
            },
        }
    }
}

impl<'a> From<&'a State> for StateRecord<'a> {
    fn from(state: &'a State) -> Self {
        match state {
            State::Created { .. } => Self::of(StatusTag::Created),
            State::Scanned { .. } => Self::of(StatusTag::Scanned),
            State::Confirmed {
                at,
                payload,
                fingerprint,
                missed,
                ..
            } => Self {
                missed: missed.codes().iter().map(|code| code.number()).collect(),
                confirmed_at: Some((*at).into()),
                fingerprint: Some(fingerprint.as_bytes().into()),
                ..Self::of(StatusTag::Confirmed).with_payload(payload)
            },
            State::Consumed {
                confirmed_at,
                fingerprint,
                redeemed,
                ..
            } => Self {
                confirmed_at: Some((*confirmed_at).into()),
                fingerprint: Some(fingerprint.as_bytes().into()),
                ..Self::of(StatusTag::Consumed).redeemed(redeemed)
            },
            State::Denied { payload, .. } => Self {
                denial: Some(payload.as_str().into()),
                ..Self::of(StatusTag::Denied)
            },
            State::Blocked { reason, .. } => Self {
                reason: Some(reason.into()),
                denial: match reason {
                    BlockReason::KeyMismatch(payload) => Some(payload.as_str().into()),
                    BlockReason::SecondPhone | BlockReason::Risk | BlockReason::CheckCode => None,
                },
                ..Self::of(StatusTag::Blocked)
            },
            State::Cancelled { .. } => Self::of(StatusTag::Cancelled),
        }
    }
}

impl StateRecord<'_> {
    /// Restores the state of a login that this phone opened, and that ends, or ended, then.
    pub(crate) fn restore(self, phone: Option<Phone>, at: Timestamp) -> Result<State, RecordError> {
        let missing = RecordError::Missing;
        Ok(match (self.status, phone.map(Box::new)) {
            (StatusTag::Created, _) => State::Created { expires_at: at },
            (StatusTag::Cancelled, phone) => State::Cancelled { phone, at },
            (_, None) => return Err(missing("phone")),
            (StatusTag::Scanned, Some(phone)) => State::Scanned {
                phone,
                expires_at: at,
            },
            (StatusTag::Confirmed, Some(phone)) => State::Confirmed {
                phone,
                at: self.confirmed_at()?,
                fingerprint: self.fingerprint()?,
                missed: self.missed()?,
                payload: self.payload()?.ok_or(missing("payload"))?,
                redeem_by: at,
            },
            (StatusTag::Consumed, Some(phone)) => State::Consumed {
                phone,
                confirmed_at: self.confirmed_at()?,
                fingerprint: self.fingerprint()?,
                redeemed: self.restore_redeemed()?,
                at,
            },
            (StatusTag::Denied, Some(phone)) => State::Denied {
                phone,
                at,
                payload: self.denial()?,
            },
            (StatusTag::Blocked, Some(phone)) => State::Blocked {
                phone,
                at,
                reason: match self.reason.ok_or(missing("reason"))? {
                    ReasonTag::SecondPhone => BlockReason::SecondPhone,
                    ReasonTag::Risk => BlockReason::Risk,
                    ReasonTag::KeyMismatch => BlockReason::KeyMismatch(self.denial()?),
                    ReasonTag::CheckCode => BlockReason::CheckCode,
                },
            },
        })
    }

    fn confirmed_at(&self) -> Result<Timestamp, RecordError> {
        let at = self.confirmed_at;
        Ok(at.ok_or(RecordError::Missing("confirmed_at"))?.into())
    }

    fn fingerprint(&self) -> Result<PayloadFingerprint, RecordError> {
        let bytes = self.fingerprint.as_ref();
        let bytes = bytes.ok_or(RecordError::Missing("fingerprint"))?;
        bytes
            .fixed("fingerprint")
            .map(PayloadFingerprint::from_bytes)
    }

    fn missed(&self) -> Result<MissedCodes, RecordError> {
        let codes = self.missed.iter();
        let codes = codes.map(|number| CheckCode::from_number(*number));
        let codes = codes.collect::<Result<_, _>>();
        codes
            .and_then(MissedCodes::from_codes)
            .map_err(invalid("missed"))
    }

    fn denial(self) -> Result<DenialPayload, RecordError> {
        let text = self.denial.ok_or(RecordError::Missing("denial"))?;
        DenialPayload::new(text.into_string()).map_err(invalid("denial"))
    }

    fn proof(&self) -> Result<Option<Proof>, RecordError> {
        let proof = self.proof.as_ref();
        let proof = proof.map(|proof| proof.as_str().parse::<Proof>());
        proof.transpose().map_err(invalid("proof"))
    }

    fn payload(self) -> Result<Option<PhonePayload>, RecordError> {
        let proof = self.proof()?;
        let Some(payload) = self.payload else {
            return Ok(None);
        };
        let salt = self.salt.map(|salt| salt.fixed("salt"));
        let salt = salt.transpose()?.map(Salt::from_bytes);
        let payload = PhonePayload::new(payload.try_into()?, salt, proof);
        payload.map(Some).map_err(invalid("salt"))
    }

    fn restore_redeemed(self) -> Result<Redeemed, RecordError> {
        let Some(receipt) = &self.receipt else {
            let proof = self.proof()?;
            return Ok(Redeemed::Removed { proof });
        };
        let missing = RecordError::Missing;
        Ok(Redeemed::Sealed {
            receipt: receipt.fixed("receipt").map(ReceiptHash::from_bytes)?,
            until: self.redeem_until.ok_or(missing("redeem_until"))?.into(),
            payload: self.payload()?.ok_or(missing("payload"))?,
        })
    }
}

impl From<&BlockReason> for ReasonTag {
    fn from(reason: &BlockReason) -> Self {
        match reason {
            BlockReason::SecondPhone => Self::SecondPhone,
            BlockReason::Risk => Self::Risk,
            BlockReason::KeyMismatch(_) => Self::KeyMismatch,
            BlockReason::CheckCode => Self::CheckCode,
        }
    }
}
