//! A delivery as it is stored, inside its confirmation's record.

use std::borrow::Cow;
use std::time::Duration;

use countersign_domain::delivery::signing::KeyId;
use countersign_domain::delivery::{
    Attempt, AttemptResult, Delivery, FailureReason, KeptSignature, Progress,
};
use countersign_domain::primitives::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{RecordError, fixed, from_base64, instant, to_base64};

#[derive(Serialize, Deserialize)]
pub(super) struct DeliveryRecord<'a> {
    #[serde(rename = "n")]
    attempts_claimed: u32,
    #[serde(rename = "b")]
    round_began_at: u32,
    #[serde(rename = "a", borrow, default, skip_serializing_if = "Vec::is_empty")]
    attempts: Vec<AttemptRecord<'a>>,
    #[serde(rename = "s", borrow, default, skip_serializing_if = "Option::is_none")]
    signature: Option<SignatureRecord<'a>>,
    #[serde(rename = "p")]
    progress: ProgressRecord,
}

#[derive(Serialize, Deserialize)]
enum ProgressRecord {
    #[serde(rename = "p")]
    Pending {
        #[serde(rename = "n")]
        next_attempt_at: u64,
        #[serde(rename = "d")]
        due_at: u64,
        #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
        claimed_at: Option<u64>,
    },
    #[serde(rename = "d")]
    Delivered {
        #[serde(rename = "t")]
        at: u64,
    },
    #[serde(rename = "f")]
    Failed {
        #[serde(rename = "t")]
        at: u64,
    },
}

#[derive(Serialize, Deserialize)]
struct AttemptRecord<'a> {
    #[serde(rename = "n")]
    number: u32,
    #[serde(rename = "t")]
    at: u64,
    #[serde(rename = "d")]
    duration: u64,
    #[serde(rename = "r", borrow)]
    result: ResultRecord<'a>,
}

#[derive(Serialize, Deserialize)]
enum ResultRecord<'a> {
    #[serde(rename = "s")]
    Status(u16),
    #[serde(rename = "e", borrow)]
    Reason(Cow<'a, str>),
}

#[derive(Serialize, Deserialize)]
struct SignatureRecord<'a> {
    #[serde(rename = "h", borrow)]
    body_hash: Cow<'a, str>,
    #[serde(rename = "k", borrow)]
    key_id: Cow<'a, str>,
    #[serde(rename = "s", borrow)]
    der: Cow<'a, str>,
}

impl<'a> DeliveryRecord<'a> {
    pub(super) fn of(delivery: &'a Delivery) -> Self {
        Self {
            attempts_claimed: delivery.attempts_claimed,
            round_began_at: delivery.round_began_at,
            attempts: delivery.attempts.iter().map(AttemptRecord::of).collect(),
            signature: delivery.signature.as_ref().map(|kept| SignatureRecord {
                body_hash: to_base64(&kept.body_hash).into(),
                key_id: kept.key_id.as_str().into(),
                der: to_base64(&kept.der).into(),
            }),
            progress: match delivery.progress {
                Progress::Pending {
                    next_attempt_at,
                    due_at,
                    claimed_at,
                } => ProgressRecord::Pending {
                    next_attempt_at: next_attempt_at.as_millis(),
                    due_at: due_at.as_millis(),
                    claimed_at: claimed_at.map(Timestamp::as_millis),
                },
                Progress::Delivered { at } => ProgressRecord::Delivered { at: at.as_millis() },
                Progress::Failed { at } => ProgressRecord::Failed { at: at.as_millis() },
            },
        }
    }

    pub(super) fn read(self) -> Result<Delivery, RecordError> {
        Ok(Delivery {
            attempts_claimed: self.attempts_claimed,
            round_began_at: self.round_began_at,
            attempts: self
                .attempts
                .into_iter()
                .map(AttemptRecord::read)
                .collect::<Result<_, _>>()?,
            signature: self.signature.map(SignatureRecord::read).transpose()?,
            progress: match self.progress {
                ProgressRecord::Pending {
                    next_attempt_at,
                    due_at,
                    claimed_at,
                } => Progress::Pending {
                    next_attempt_at: instant(next_attempt_at),
                    due_at: instant(due_at),
                    claimed_at: claimed_at.map(instant),
                },
                ProgressRecord::Delivered { at } => Progress::Delivered { at: instant(at) },
                ProgressRecord::Failed { at } => Progress::Failed { at: instant(at) },
            },
        })
    }
}

impl AttemptRecord<'_> {
    fn of(attempt: &Attempt) -> Self {
        Self {
            number: attempt.number,
            at: attempt.at.as_millis(),
            duration: u64::try_from(attempt.duration.as_millis()).unwrap_or(u64::MAX),
            result: match attempt.result {
                AttemptResult::Answered(status) => ResultRecord::Status(status),
                AttemptResult::NoAnswer(reason) => ResultRecord::Reason(reason.as_str().into()),
            },
        }
    }

    fn read(self) -> Result<Attempt, RecordError> {
        Ok(Attempt {
            number: self.number,
            at: instant(self.at),
            duration: Duration::from_millis(self.duration),
            result: match self.result {
                ResultRecord::Status(status) => AttemptResult::Answered(status),
                ResultRecord::Reason(name) => name
                    .parse::<FailureReason>()
                    .map(AttemptResult::NoAnswer)
                    .map_err(|_| RecordError::Member("reason"))?,
            },
        })
    }
}

impl SignatureRecord<'_> {
    fn read(self) -> Result<KeptSignature, RecordError> {
        Ok(KeptSignature {
            body_hash: fixed(&self.body_hash, "body_hash")?,
            key_id: KeyId::from_stored(self.key_id.into_owned()),
            der: from_base64(&self.der, "der")?,
        })
    }
}
