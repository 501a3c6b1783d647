use std::time::{Duration, Instant};

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{Message, MessageSystemAttributeName, QueueAttributeName};
use countersign_aws::config::QueueUrl;
use countersign_aws::queues::{QueueMessage, SqsQueue};
use countersign_aws::services::Services;
use countersign_domain::delivery::queue::DeliveryQueue as _;
use countersign_domain::delivery::{DeliveryKind, DeliveryPointer, ReceiverGroup};
use countersign_domain::primitives::ids::ConfirmationId;

fn pointer(attempts_claimed: u32) -> DeliveryPointer {
    DeliveryPointer {
        subject: ConfirmationId::from_bytes([5; 16]).into(),
        attempts_claimed,
        group: ReceiverGroup::from_bytes(DeliveryKind::Confirmations, [6; 16]),
    }
}

async fn new_queue(services: &Services, name: &str) -> QueueUrl {
    let made = Client::new(services.sdk())
        .create_queue()
        .queue_name(name)
        .send()
        .await;
    made.unwrap().queue_url.unwrap().parse().unwrap()
}

/// Returns the next message, after at most a minute.
async fn next(services: &Services, queue: &QueueUrl) -> Message {
    let patient = Client::new(services.sdk());
    let deadline = Instant::now() + Duration::from_mins(1);
    while Instant::now() < deadline {
        let received = patient
            .receive_message()
            .queue_url(queue.as_str())
            .wait_time_seconds(1)
            .message_system_attribute_names(MessageSystemAttributeName::All)
            .send()
            .await
            .unwrap();
        if let Some(message) = received.messages.unwrap_or_default().pop() {
            return message;
        }
    }
    panic!("no message came");
}

async fn waiting(services: &Services, queue: &QueueUrl) -> String {
    let delayed = QueueAttributeName::ApproximateNumberOfMessagesDelayed;
    let answer = Client::new(services.sdk())
        .get_queue_attributes()
        .queue_url(queue.as_str())
        .attribute_names(delayed.clone())
        .send()
        .await
        .unwrap();
    answer.attributes.unwrap()[&delayed].clone()
}

#[tokio::test]
async fn first_attempts_and_retries_use_separate_queues() {
    let Some(services) = services("queues on SQS").await else {
        return;
    };
    let first = new_queue(&services, "first").await;
    let retries = new_queue(&services, "retries").await;
    let queue = SqsQueue::new(services.sqs(), first.clone(), retries.clone());
    queue.connect().await.unwrap();
    queue.enqueue(pointer(0), Duration::ZERO).await.unwrap();
    queue.enqueue(pointer(1), Duration::ZERO).await.unwrap();
    for (queue, pointer) in [(first, pointer(0)), (retries, pointer(1))] {
        let message = next(&services, &queue).await;
        assert_eq!(
            message.body.unwrap().parse(),
            Ok(QueueMessage::Pointer(pointer))
        );
        let group = &message.attributes.unwrap()[&MessageSystemAttributeName::MessageGroupId];
        assert_eq!(group, "0606060606");
    }
}

#[tokio::test]
async fn delay_is_passed_to_the_queue() {
    let Some(services) = services("delays on SQS").await else {
        return;
    };
    let first = new_queue(&services, "delayed").await;
    let queue = SqsQueue::first_attempts(services.sqs(), first.clone());
    let delay = Duration::from_millis(600_001);
    queue.enqueue(pointer(0), delay).await.unwrap();
    assert_eq!(waiting(&services, &first).await, "1");
}

#[tokio::test]
async fn retry_without_a_retry_queue_is_refused() {
    let Some(services) = services("the queue of first attempts on SQS").await else {
        return;
    };
    let first = new_queue(&services, "alone").await;
    let queue = SqsQueue::first_attempts(services.sqs(), first);
    assert!(queue.enqueue(pointer(1), Duration::ZERO).await.is_err());
}

#[tokio::test]
async fn missing_queue_fails_the_connection() {
    let Some(services) = services("a missing queue of SQS").await else {
        return;
    };
    let there = new_queue(&services, "there").await;
    let absent = there.as_str().replace("there", "absent").parse().unwrap();
    let queue = SqsQueue::first_attempts(services.sqs(), absent);
    assert!(queue.connect().await.is_err());
    assert!(queue.enqueue(pointer(0), Duration::ZERO).await.is_err());
}

async fn services(test: &str) -> Option<Services> {
    super::services(test, "000000000022").await
}
