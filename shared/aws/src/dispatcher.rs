//! What the dispatcher is woken by: batches of pointers from its queues, and the clock.
//!
//! A pointer whose attempt could not be made stays in its queue (`ReportBatchItemFailures`); what
//! cannot be read at all ends in the dead-letter queue. A receiver that fails is no failure here:
//! its attempt was made, and the next one has a pointer of its own.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use countersign_api::Causes;
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::queue::DeliveryQueue;
use countersign_domain::delivery::sender::WebhookSender;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::delivery::store::DeliveryStore;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::use_cases::deliver::{Outcome, deliver};
use countersign_domain::use_cases::sweep::{Occasion, Swept, sweep};
use countersign_domain::use_cases::{Times, deliver, sweep};
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};

use crate::metrics::{EmbeddedMetrics, POINTER_POISONED};
use crate::queue::PointerMessage;
use crate::start::Handler;

/// How many deliveries one sweep takes up, at most; the next finds the rest. What a function can
/// postpone and enqueue within its time.
const SWEPT: usize = 1000;

/// What wakes the dispatcher.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum DispatcherEvent {
    /// A batch from a queue ("Using Lambda with Amazon SQS", Lambda Developer Guide).
    Batch {
        /// The messages.
        #[serde(rename = "Records")]
        records: Vec<SqsRecord>,
    },
    /// The clock, each minute: `{"sweep":true}`.
    Sweep {
        /// There and `true`.
        #[serde(rename = "sweep")]
        _sweep: True,
    },
}

/// The value `true` and no other.
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
    #[serde(rename = "messageId")]
    id: String,
    body: String,
}

/// Which messages stay in the queue.
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

/// Makes attempts, and sweeps.
pub struct Dispatcher {
    /// Where deliveries are kept.
    pub deliveries: Arc<dyn DeliveryStore>,
    /// Where the next pointers go.
    pub queue: Arc<dyn DeliveryQueue>,
    /// Where signatures come from.
    pub signer: Arc<dyn Signer>,
    /// What posts.
    pub sender: Arc<dyn WebhookSender>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Chance, for jitter.
    pub entropy: Arc<dyn Entropy>,
    /// What is counted.
    pub metrics: Arc<EmbeddedMetrics>,
    /// How long confirmations are kept.
    pub times: Times,
}

impl Handler for Dispatcher {
    type Event = DispatcherEvent;
    type Answer = BatchAnswer;
    type Error = Unavailable;

    async fn handle(
        &self,
        event: DispatcherEvent,
        invocation: &str,
    ) -> Result<BatchAnswer, Unavailable> {
        match event {
            // At once, so that a slow receiver costs the others of its batch nothing.
            DispatcherEvent::Batch { records } => {
                let attempts = records.iter().map(|record| self.take(record, invocation));
                let left = join_all(attempts).await;
                let failures = records
                    .into_iter()
                    .zip(left)
                    .filter(|(_, taken)| !taken)
                    .map(|(record, _)| ItemFailure { id: record.id })
                    .collect();
                Ok(BatchAnswer { failures })
            }
            DispatcherEvent::Sweep { .. } => {
                self.sweep(invocation).await?;
                Ok(BatchAnswer::default())
            }
        }
    }
}

impl Dispatcher {
    /// Sees to one message; `false` leaves it in the queue.
    async fn take(&self, record: &SqsRecord, invocation: &str) -> bool {
        let message_id = record.id.as_str();
        let pointer = match PointerMessage::parse(&record.body) {
            Ok(pointer) => pointer,
            Err(cause) => {
                self.metrics.count_named(POINTER_POISONED);
                tracing::error!(invocation, message_id, %cause, "cannot read a pointer");
                return false;
            }
        };
        match self.attempt(pointer).await {
            Ok(Outcome::Stale) => true,
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
                true
            }
            Err(error) => {
                let id = pointer.subject;
                let cause = Causes(&error);
                tracing::error!(invocation, %id, %cause, "cannot deliver");
                false
            }
        }
    }

    async fn attempt(&self, pointer: DeliveryPointer) -> Result<Outcome, Unavailable> {
        let ports = deliver::Ports {
            deliveries: &*self.deliveries,
            queue: &*self.queue,
            signer: &*self.signer,
            sender: &*self.sender,
            clock: &*self.clock,
            entropy: &*self.entropy,
            metrics: &*self.metrics,
        };
        deliver(ports, self.times, pointer).await
    }

    async fn sweep(&self, invocation: &str) -> Result<(), Unavailable> {
        let ports = sweep::Ports {
            deliveries: &*self.deliveries,
            queue: &*self.queue,
            clock: &*self.clock,
            metrics: &*self.metrics,
        };
        let Swept { found, failure } = sweep(ports, SWEPT, Occasion::Minute).await;
        if found > 0 {
            tracing::info!(invocation, count = found, "took up webhooks that were due");
        }
        failure.map_or(Ok(()), Err)
    }
}
