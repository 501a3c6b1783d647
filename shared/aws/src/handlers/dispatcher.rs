//! Delivery of webhooks.
//!
//! A pointer stays in its queue if its attempt could not be made, and ends in the dead-letter queue
//! if it cannot be read. A receiver's failure is no failure here: the attempt was made, and the next
//! one has a pointer of its own.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use countersign_api::Causes;
use countersign_domain::confirmation::carrier::CarrierLookup;
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::due::DueIndex;
use countersign_domain::delivery::queue::DeliveryQueue;
use countersign_domain::delivery::sender::WebhookSender;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use countersign_domain::use_cases::deliver::{Outcome, Sending, deliver};
use countersign_domain::use_cases::sweep::{Swept, sweep};
use countersign_domain::use_cases::{Ports, Times};
use futures_util::future::join_all;
use serde::Deserialize;

use super::Handler;
use crate::metrics::{EmbeddedMetrics, POINTER_POISONED};
use crate::queues::PointerMessage;

/// Largest number of deliveries that one sweep enqueues; the next sweep finds the rest. A function
/// manages this many within its timeout.
const MAX_SWEPT: usize = 1000;

/// Makes attempts, and sweeps each minute.
pub struct Dispatcher {
    /// Keeps what is owed.
    pub store: Arc<Store>,
    /// Lists the deliveries whose pointers may be lost.
    pub due: Arc<dyn DueIndex>,
    /// Looks up carriers that no provider named, if that is on.
    pub carriers: Option<Arc<dyn CarrierLookup>>,
    /// The queue for later attempts.
    pub queue: Arc<dyn DeliveryQueue>,
    /// Signs webhooks.
    pub signer: Arc<dyn Signer>,
    /// Sends webhooks.
    pub sender: Arc<dyn WebhookSender>,
    pub clock: Arc<dyn Clock>,
    /// Randomness for the jitter of retries.
    pub entropy: Arc<dyn Entropy>,
    /// The counters.
    pub metrics: Arc<EmbeddedMetrics>,
    /// Time that confirmations are kept.
    pub times: Times,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum DispatcherEvent {
    /// A batch from a queue.
    Batch(SqsEvent),
    /// The tick of its schedule each minute: `{"sweep":true}`.
    Sweep {
        /// Present, and no more is asked of it.
        #[serde(rename = "sweep")]
        _sweep: bool,
    },
}

/// Fate of a message: it leaves its queue or is handed out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Yes,
    No,
}

impl Handler for Dispatcher {
    type Event = DispatcherEvent;
    type Response = SqsBatchResponse;
    type Error = Unavailable;

    async fn handle(
        &self,
        event: DispatcherEvent,
        invocation: &str,
    ) -> Result<SqsBatchResponse, Unavailable> {
        match event {
            // Concurrently, so that a slow receiver does not delay the others of its batch.
            DispatcherEvent::Batch(SqsEvent { records, .. }) => {
                let attempts = records.iter().map(|record| self.take(record, invocation));
                let taken = join_all(attempts).await;
                let mut answer = SqsBatchResponse::default();
                for (record, taken) in records.into_iter().zip(taken) {
                    if taken == Taken::No {
                        answer.add_failure(record.message_id.unwrap_or_default());
                    }
                }
                Ok(answer)
            }
            DispatcherEvent::Sweep { .. } => {
                self.sweep(invocation).await?;
                Ok(SqsBatchResponse::default())
            }
        }
    }
}

impl Dispatcher {
    /// Makes the attempt that a message asks for.
    async fn take(&self, record: &SqsMessage, invocation: &str) -> Taken {
        let message_id = record.message_id.as_deref();
        let body = record.body.as_deref().unwrap_or_default();
        let pointer = match body.parse::<PointerMessage>() {
            Ok(PointerMessage(pointer)) => pointer,
            Err(cause) => {
                self.metrics.count_named(POINTER_POISONED);
                tracing::error!(invocation, message_id, %cause, "cannot read a pointer");
                return Taken::No;
            }
        };
        match self.attempt(pointer).await {
            Ok(Outcome::Stale) => Taken::Yes,
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
                Taken::Yes
            }
            Err(error) => {
                let id = pointer.subject;
                let cause = Causes(&error);
                tracing::error!(invocation, %id, %cause, "cannot deliver");
                Taken::No
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
        let sending = Sending {
            signer: &*self.signer,
            sender: &*self.sender,
            carriers: self.carriers.as_deref(),
        };
        deliver(self.ports(), sending, self.times, pointer).await
    }

    async fn sweep(&self, invocation: &str) -> Result<(), Unavailable> {
        let Swept {
            found,
            longest_due,
            failure,
        } = sweep(self.ports(), &*self.due, MAX_SWEPT).await;
        if let Some(age) = longest_due {
            self.metrics.record_oldest_due(age);
        }
        if found > 0 {
            tracing::info!(invocation, count = found, "enqueued webhooks that were due");
        }
        failure.map_or(Ok(()), Err)
    }
}
