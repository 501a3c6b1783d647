#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use countersign_conformance::model::ModelStore;
use countersign_conformance::samples::{self, NOW, PHONE};
use countersign_domain::app::code::Code;
use countersign_domain::confirmation::{Confirmation, Status};
use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};

use super::*;
use crate::test_ports::{OpenQueue, StoppedClock};

const TOPIC: &str = "arn:aws:sns:eu-west-1:123456789012:texts";

struct World {
    store: Arc<ModelStore>,
    queue: Arc<OpenQueue>,
    function: InboundSns,
}

async fn world() -> World {
    let store = Arc::new(ModelStore::default());
    store.create_app(samples::app("demo")).await.unwrap();
    let queue = Arc::new(OpenQueue::default());
    let function = InboundSns {
        confirmations: store.clone(),
        apps: store.clone(),
        queue: queue.clone(),
        clock: Arc::new(StoppedClock),
        metrics: Arc::new(EmbeddedMetrics::new("test".to_owned(), "test".to_owned())),
        times: Times::default(),
        topic: TOPIC.parse().unwrap(),
    };
    World {
        store,
        queue,
        function,
    }
}

impl World {
    /// Creates an open confirmation, and returns it with the text that verifies it.
    async fn confirmation(&self) -> (Confirmation, String) {
        let code = Code::generate(&OsEntropy);
        let app = samples::app("demo");
        let open = Confirmation {
            id: code.confirmation_id(),
            ..samples::acquisition(1)
        };
        self.store.create(open.clone(), NOW).await.unwrap();
        (open, app.template.render(&code, &app.prefix))
    }

    async fn handle(&self, records: &[Value]) -> Result<(), InboundSnsError> {
        let event = serde_json::from_value(json!({ "Records": records })).unwrap();
        self.function.handle(event, "invocation").await
    }

    async fn status(&self, confirmation: &Confirmation) -> Status {
        let item = self
            .store
            .find(confirmation.id, NOW)
            .await
            .unwrap()
            .unwrap();
        item.status(NOW)
    }
}

/// A record as SNS hands it to Lambda.
fn record(topic: &str, message: &str) -> Value {
    json!({
        "EventVersion": "1.0",
        "EventSubscriptionArn": format!("{topic}:21be56ed-a058-49f5-8c98-aedd2564c486"),
        "EventSource": "aws:sns",
        "Sns": {
            "SignatureVersion": "1",
            "Signature": "EXAMPLE",
            "SigningCertURL": "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService.pem",
            "UnsubscribeURL": "https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe",
            "Timestamp": "2026-01-02T12:45:07.000Z",
            "MessageId": "95df01b4-ee98-5cb9-9903-4c221d41eb5e",
            "Message": message,
            "MessageAttributes": {},
            "Type": "Notification",
            "TopicArn": topic,
            "Subject": null,
        },
    })
}

fn text(message: &str, id: &str) -> String {
    json!({
        "originationNumber": PHONE,
        "destinationNumber": "+12025550199",
        "messageKeyword": "KEYWORD_123456789012",
        "messageBody": message,
        "inboundMessageId": id,
    })
    .to_string()
}

#[tokio::test]
async fn repeated_text_verifies_its_confirmation_once() {
    let world = world().await;
    let (confirmation, message) = world.confirmation().await;
    let record = record(TOPIC, &text(&message, "one"));
    world
        .handle(&[record.clone(), record.clone()])
        .await
        .unwrap();
    world.handle(&[record]).await.unwrap();
    assert_eq!(world.status(&confirmation).await, Status::Verified);
    let waiting = world.queue.0.lock().unwrap().clone();
    assert!(
        waiting
            .iter()
            .all(|(pointer, _)| pointer.is_first_attempt())
    );
}

#[tokio::test]
async fn unreadable_record_fails_without_holding_up_others() {
    let world = world().await;
    let (confirmation, message) = world.confirmation().await;
    let outcome = world
        .handle(&[
            record(TOPIC, "poison"),
            record(TOPIC, &text(&message, "one")),
        ])
        .await;
    assert!(matches!(outcome, Err(InboundSnsError::Malformed(_))));
    assert_eq!(world.status(&confirmation).await, Status::Verified);
}

#[tokio::test]
async fn text_from_another_topic_is_refused() {
    let world = world().await;
    let (confirmation, message) = world.confirmation().await;
    let foreign = TOPIC.replace("texts", "other");
    let outcome = world
        .handle(&[record(&foreign, &text(&message, "one"))])
        .await;
    assert!(matches!(outcome, Err(InboundSnsError::ForeignTopic)));
    assert_eq!(world.status(&confirmation).await, Status::Open);
}

#[tokio::test]
async fn text_without_a_code_is_accepted() {
    let world = world().await;
    world
        .handle(&[record(TOPIC, &text("STOP", "one"))])
        .await
        .unwrap();
}
