//! The queues that wake the dispatcher, in SQS.
//!
//! First attempts and retries have a queue each, so that the retries of dead receivers cannot crowd
//! out first attempts. Both are fair queues: the messages of one lane share their turn, so that an
//! app's receivers delay no other app.

mod message;

use std::time::Duration;

use async_trait::async_trait;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::QueueAttributeName;
use base16ct::lower;
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued, MAX_QUEUE_DELAY};
use countersign_domain::primitives::unavailable::Unavailable;

pub use message::{PointerMessage, UnreadablePointer};

use crate::configuration::QueueUrl;
use crate::told::failed;

/// The two queues.
#[derive(Clone, Debug)]
pub struct SqsQueue {
    client: Client,
    first_attempts: QueueUrl,
    /// `None` in a function that sees to first attempts alone, and may not use the other queue.
    retries: Option<QueueUrl>,
}

impl SqsQueue {
    /// Both queues.
    #[must_use]
    pub fn new(client: Client, first_attempts: QueueUrl, retries: QueueUrl) -> Self {
        Self {
            client,
            first_attempts,
            retries: Some(retries),
        }
    }

    /// The queue of first attempts alone.
    #[must_use]
    pub fn first_attempts(client: Client, first_attempts: QueueUrl) -> Self {
        Self {
            client,
            first_attempts,
            retries: None,
        }
    }

    /// Connects, by asking for one attribute of the queue.
    pub async fn connect(&self) -> Result<(), Unavailable> {
        self.client
            .get_queue_attributes()
            .queue_url(self.first_attempts.as_str())
            .attribute_names(QueueAttributeName::QueueArn)
            .send()
            .await
            .map_err(|error| failed("delivery queue: connect", &error))?;
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
        let what = "delivery queue: enqueue";
        let queue = self
            .queue_for(&pointer)
            .ok_or_else(|| Unavailable::new(what, "this function sees to first attempts alone"))?;
        let message = PointerMessage::of(&pointer);
        self.client
            .send_message()
            .queue_url(queue.as_str())
            .message_group_id(turn_of(&pointer))
            .delay_seconds(whole_seconds(delay))
            .message_body(message.to_body())
            .send()
            .await
            .map_err(|error| failed(what, &error))?;
        Ok(Enqueued::Waiting)
    }
}

/// With whom a pointer shares its turn: the lane, and not the receiver. SQS holds a group back that
/// has many messages under way; an app whose webhooks go to a thousand receivers would have a
/// thousand groups, none of which stands out.
fn turn_of(pointer: &DeliveryPointer) -> String {
    lower::encode_string(pointer.group.lane().as_bytes())
}

/// SQS counts whole seconds; a pointer must not come early, so they are rounded up.
fn whole_seconds(delay: Duration) -> i32 {
    let delay = delay.min(MAX_QUEUE_DELAY);
    let seconds = delay.as_millis().div_ceil(1000);
    i32::try_from(seconds).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_is_rounded_up_and_bounded() {
        assert_eq!(whole_seconds(Duration::ZERO), 0);
        assert_eq!(whole_seconds(Duration::from_millis(1)), 1);
        assert_eq!(whole_seconds(Duration::from_secs(5)), 5);
        assert_eq!(whole_seconds(Duration::from_millis(5001)), 6);
        assert_eq!(whole_seconds(MAX_QUEUE_DELAY), 900);
        assert_eq!(whole_seconds(Duration::from_hours(9)), 900);
    }
}
