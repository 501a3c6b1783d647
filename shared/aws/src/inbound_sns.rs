//! Texts that arrive by the SNS topic of AWS End User Messaging.
//!
//! SNS calls the function with one record for each message. A record that cannot be read fails the
//! invocation, so that SNS brings it again and then keeps it in the dead-letter queue: it was
//! acknowledged to nobody yet, and a person can look at it there.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use countersign_domain::app::store::AppStore;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::delivery::queue::DeliveryQueue;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::use_cases::Times;
use countersign_domain::use_cases::receive_text::{Ports, receive_text};
use countersign_inbound::{MalformedText, end_user_messaging};
use serde::Deserialize;
use thiserror::Error;

use crate::configuration::TopicArn;
use crate::metrics::{EmbeddedMetrics, TEXT_POISONED};
use crate::start::Handler;

/// As much of an SNS event as is needed ("Using Lambda with Amazon SNS", Lambda Developer Guide).
#[derive(Debug, Deserialize)]
pub struct SnsEvent {
    #[serde(rename = "Records")]
    records: Vec<SnsRecord>,
}

#[derive(Debug, Deserialize)]
struct SnsRecord {
    #[serde(rename = "Sns")]
    sns: SnsMessage,
}

/// A message of a topic. `Debug` shows no text.
#[derive(Deserialize)]
struct SnsMessage {
    #[serde(rename = "TopicArn")]
    topic: String,
    #[serde(rename = "MessageId")]
    id: String,
    #[serde(rename = "Message")]
    message: String,
}

impl fmt::Debug for SnsMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SnsMessage")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Why a message of the topic was not taken.
#[derive(Debug, Error)]
pub enum InboundSnsError {
    /// It came by another topic than the configured one.
    #[error("a message came by a topic that is not ours")]
    ForeignTopic,
    /// It is no text of AWS End User Messaging.
    #[error("a message of the topic is no text")]
    Malformed(#[source] MalformedText),
    /// Something of ours did not work.
    #[error("a text could not be taken")]
    Unavailable(#[from] Unavailable),
}

/// Takes texts.
pub struct InboundSns {
    /// Where sessions are kept.
    pub confirmations: Arc<dyn ConfirmationStore>,
    /// Which prefixes and numbers are ours.
    pub apps: Arc<dyn AppStore>,
    /// What wakes the dispatcher.
    pub queue: Arc<dyn DeliveryQueue>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// What is counted.
    pub metrics: Arc<EmbeddedMetrics>,
    /// How long sessions are kept.
    pub times: Times,
    /// The one topic that may bring texts.
    pub topic: TopicArn,
}

impl Handler for InboundSns {
    type Event = SnsEvent;
    type Answer = ();
    type Error = InboundSnsError;

    /// Takes every record, those after one that failed too.
    async fn handle(&self, event: SnsEvent, invocation: &str) -> Result<(), InboundSnsError> {
        let mut outcome = Ok(());
        for SnsRecord { sns } in event.records {
            if let Err(error) = self.take(&sns, invocation).await {
                outcome = Err(error);
            }
        }
        outcome
    }
}

impl InboundSns {
    async fn take(&self, sns: &SnsMessage, invocation: &str) -> Result<(), InboundSnsError> {
        let message = self.read(sns).inspect_err(|_| {
            self.metrics.count_named(TEXT_POISONED);
        })?;
        let ports = Ports {
            store: &*self.confirmations,
            apps: &*self.apps,
            queue: &*self.queue,
            clock: &*self.clock,
            metrics: &*self.metrics,
        };
        let received = receive_text(ports, self.times, &message).await?;
        tracing::info!(
            invocation,
            message_id = sns.id,
            confirmation_id = received.confirmation().map(tracing::field::display),
            text = received.event().name(),
            sender = message.masked_sender(),
            "took a text"
        );
        Ok(())
    }

    fn read(&self, sns: &SnsMessage) -> Result<InboundMessage, InboundSnsError> {
        if sns.topic != self.topic.as_str() {
            return Err(InboundSnsError::ForeignTopic);
        }
        end_user_messaging::parse(&sns.message).map_err(InboundSnsError::Malformed)
    }
}
