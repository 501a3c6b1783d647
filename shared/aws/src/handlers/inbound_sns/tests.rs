#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use countersign_conformance::model::ModelItems;
use countersign_conformance::ports::{KeptPush, KeptQueue, SetClock};
use countersign_conformance::samples::{self, NOW, PHONE};
use countersign_domain::app::code::Code;
use countersign_domain::confirmation::{Confirmation, Status};
use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};

use super::*;

const TOPIC: &str = "arn:aws:sns:eu-west-1:123456789012:texts";

struct World {
    items: Arc<ModelItems>,
    queue: Arc<KeptQueue>,
    function: InboundSns,
}

async fn world() -> World {
    let items = Arc::new(ModelItems::default());
    let store = Arc::new(Store::new(items.clone(), Arc::new(SetClock::default())));
    store.create_app(samples::app("demo")).await.unwrap();
    let queue = Arc::new(KeptQueue::default());
    let function = InboundSns {
        store,
        queue: queue.clone(),
        pages: Arc::new(KeptPush::default()),
        clock: Arc::new(SetClock::default()),
        entropy: Arc::new(OsEntropy),
        metrics: Arc::new(EmbeddedMetrics::new("test".to_owned(), "test".to_owned())),
        times: Times::default(),
        topic: TOPIC.parse().unwrap(),
    };
    World {
        items,
        queue,
        function,
    }
}

impl World {
    /// Creates an open confirmation, and returns the text that verifies it.
    fn confirmation(&self) -> String {
        let code = Code::generate(&OsEntropy);
        let app = samples::app("demo");
        let open = Confirmation {
            id: code.confirmation_id(),
            ..samples::acquisition(1)
        };
        self.items.put(open.id, open);
        app.template.render(&code, &app.prefix)
    }

    async fn handle(&self, records: &[Value]) -> Result<(), InboundSnsError> {
        let event = serde_json::from_value(json!({ "Records": records })).unwrap();
        self.function.handle(event, "invocation").await
    }

    /// Returns the status of the only confirmation.
    fn status(&self) -> Status {
        self.items.every::<Confirmation>()[0].status(NOW)
    }
}

/// A record in the form in which SNS passes it to Lambda.
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
    let message = world.confirmation();
    let record = record(TOPIC, &text(&message, "one"));
    world
        .handle(&[record.clone(), record.clone()])
        .await
        .unwrap();
    world.handle(&[record]).await.unwrap();
    assert_eq!(world.status(), Status::Verified);
    let waiting = world.queue.waiting.lock().unwrap().clone();
    assert!(
        waiting
            .iter()
            .all(|(pointer, _)| pointer.is_first_attempt())
    );
}

#[tokio::test]
async fn unreadable_record_fails_without_holding_up_others() {
    let world = world().await;
    let message = world.confirmation();
    let outcome = world
        .handle(&[
            record(TOPIC, "poison"),
            record(TOPIC, &text(&message, "one")),
        ])
        .await;
    assert!(matches!(outcome, Err(InboundSnsError::Malformed(_))));
    assert_eq!(world.status(), Status::Verified);
}

#[tokio::test]
async fn text_that_is_not_unicode_counts_and_what_is_no_text_is_ignored() {
    let world = world().await;
    let message = world.confirmation();
    let receipt = json!({"eventType": "TEXT_DELIVERED", "messageId": "m"}).to_string();
    let half = text(&format!("{message} ?"), "one").replace('?', r"\ud83d");
    let records = [record(TOPIC, &receipt), record(TOPIC, &half)];
    world.handle(&records).await.unwrap();
    assert_eq!(world.status(), Status::Verified);
}

#[tokio::test]
async fn text_from_another_topic_is_refused() {
    let world = world().await;
    let message = world.confirmation();
    let foreign = TOPIC.replace("texts", "other");
    let outcome = world
        .handle(&[record(&foreign, &text(&message, "one"))])
        .await;
    assert!(matches!(outcome, Err(InboundSnsError::ForeignTopic)));
    assert_eq!(world.status(), Status::Open);
}

#[tokio::test]
async fn text_without_a_code_is_accepted() {
    let world = world().await;
    world
        .handle(&[record(TOPIC, &text("STOP", "one"))])
        .await
        .unwrap();
}
