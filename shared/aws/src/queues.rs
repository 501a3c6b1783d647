//! The SQS queues that wake the dispatcher.
//!
//! First attempts and retries have separate queues, so that slow receivers cannot delay the others: the
//! dispatcher moves attempts to known slow receivers to the retry queue. Both are fair queues, with the
//! lane as the message group: an app's receivers do not delay other apps.

mod message;

use std::time::Duration;

use async_trait::async_trait;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::QueueAttributeName;
use base16ct::lower;
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued, MAX_QUEUE_DELAY};
use countersign_domain::delivery::{DeliveryPointer, Jitter, delay_after_our_fault};
use countersign_domain::primitives::push::{NotifyOutcome, Push};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::primitives::watcher::WatcherId;

pub use message::{PageMessage, PointerMessage, QueueMessage, UnreadablePointer};

use crate::config::QueueUrl;
use crate::error::failed;

/// The message group of notifications to pages. There are few such messages: a confirmation records
/// only one miss.
const PAGES: &str = "pages";

/// The two queues of a deployment.
#[derive(Clone, Debug)]
pub struct SqsQueue {
    client: Client,
    first_attempts: QueueUrl,
    /// `None` in a function that only enqueues first attempts, and may not use the other queue.
    retries: Option<QueueUrl>,
}

impl SqsQueue {
    /// Uses both queues.
    #[must_use]
    pub fn new(client: Client, first_attempts: QueueUrl, retries: QueueUrl) -> Self {
        Self {
            client,
            first_attempts,
            retries: Some(retries),
        }
    }

    /// Uses the queue for first attempts only.
    #[must_use]
    pub fn first_attempts(client: Client, first_attempts: QueueUrl) -> Self {
        Self {
            client,
            first_attempts,
            retries: None,
        }
    }

    /// Connects by reading an attribute of the queue.
    ///
    /// # Errors
    /// Fails if SQS does not answer, or the queue does not exist.
    pub async fn connect(&self) -> Result<(), Unavailable> {
        let get = self
            .client
            .get_queue_attributes()
            .queue_url(self.first_attempts.as_str())
            .attribute_names(QueueAttributeName::QueueArn);
        let answered = get.send().await;
        answered.map_err(|error| failed("delivery queue: connect", &error))?;
        Ok(())
    }

    /// Returns whether an ARN belongs to the queue for first attempts.
    #[must_use]
    pub fn is_first_attempts(&self, arn: &str) -> bool {
        is_of(&self.first_attempts, arn)
    }

    /// Moves the pointer of a first attempt to the retry queue, where the pointers to other slow
    /// receivers are.
    ///
    /// # Errors
    /// Fails if SQS fails.
    pub async fn set_aside(&self, pointer: DeliveryPointer) -> Result<(), Unavailable> {
        self.send(self.retries.as_ref(), pointer, Duration::ZERO)
            .await
    }

    /// Makes SQS redeliver a message that was received from the queue with this ARN for the `received`th
    /// time, initially after seconds and at most after a minute. Without this, SQS would redeliver it after
    /// several times the function's timeout.
    ///
    /// # Errors
    /// Fails if SQS fails.
    pub async fn hand_out_again(
        &self,
        arn: &str,
        receipt: &str,
        received: u32,
    ) -> Result<(), Unavailable> {
        let what = "delivery queue: hand out again";
        let queue = self.queues().find(|url| is_of(url, arn));
        let queue = queue.ok_or_else(|| Unavailable::new(what, "it is another queue"))?;
        let change = self
            .client
            .change_message_visibility()
            .queue_url(queue.as_str())
            .receipt_handle(receipt)
            .visibility_timeout(seconds_until_again(received));
        change.send().await.map_err(|error| failed(what, &error))?;
        Ok(())
    }

    /// Returns the approximate number of messages in both queues that are available for delivery.
    ///
    /// # Errors
    /// Fails if SQS fails.
    pub async fn waiting(&self) -> Result<usize, Unavailable> {
        let what = "delivery queue: waiting";
        let mut waiting = 0;
        for queue in self.queues() {
            let get = self
                .client
                .get_queue_attributes()
                .queue_url(queue.as_str())
                .attribute_names(QueueAttributeName::ApproximateNumberOfMessages);
            let answer = get.send().await.map_err(|error| failed(what, &error))?;
            let attributes = answer.attributes.unwrap_or_default();
            let number = attributes.get(&QueueAttributeName::ApproximateNumberOfMessages);
            let number = number.and_then(|number| number.parse::<usize>().ok());
            waiting += number.ok_or_else(|| Unavailable::new(what, "it tells no number"))?;
        }
        Ok(waiting)
    }

    fn queues(&self) -> impl Iterator<Item = &QueueUrl> {
        [Some(&self.first_attempts), self.retries.as_ref()]
            .into_iter()
            .flatten()
    }

    async fn send(
        &self,
        queue: Option<&QueueUrl>,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<(), Unavailable> {
        let what = "delivery queue: enqueue";
        let queue = queue
            .ok_or_else(|| Unavailable::new(what, "this function enqueues first attempts only"))?;
        let send = self
            .client
            .send_message()
            .queue_url(queue.as_str())
            .message_body(PointerMessage(pointer).to_string())
            .delay_seconds(whole_seconds(delay))
            .message_group_id(message_group(&pointer));
        send.send().await.map_err(|error| failed(what, &error))?;
        Ok(())
    }

    fn queue_for(&self, pointer: &DeliveryPointer) -> Option<&QueueUrl> {
        if pointer.is_first_attempt() {
            Some(&self.first_attempts)
        } else {
            self.retries.as_ref()
        }
    }
}

#[async_trait]
impl DeliveryQueue for SqsQueue {
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable> {
        self.send(self.queue_for(&pointer), pointer, delay).await?;
        Ok(Enqueued::Waiting)
    }
}

/// Delegates notifications of pages to the dispatcher. Publicly callable functions cannot access
/// connections themselves.
#[async_trait]
impl Push for SqsQueue {
    async fn notify(&self, watcher: &WatcherId) -> Result<NotifyOutcome, Unavailable> {
        let sent = self
            .client
            .send_message()
            .queue_url(self.first_attempts.as_str())
            .message_body(PageMessage(watcher.clone()).to_string())
            .message_group_id(PAGES)
            .send()
            .await;
        sent.map_err(|error| failed("delivery queue: tell a page", &error))?;
        Ok(NotifyOutcome::Sent)
    }
}

/// Returns the message group: the lane, not the receiver. SQS delays a group with many messages in
/// flight; an app with a thousand receivers would have a thousand groups, none of them conspicuous.
fn message_group(pointer: &DeliveryPointer) -> String {
    lower::encode_string(pointer.group.lane().as_bytes())
}

/// Returns whether an ARN and a URL refer to the same queue.
fn is_of(url: &QueueUrl, arn: &str) -> bool {
    url.as_str().rsplit('/').next() == arn.rsplit(':').next()
}

/// Returns the delay in seconds before a message is redelivered that was received for the `received`th time:
/// the same as after any other error of the service.
fn seconds_until_again(received: u32) -> i32 {
    let nth = usize::try_from(received).unwrap_or(usize::MAX);
    whole_seconds(delay_after_our_fault(nth, Jitter::NONE))
}

/// Rounds up to whole seconds, the unit of SQS, so that a pointer does not arrive early.
fn whole_seconds(delay: Duration) -> i32 {
    let delay = delay.min(MAX_QUEUE_DELAY);
    let seconds = delay.as_millis().div_ceil(1000);
    i32::try_from(seconds).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_message_comes_again_in_seconds_and_at_most_a_minute() {
        let waits: Vec<i32> = (1..=20).map(seconds_until_again).collect();
        assert_eq!(waits[..6], [5, 10, 20, 40, 60, 60]);
        // With the template's maxReceiveCount, a table may be unavailable for that long.
        assert!(waits.iter().sum::<i32>() > 15 * 60);
    }

    #[test]
    fn delay_is_rounded_up_and_bounded() {
        assert_eq!(whole_seconds(Duration::ZERO), 0);
        assert_eq!(whole_seconds(Duration::from_millis(1)), 1);
        assert_eq!(whole_seconds(Duration::from_secs(5)), 5);
        assert_eq!(whole_seconds(Duration::from_millis(5001)), 6);
        assert_eq!(whole_seconds(MAX_QUEUE_DELAY), 900);
        assert_eq!(whole_seconds(Duration::from_hours(9)), 900);
    }
}
