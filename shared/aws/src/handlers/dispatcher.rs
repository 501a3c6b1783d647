//! Delivery of webhooks.
//!
//! A pointer stays in its queue if its attempt could not be made, and is moved to the dead-letter queue
//! if it cannot be read. A receiver's failure is not a failure here: the attempt was made, and the next
//! attempt has its own pointer.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use countersign_api::Causes;
use countersign_domain::confirmation::carrier::CarrierLookup;
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::queue::DeliveryQueue;
use countersign_domain::delivery::receivers::SlowReceivers;
use countersign_domain::delivery::sender::WebhookSender;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::event::{Event, Labels, LoginEvent, Metrics as _};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::push::Push;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use countersign_domain::use_cases::deliver::{DeliveryPorts, Outcome, deliver};
use countersign_domain::use_cases::{Ports, Times};
use futures_util::future::join_all;

use super::Handler;
use crate::metrics::{EmbeddedMetrics, POINTER_POISONED};
use crate::queues::{QueueMessage, SqsQueue};
use crate::webhook_secrets::LiveMasterSecrets;

/// Makes delivery attempts.
pub struct Dispatcher {
    /// The store with the pending deliveries.
    pub store: Arc<Store>,
    /// Looks up carriers that the provider did not report, if enabled.
    pub carriers: Option<Arc<dyn CarrierLookup>>,
    /// The queue for later attempts.
    pub queue: Arc<dyn DeliveryQueue>,
    /// The queues from which messages are received.
    pub queues: Arc<SqsQueue>,
    /// The receivers that this process has found slow.
    pub slow: SlowReceivers,
    /// Signs webhooks.
    pub signer: Arc<dyn Signer>,
    /// The secrets from which the apps' webhook secrets are derived.
    pub secrets: LiveMasterSecrets,
    /// Sends webhooks.
    pub sender: Arc<dyn WebhookSender>,
    /// Notifies pages that wait for a verification.
    pub push: Arc<dyn Push>,
    pub clock: Arc<dyn Clock>,
    /// Randomness for the retry jitter.
    pub entropy: Arc<dyn Entropy>,
    /// The counters.
    pub metrics: Arc<EmbeddedMetrics>,
    /// Validity and retention of confirmations.
    pub times: Times,
}

/// The outcome of handling a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MessageOutcome {
    /// The message is removed from its queue.
    Done,
    /// A port failed, and the message is redelivered soon.
    Failed,
    /// The message cannot be read, and is redelivered later.
    Unreadable,
}

impl Handler for Dispatcher {
    type Event = SqsEvent;
    type Response = SqsBatchResponse;
    type Error = Unavailable;

    /// Makes the attempts concurrently, so that a slow receiver does not delay the others of its batch.
    async fn handle(
        &self,
        SqsEvent { records, .. }: SqsEvent,
        invocation: &str,
    ) -> Result<SqsBatchResponse, Unavailable> {
        let attempts = records
            .iter()
            .map(|record| self.handle_message(record, invocation));
        let outcomes = join_all(attempts).await;
        let mut answer = SqsBatchResponse::default();
        for (record, outcome) in records.into_iter().zip(outcomes) {
            if outcome != MessageOutcome::Done {
                answer.add_failure(record.message_id.unwrap_or_default());
            }
        }
        Ok(answer)
    }
}

impl Dispatcher {
    /// Makes the attempt that a message points to.
    async fn handle_message(&self, record: &SqsMessage, invocation: &str) -> MessageOutcome {
        let arn = record.event_source_arn.as_deref().unwrap_or_default();
        let outcome = self.attempt_or_set_aside(record, arn, invocation).await;
        if outcome == MessageOutcome::Failed {
            let receipt = record.receipt_handle.as_deref().unwrap_or_default();
            let received = record.attributes.get("ApproximateReceiveCount");
            let received = received.and_then(|count| count.parse().ok()).unwrap_or(1);
            let again = self.queues.hand_out_again(arn, receipt, received).await;
            if let Err(error) = again {
                // The message is redelivered later.
                tracing::warn!(invocation, cause = %Causes(&error), "cannot hand a message out soon");
            }
        }
        outcome
    }

    async fn attempt_or_set_aside(
        &self,
        record: &SqsMessage,
        arn: &str,
        invocation: &str,
    ) -> MessageOutcome {
        let message_id = record.message_id.as_deref();
        let body = record.body.as_deref().unwrap_or_default();
        let pointer = match body.parse::<QueueMessage>() {
            Ok(QueueMessage::Pointer(pointer)) => pointer,
            Ok(QueueMessage::Page(watcher)) => {
                // Pages also poll.
                if self.push.notify(&watcher).await.is_err() {
                    let failed = Event::Login(LoginEvent::PushFailed);
                    self.metrics.count(&failed, Labels::default());
                }
                return MessageOutcome::Done;
            }
            Err(cause) => {
                self.metrics.count_named(POINTER_POISONED);
                tracing::error!(invocation, message_id, %cause, "cannot read a pointer");
                return MessageOutcome::Unreadable;
            }
        };
        if self.slow.contain(pointer.group) && self.queues.is_first_attempts(arn) {
            match self.queues.set_aside(pointer).await {
                Ok(()) => return MessageOutcome::Done,
                Err(error) => {
                    tracing::warn!(invocation, cause = %Causes(&error), "cannot set a pointer aside");
                }
            }
        }
        match self.attempt(pointer).await {
            Ok(Outcome::Stale) => MessageOutcome::Done,
            Ok(Outcome::Attempted {
                subject,
                number,
                result,
                next_attempt_at,
            }) => {
                let next = next_attempt_at.map(tracing::field::display);
                tracing::info!(
                    invocation,
                    id = %subject,
                    number,
                    ?result,
                    next,
                    "attempted a webhook"
                );
                MessageOutcome::Done
            }
            Err(error) => {
                let id = pointer.subject;
                let cause = Causes(&error);
                tracing::error!(invocation, %id, %cause, "cannot deliver");
                MessageOutcome::Failed
            }
        }
    }

    fn ports(&self) -> Ports<'_> {
        Ports {
            store: &self.store,
            queue: &*self.queue,
            clock: &*self.clock,
            entropy: &*self.entropy,
            metrics: &*self.metrics,
        }
    }

    async fn attempt(&self, pointer: DeliveryPointer) -> Result<Outcome, Unavailable> {
        let secrets = self.secrets.current().await;
        let sending = DeliveryPorts {
            signer: &*self.signer,
            secrets: &secrets,
            sender: &*self.sender,
            carriers: self.carriers.as_deref(),
            push: Some(&*self.push),
            receivers: Some(&self.slow),
        };
        deliver(self.ports(), sending, self.times, pointer).await
    }
}
