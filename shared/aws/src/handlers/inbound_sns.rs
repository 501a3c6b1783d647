//! Texts from the SNS topic of AWS End User Messaging.
//!
//! A record that cannot be read fails the invocation. SNS then retries it, and finally moves it to
//! the dead-letter queue, where an operator can examine it.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use aws_lambda_events::sns::{SnsEvent, SnsMessage};
use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::delivery::queue::DeliveryQueue;
use countersign_domain::event::{Event, Labels, Metrics as _};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::push::Push;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use countersign_domain::use_cases::receive_text::receive_text;
use countersign_domain::use_cases::{Ports, Times};
use countersign_inbound::{MalformedText, end_user_messaging};
use thiserror::Error;

use super::Handler;
use crate::config::TopicArn;
use crate::metrics::{EmbeddedMetrics, TEXT_POISONED};

/// A message of the topic could not be handled.
#[derive(Debug, Error)]
pub enum InboundSnsError {
    /// The message came from a topic other than the configured one.
    #[error("the message came from a different topic")]
    ForeignTopic,
    /// The message is not a text of AWS End User Messaging.
    #[error("the message is not a text")]
    Malformed(#[source] MalformedText),
    /// The store or the queue is unavailable.
    #[error("cannot handle the text")]
    Unavailable(#[from] Unavailable),
}

/// Verifies confirmations with the texts that arrive.
pub struct InboundSns {
    /// The store of confirmations, and of the prefixes and numbers of apps.
    pub store: Arc<Store>,
    /// The queue that wakes the dispatcher.
    pub queue: Arc<dyn DeliveryQueue>,
    /// Tells a confirmation's page that a text contained its code but did not count.
    pub pages: Arc<dyn Push>,
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// The counters.
    pub metrics: Arc<EmbeddedMetrics>,
    /// Validity and retention of confirmations.
    pub times: Times,
    /// The topic that delivers texts. Messages of other topics are refused.
    pub topic: TopicArn,
}

impl Handler for InboundSns {
    type Event = SnsEvent;
    type Response = ();
    type Error = InboundSnsError;

    /// Handles every record, including those after a failed one.
    async fn handle(&self, event: SnsEvent, invocation: &str) -> Result<(), InboundSnsError> {
        let mut outcome = Ok(());
        for record in event.records {
            if let Err(error) = self.handle_message(&record.sns, invocation).await {
                outcome = Err(error);
            }
        }
        outcome
    }
}

impl InboundSns {
    async fn handle_message(
        &self,
        sns: &SnsMessage,
        invocation: &str,
    ) -> Result<(), InboundSnsError> {
        let read = self.read(sns).inspect_err(|_| {
            self.metrics.count_named(TEXT_POISONED);
        })?;
        let Some(message) = read else {
            let labels = Labels {
                provider: Some(end_user_messaging::NAME),
                ..Labels::default()
            };
            self.metrics.count(&Event::InboundIgnored, labels);
            tracing::info!(invocation, message_id = sns.message_id, "ignored an event");
            return Ok(());
        };
        let ports = Ports {
            store: &self.store,
            queue: &*self.queue,
            clock: &*self.clock,
            entropy: &*self.entropy,
            metrics: &*self.metrics,
        };
        let pages = Some(&*self.pages);
        let (received, sender) = receive_text(ports, pages, self.times, &message).await?;
        tracing::info!(
            invocation,
            provider = message.provider,
            message_id = sns.message_id,
            confirmation_id = received.confirmation().map(tracing::field::display),
            text = received.event().name(),
            sender = sender.map(|sender| sender.masked()),
            "took a text"
        );
        Ok(())
    }

    /// Returns the text in a message, if there is one.
    fn read(&self, sns: &SnsMessage) -> Result<Option<InboundMessage>, InboundSnsError> {
        if sns.topic_arn != self.topic.as_str() {
            return Err(InboundSnsError::ForeignTopic);
        }
        end_user_messaging::parse(&sns.message).map_err(InboundSnsError::Malformed)
    }
}
