#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::Ordering;

use countersign_conformance::model::ModelItems;
use countersign_conformance::ports::{
    DigestSigner, KeptPush, KeptQueue, PreparedReceiver, SetClock,
};
use countersign_conformance::samples::logins::{answer, new_login, phone};
use countersign_conformance::samples::{self, NOW};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::Progress;
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::login::Login;
use countersign_domain::login::transitions::{confirm, initiate};
use countersign_domain::primitives::push::Push as _;
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};

use super::*;
use crate::queues::{PageMessage, PointerMessage};
use crate::services::Services;
use crate::test_endpoint::{FakeAnswer, FakeEndpoint, sdk};

struct World {
    sqs: FakeEndpoint,
    items: Arc<ModelItems>,
    queue: Arc<KeptQueue>,
    signer: Arc<DigestSigner>,
    dispatcher: Dispatcher,
}

async fn world(status: u16) -> World {
    let sqs = FakeEndpoint::with(FakeAnswer::Body("{}")).await;
    let items = Arc::new(ModelItems::default());
    let queue = Arc::new(KeptQueue::default());
    let signer = Arc::new(DigestSigner::default());
    let receiver = PreparedReceiver::default();
    receiver.will_answer(std::iter::repeat_n(
        countersign_conformance::ports::status(status),
        100,
    ));
    let dispatcher = Dispatcher {
        store: Arc::new(Store::new(items.clone(), Arc::new(SetClock::default()))),
        carriers: None,
        queue: queue.clone(),
        queues: sqs.queues.clone(),
        slow: SlowReceivers::default(),
        signer: signer.clone(),
        secrets: LiveMasterSecrets::new(
            Services::with(sdk()),
            "secretsmanager:webhooks".parse().unwrap(),
            Arc::new(SetClock::default()),
            samples::MASTER_SECRET.clone(),
        ),
        sender: Arc::new(receiver),
        push: Arc::new(KeptPush::default()),
        clock: Arc::new(SetClock::default()),
        entropy: Arc::new(OsEntropy),
        metrics: Arc::new(EmbeddedMetrics::new("test".to_owned(), "test".to_owned())),
        times: Times::default(),
    };
    World {
        sqs,
        items,
        queue,
        signer,
        dispatcher,
    }
}

impl World {
    /// Stores a confirmation that a text has verified.
    fn verified(&self, n: u8) -> DeliveryPointer {
        let item = samples::verified(&samples::acquisition(n), &samples::text(n.into()), NOW);
        let pointer = item.pointer().unwrap();
        self.items.put(item.id, item);
        pointer
    }

    async fn handle(&self, event: Value) -> Value {
        let event = serde_json::from_value(event).unwrap();
        let answer = self.dispatcher.handle(event, "invocation").await.unwrap();
        serde_json::to_value(answer).unwrap()
    }

    /// Returns the delivery progress of each confirmation's webhook.
    fn progress(&self) -> Vec<Progress> {
        let items = self.items.every::<Confirmation>().into_iter();
        items
            .map(|item| item.delivery().unwrap().progress.clone())
            .collect()
    }
}

/// A batch in the form in which SQS passes it to Lambda.
fn batch(bodies: &[(&str, String)]) -> Value {
    let records: Vec<Value> = bodies
        .iter()
        .map(|(id, body)| {
            json!({
                "messageId": id,
                "receiptHandle": "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
                "body": body,
                "attributes": { "ApproximateReceiveCount": "1", "MessageGroupId": "g" },
                "messageAttributes": {},
                "md5OfBody": "e4e68fb7bd0e697a0ae8f1bb342846b3",
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:eu-west-1:123456789012:first-attempts",
                "awsRegion": "eu-west-1",
            })
        })
        .collect();
    json!({ "Records": records })
}

fn body(pointer: &DeliveryPointer) -> String {
    PointerMessage(*pointer).to_string()
}

#[tokio::test]
async fn page_learns_of_a_miss() {
    let mut world = world(200).await;
    let sockets = FakeEndpoint::with(FakeAnswer::Body("")).await;
    world.dispatcher.push = Arc::new(sockets.push.clone());
    let page = PageMessage("L0SM9cOFvHcCIhw".parse().unwrap()).to_string();
    let answer = world.handle(batch(&[("a", page.clone())])).await;
    assert_eq!(answer, json!({ "batchItemFailures": [] }));
    let asked = sockets.asked();
    assert!(
        asked[0].starts_with("POST /prod/@connections/L0SM9cOFvHcCIhw"),
        "{asked:?}"
    );
    // Pages also poll, so a page that cannot be notified is ignored.
    let broken = FakeEndpoint::with(FakeAnswer::Status(500, "InternalServerError")).await;
    world.dispatcher.push = Arc::new(broken.push.clone());
    let answer = world.handle(batch(&[("a", page)])).await;
    assert_eq!(answer, json!({ "batchItemFailures": [] }));
}

#[tokio::test]
async fn function_without_sockets_has_the_dispatcher_tell_a_page() {
    let world = world(200).await;
    let watcher = "L0SM9cOFvHcCIhw".parse().unwrap();
    world.sqs.queues.notify(&watcher).await.unwrap();
    let asked = world.sqs.asked();
    assert!(asked[0].contains("first-attempts"), "{asked:?}");
    assert!(asked[0].contains("L0SM9cOFvHcCIhw"), "{asked:?}");
}

#[tokio::test]
async fn unreadable_message_stays_in_the_queue() {
    let world = world(200).await;
    let (one, other) = (world.verified(1), world.verified(2));
    let answer = world
        .handle(batch(&[
            ("a", body(&one)),
            ("b", "poison".to_owned()),
            ("c", body(&other)),
            ("d", body(&one)),
        ]))
        .await;
    assert_eq!(
        answer,
        json!({ "batchItemFailures": [{ "itemIdentifier": "b" }] })
    );
    let delivered = Progress::Delivered { at: NOW };
    assert_eq!(world.progress(), [delivered.clone(), delivered]);
    assert!(world.sqs.asked().is_empty(), "it comes again in time");
    assert!(world.queue.waiting.lock().unwrap().is_empty());
}

#[tokio::test]
async fn webhook_of_a_login_is_delivered() {
    let world = world(200).await;
    let mut item = new_login(1);
    item.callback = CallbackUrl::from_stored("https://shop.example/logins").ok();
    let app = item.app.clone();
    let opened = initiate(Some(item), &app, phone(1, &[], NOW), NOW).write;
    let item = confirm(opened, answer(1, "yes"), NOW).write.unwrap();
    let pointer = item.pointer().unwrap();
    world.items.put(item.id, item);
    let answer = world.handle(batch(&[("a", body(&pointer))])).await;
    assert_eq!(answer, json!({ "batchItemFailures": [] }));
    let item = &world.items.every::<Login>()[0];
    assert_eq!(item.notice, None, "it was delivered");
}

#[tokio::test]
async fn failing_receiver_gets_a_next_attempt() {
    let world = world(500).await;
    let pointer = world.verified(1);
    let answer = world.handle(batch(&[("a", body(&pointer))])).await;
    assert_eq!(answer, json!({ "batchItemFailures": [] }));
    let waiting = world.queue.waiting.lock().unwrap().clone();
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].0.attempts_claimed, 1);
}

#[tokio::test]
async fn attempt_without_a_signature_stays_in_the_queue() {
    let world = world(200).await;
    let pointer = world.verified(1);
    world.signer.broken.store(true, Ordering::SeqCst);
    let mut event = batch(&[("a", body(&pointer))]);
    event["Records"][0]["attributes"]["ApproximateReceiveCount"] = "4".into();
    let answer = world.handle(event).await;
    assert_eq!(
        answer,
        json!({ "batchItemFailures": [{ "itemIdentifier": "a" }] })
    );
    let asked = world.sqs.asked();
    assert_eq!(asked.len(), 1);
    let soon = asked[0].contains("\"VisibilityTimeout\":40");
    assert!(soon && asked[0].contains("/first-attempts"), "{asked:?}");
    world.signer.broken.store(false, Ordering::SeqCst);
    // The attempt was settled as an error of the service, and the next attempt has its own pointer.
    let answer = world.handle(batch(&[("a", body(&pointer))])).await;
    assert_eq!(answer, json!({ "batchItemFailures": [] }));
}

/// A receiver whose last attempts hung must not use up the resources that first attempts to other
/// receivers need.
#[tokio::test]
async fn first_attempt_to_a_slow_receiver_is_set_aside() {
    let world = world(200).await;
    let pointer = world.verified(1);
    let hung = std::time::Duration::from_secs(10);
    world
        .dispatcher
        .slow
        .record(pointer.group, hung, false, NOW);
    let answer = world.handle(batch(&[("a", body(&pointer))])).await;
    assert_eq!(answer, json!({ "batchItemFailures": [] }));
    let asked = world.sqs.asked();
    assert!(
        asked[0].contains("/retries") && asked[0].contains("cfm_"),
        "{asked:?}"
    );
    assert!(matches!(world.progress()[0], Progress::Pending { .. }));

    // There the attempt waits for its turn with those of other slow receivers.
    let retries = batch(&[("a", body(&pointer))]).to_string();
    let retries = retries.replace(":first-attempts", ":retries");
    world.handle(serde_json::from_str(&retries).unwrap()).await;
    assert_eq!(world.progress(), [Progress::Delivered { at: NOW }]);
    assert!(world.sqs.asked().is_empty());
}

#[test]
fn other_events_are_refused() {
    for event in [json!([]), json!({ "Records": "x" })] {
        let read = serde_json::from_value::<SqsEvent>(event.clone());
        assert!(read.is_err(), "{event}");
    }
}
