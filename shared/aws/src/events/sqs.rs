//! Events of the dispatcher: batches from its queues, and the tick of its schedule.

use serde::{Deserialize, Serialize};

/// An event of the dispatcher.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum DispatcherEvent {
    /// A batch from a queue ("Using Lambda with Amazon SQS", Lambda Developer Guide).
    Batch {
        /// The messages.
        #[serde(rename = "Records")]
        records: Vec<SqsRecord>,
    },
    /// The schedule's tick each minute: `{"sweep":true}`.
    Sweep {
        /// Present and `true`.
        #[serde(rename = "sweep")]
        _sweep: True,
    },
}

/// The value `true`.
#[derive(Debug, Deserialize)]
#[serde(try_from = "bool")]
pub struct True;

impl TryFrom<bool> for True {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, Self::Error> {
        value.then_some(Self).ok_or("must be true")
    }
}

/// A message of a queue.
#[derive(Debug, Deserialize)]
pub struct SqsRecord {
    /// The id that SQS gave the message.
    #[serde(rename = "messageId")]
    pub(crate) id: String,
    /// The text.
    pub(crate) body: String,
}

/// The messages of a batch that stay in their queue (`ReportBatchItemFailures`).
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct BatchAnswer {
    #[serde(rename = "batchItemFailures")]
    failures: Vec<ItemFailure>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct ItemFailure {
    #[serde(rename = "itemIdentifier")]
    id: String,
}

impl FromIterator<SqsRecord> for BatchAnswer {
    /// Leaves these messages in the queue.
    fn from_iter<I: IntoIterator<Item = SqsRecord>>(records: I) -> Self {
        let failures = records
            .into_iter()
            .map(|record| ItemFailure { id: record.id });
        Self {
            failures: failures.collect(),
        }
    }
}
