//! Messages of an SNS topic ("Using Lambda with Amazon SNS", Lambda Developer Guide).

use std::fmt;

use serde::Deserialize;

/// The messages that SNS hands over, in practice one.
#[derive(Debug, Deserialize)]
pub struct SnsEvent {
    /// The records, each with one message.
    #[serde(rename = "Records")]
    pub(crate) records: Vec<SnsRecord>,
}

/// A record of an event.
#[derive(Debug, Deserialize)]
pub(crate) struct SnsRecord {
    #[serde(rename = "Sns")]
    pub(crate) sns: SnsMessage,
}

/// A message of a topic. `Debug` leaves its text out.
#[derive(Deserialize)]
pub(crate) struct SnsMessage {
    /// The ARN of the topic.
    #[serde(rename = "TopicArn")]
    pub(crate) topic: String,
    /// The id that SNS gave the message.
    #[serde(rename = "MessageId")]
    pub(crate) id: String,
    /// The text.
    #[serde(rename = "Message")]
    pub(crate) message: String,
}

impl fmt::Debug for SnsMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SnsMessage")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
