//! The stored form of a delivery, embedded in the record of its confirmation or login.

use std::time::Duration;

use countersign_domain::delivery::signing::KeyId;
use countersign_domain::delivery::{
    Attempt, AttemptResult, Delivery, FailureReason, KeptSignature, Progress,
};
use serde::{Deserialize, Serialize};

use crate::error::{RecordError, invalid};
use crate::value::{Bytes, Millis, Text};

/// A delivery, flattened into the record of its item. All fields are absent if the item owes no
/// webhook.
#[derive(Default, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct DeliveryRecord<'a> {
    #[serde(rename = "d", skip_serializing_if = "Option::is_none")]
    progress: Option<ProgressTag>,
    #[serde(rename = "dn", skip_serializing_if = "Option::is_none")]
    attempts_claimed: Option<u32>,
    #[serde(rename = "db", skip_serializing_if = "Option::is_none")]
    round_began_at: Option<u32>,
    #[serde(rename = "da", skip_serializing_if = "Option::is_none")]
    attempts: Option<Vec<AttemptRecord<'a>>>,
    #[serde(rename = "dx", skip_serializing_if = "Option::is_none")]
    next_attempt_at: Option<Millis>,
    #[serde(rename = "dd", skip_serializing_if = "Option::is_none")]
    due_at: Option<Millis>,
    #[serde(rename = "dc", skip_serializing_if = "Option::is_none")]
    claimed_at: Option<Millis>,
    /// Time at which the webhook was delivered or given up.
    #[serde(rename = "dt", skip_serializing_if = "Option::is_none")]
    ended_at: Option<Millis>,
    #[serde(rename = "gh", skip_serializing_if = "Option::is_none")]
    body_hash: Option<Bytes<'a>>,
    #[serde(rename = "gk", skip_serializing_if = "Option::is_none")]
    key_id: Option<Text<'a>>,
    /// Signature in DER.
    #[serde(rename = "gs", skip_serializing_if = "Option::is_none")]
    signature: Option<Bytes<'a>>,
}

impl DeliveryRecord<'_> {
    /// Returns the record, or `None` if all fields are absent.
    pub(crate) fn present(self) -> Option<Self> {
        self.progress.is_some().then_some(self)
    }
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ProgressTag {
    /// An attempt is owed.
    #[serde(rename = "p")]
    Pending,
    /// The receiver accepted the webhook.
    #[serde(rename = "d")]
    Delivered,
    /// All attempts failed.
    #[serde(rename = "f")]
    Failed,
}

/// An attempt, embedded in the record of its delivery.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct AttemptRecord<'a> {
    #[serde(rename = "n")]
    number: u32,
    #[serde(rename = "t")]
    at: Millis,
    /// Duration, in milliseconds.
    #[serde(rename = "d")]
    duration: u64,
    /// HTTP status of the answer; absent if there was none.
    #[serde(rename = "s", skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// Reason why there was no answer.
    #[serde(rename = "e", skip_serializing_if = "Option::is_none")]
    reason: Option<Text<'a>>,
}

impl<'a> From<&'a Delivery> for DeliveryRecord<'a> {
    fn from(delivery: &'a Delivery) -> Self {
        let kept = delivery.signature.as_ref();
        let (progress, next_attempt_at, due_at, claimed_at, ended_at) = match delivery.progress {
            Progress::Pending {
                next_attempt_at,
                due_at,
                claimed_at,
            } => (
                ProgressTag::Pending,
                Some(next_attempt_at),
                Some(due_at),
                claimed_at,
                None,
            ),
            Progress::Delivered { at } => (ProgressTag::Delivered, None, None, None, Some(at)),
            Progress::Failed { at } => (ProgressTag::Failed, None, None, None, Some(at)),
        };
        Self {
            progress: Some(progress),
            attempts_claimed: Some(delivery.attempts_claimed),
            round_began_at: Some(delivery.round_began_at),
            attempts: Some(delivery.attempts.iter().map(AttemptRecord::from).collect()),
            next_attempt_at: next_attempt_at.map(Millis::from),
            due_at: due_at.map(Millis::from),
            claimed_at: claimed_at.map(Millis::from),
            ended_at: ended_at.map(Millis::from),
            body_hash: kept.map(|kept| (&kept.body_hash).into()),
            key_id: kept.map(|kept| kept.key_id.as_str().into()),
            signature: kept.map(|kept| kept.der.as_slice().into()),
        }
    }
}

impl TryFrom<DeliveryRecord<'_>> for Delivery {
    type Error = RecordError;

    fn try_from(record: DeliveryRecord<'_>) -> Result<Self, RecordError> {
        let missing = RecordError::Missing;
        Ok(Self {
            attempts_claimed: record.attempts_claimed.ok_or(missing("attempts_claimed"))?,
            round_began_at: record.round_began_at.ok_or(missing("round_began_at"))?,
            progress: match record.progress.ok_or(missing("progress"))? {
                ProgressTag::Pending => Progress::Pending {
                    next_attempt_at: record
                        .next_attempt_at
                        .ok_or(missing("next_attempt_at"))?
                        .into(),
                    due_at: record.due_at.ok_or(missing("due_at"))?.into(),
                    claimed_at: record.claimed_at.map(Into::into),
                },
                ProgressTag::Delivered => Progress::Delivered {
                    at: record.ended_at.ok_or(missing("ended_at"))?.into(),
                },
                ProgressTag::Failed => Progress::Failed {
                    at: record.ended_at.ok_or(missing("ended_at"))?.into(),
                },
            },
            attempts: record
                .attempts
                .unwrap_or_default()
                .into_iter()
                .map(Attempt::try_from)
                .collect::<Result<_, _>>()?,
            signature: match record.signature {
                None => None,
                Some(der) => Some(KeptSignature {
                    body_hash: record
                        .body_hash
                        .ok_or(missing("body_hash"))?
                        .fixed("body_hash")?,
                    key_id: KeyId::from_stored(
                        record.key_id.ok_or(missing("key_id"))?.into_string(),
                    ),
                    der: der.into_vec(),
                }),
            },
        })
    }
}

impl<'a> From<&'a Attempt> for AttemptRecord<'a> {
    fn from(attempt: &'a Attempt) -> Self {
        let (status, reason) = match attempt.result {
            AttemptResult::Answered(status) => (Some(status), None),
            AttemptResult::NoAnswer(reason) => (None, Some(reason.as_str().into())),
        };
        Self {
            number: attempt.number,
            at: attempt.at.into(),
            duration: u64::try_from(attempt.duration.as_millis()).unwrap_or(u64::MAX),
            status,
            reason,
        }
    }
}

impl TryFrom<AttemptRecord<'_>> for Attempt {
    type Error = RecordError;

    fn try_from(record: AttemptRecord<'_>) -> Result<Self, RecordError> {
        Ok(Self {
            number: record.number,
            at: record.at.into(),
            duration: Duration::from_millis(record.duration),
            result: match (record.status, record.reason) {
                (Some(status), _) => AttemptResult::Answered(status),
                (None, None) => return Err(RecordError::Missing("status")),
                (None, Some(reason)) => reason
                    .as_str()
                    .parse::<FailureReason>()
                    .map(AttemptResult::NoAnswer)
                    .map_err(invalid("reason"))?,
            },
        })
    }
}
