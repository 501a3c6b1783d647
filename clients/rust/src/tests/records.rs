//! Records: the calls to a store, and the effects of failing callbacks.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::stub::Stub;
use super::vectors::{pairs, text, vectors};
use crate::error::{BoxError, Error, RecordMissing};
use crate::handlers::WebhookHandler;
use crate::memory_store::MemoryStore;
use crate::store::{Acceptance, Act, Store};
use crate::types::AcquireRequest;

const ID: &str = "cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4";

fn started() -> &'static Value {
    &vectors()["answers"][0]["answers"][0]
}

/// A signed webhook from the vectors, about the same confirmation.
fn webhook() -> &'static Value {
    &vectors()["webhooks"][0]
}

#[tokio::test]
async fn record_is_written_before_the_call_returns_and_once() {
    let stub = Stub::start().await;
    let client = stub.builder().build().unwrap();
    let written = Mutex::new(Vec::new());
    for _ in 0..2 {
        stub.answers([started()]);
        let call = client
            .confirmations()
            .acquire(AcquireRequest::new())
            .idempotency_key("order-1");
        let started = call.on_started(|started| async {
            written.lock().unwrap().push(started.confirmation_id);
            Ok::<_, BoxError>(())
        });
        started.await.unwrap();
    }
    assert_eq!(
        written.into_inner().unwrap(),
        [ID],
        "the second answer is a repetition"
    );
    let asked = stub.asked();
    assert_eq!(asked[0].header("idempotency-key"), Some("order-1"));
    assert_eq!(asked[0].header("x-api-key"), Some("cs_live_secret"));
    assert_eq!(
        asked[0].header("user-agent"),
        Some(concat!("countersign-rust/", env!("CARGO_PKG_VERSION")))
    );
    assert_eq!(
        (asked[0].method.as_str(), &asked[0].body),
        ("POST", &json!({}))
    );
}

#[tokio::test]
async fn call_fails_with_its_callbacks_error_and_the_next_one_writes() {
    let stub = Stub::start().await;
    let client = stub.builder().build().unwrap();
    stub.answers([started()]);
    let call = client.confirmations().acquire(AcquireRequest::new());
    let error = call
        .on_started(|_| async { Err(io::Error::other("no disk")) })
        .await
        .unwrap_err();
    let Error::Callback(cause) = error else {
        panic!("{error:?}")
    };
    assert_eq!(
        cause.downcast_ref::<io::Error>().unwrap().to_string(),
        "no disk"
    );
    stub.answers([started()]);
    let call = client.confirmations().acquire(AcquireRequest::new());
    let written = Mutex::new(false);
    let call = call.on_started(|_| async {
        *written.lock().unwrap() = true;
        Ok::<_, BoxError>(())
    });
    call.await.unwrap();
    assert!(written.into_inner().unwrap());
}

#[tokio::test]
async fn webhook_comes_again_until_its_record_is_there() {
    let stub = Stub::start().await;
    stub.tell_time(text(vectors(), "date"));
    let client = stub
        .builder()
        .webhook_secret(text(&webhook()["secrets"], 0))
        .build()
        .unwrap();
    let outcomes: Arc<Mutex<Vec<Result<(), BoxError>>>> = Arc::new(Mutex::new(vec![
        Ok(()),
        Err("the database is away".into()),
        Err(RecordMissing::new(ID).into()),
    ]));
    let handler = WebhookHandler::builder(&client).on_verified(move |_| {
        let outcome = outcomes.lock().unwrap().pop().expect("called once more");
        async { outcome }
    });
    let handler = handler.build().unwrap();
    let post = async || {
        let body = text(webhook(), "body").as_bytes();
        let reply = handler
            .answer("POST", pairs(&webhook()["headers"]), body)
            .await;
        (reply.status().as_u16(), reply.into_body())
    };
    assert_eq!(post().await, (404, "unknown confirmation".to_owned()));
    client
        .store()
        .remember(
            ID,
            Duration::from_mins(1),
            Act::new(async { Ok::<_, BoxError>(()) }),
        )
        .await
        .unwrap();
    assert_eq!(post().await, (503, "record missing".to_owned()));
    assert_eq!(post().await, (500, "internal error".to_owned()));
    assert_eq!(post().await, (200, "accepted".to_owned()));
    assert_eq!(post().await, (200, "already accepted".to_owned()));
}

/// A store that fails to await the act.
struct Forgetful;

#[async_trait]
impl Store for Forgetful {
    async fn remember(&self, _: &str, _: Duration, act: Act<'_>) -> Result<bool, BoxError> {
        drop(act);
        Ok(true)
    }

    async fn accept(&self, _: &str, act: Act<'_>) -> Result<Acceptance, BoxError> {
        drop(act);
        Ok(Acceptance::Accepted)
    }
}

#[tokio::test]
async fn store_that_does_not_await_its_act_is_an_error() {
    let stub = Stub::start().await;
    let client = stub.builder().store(Forgetful).build().unwrap();
    stub.answers([started()]);
    let error = client
        .confirmations()
        .acquire(AcquireRequest::new())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Store(_)), "{error:?}");
}

#[tokio::test]
async fn one_of_concurrent_calls_acts_and_the_others_wait() {
    let store = Arc::new(MemoryStore::new());
    let done = Act::new(async { Ok::<_, BoxError>(()) });
    assert!(
        store
            .remember("a", Duration::from_mins(1), done)
            .await
            .unwrap()
    );
    let (entered, leave) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let first = tokio::spawn({
        let (store, entered, leave) =
            (Arc::clone(&store), Arc::clone(&entered), Arc::clone(&leave));
        async move {
            let act = async {
                entered.notify_one();
                leave.notified().await;
                Ok::<_, BoxError>(())
            };
            store.accept("a", Act::new(act)).await.unwrap()
        }
    });
    entered.notified().await;
    let second = tokio::spawn({
        let store = Arc::clone(&store);
        async move {
            store
                .accept("a", Act::new(async { Err::<(), _>("acted twice") }))
                .await
                .unwrap()
        }
    });
    leave.notify_one();
    assert_eq!(
        (first.await.unwrap(), second.await.unwrap()),
        (Acceptance::Accepted, Acceptance::Repeated)
    );
}

#[tokio::test]
async fn memory_store_forgets_ids_after_their_time() {
    let now = Arc::new(Mutex::new(Duration::ZERO));
    let clock = Arc::clone(&now);
    let store = MemoryStore::with_clock(move || *clock.lock().unwrap());
    let done = || Act::new(async { Ok::<_, BoxError>(()) });
    let ttl = Duration::from_mins(10);
    assert!(store.remember("a", ttl, done()).await.unwrap());
    assert!(!store.remember("a", ttl, done()).await.unwrap());
    let failed = store
        .accept("a", Act::new(async { Err::<(), _>("no") }))
        .await;
    assert!(failed.is_err(), "the id stays pending");
    assert_eq!(
        store.accept("a", done()).await.unwrap(),
        Acceptance::Accepted
    );
    *now.lock().unwrap() = ttl;
    assert_eq!(
        store.accept("a", done()).await.unwrap(),
        Acceptance::Unknown
    );
    assert!(store.remember("a", ttl, done()).await.unwrap());
    for at in 0..100 {
        assert!(
            store
                .remember(&format!("b{at}"), Duration::from_secs(1), done())
                .await
                .unwrap()
        );
    }
    *now.lock().unwrap() += ttl;
    assert!(store.remember("c", ttl, done()).await.unwrap());
    assert_eq!(format!("{store:?}"), "MemoryStore { ids: 1, .. }");
}

#[test]
fn debug_hides_secrets_and_numbers() {
    let secret = "cs_live_very_secret";
    let builder =
        crate::Countersign::builder("https://countersign.example", secret).app_key("cs_app_1");
    assert!(!format!("{builder:?}").contains(secret));
    let client = builder.build().unwrap();
    assert_eq!(
        format!("{client:?}"),
        "Countersign { address: \"https://countersign.example\", .. }"
    );
    let session: crate::ConfirmationSession =
        serde_json::from_value(started()["body"].clone()).unwrap();
    assert!(!format!("{session:?}").contains(&session.confirmation_message));
    let event: crate::VerifiedNumber = serde_json::from_str(text(webhook(), "body")).unwrap();
    assert!(!format!("{event:?}").contains(&event.phone_number));
}

#[test]
fn codes_are_those_of_the_documentation() {
    let manifest = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let problems = std::fs::read_to_string(manifest.join("../../docs/problems.md")).unwrap();
    let source = std::fs::read_to_string(manifest.join("src/problem_code.rs")).unwrap();
    let headings = problems
        .lines()
        .filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'));
    let mut documented: Vec<&str> = headings.collect();
    documented.sort_unstable();
    let constants = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub const "));
    let constants: Vec<&str> = constants
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    assert_eq!(constants, documented, "write src/problem_code.rs again");
    assert!(constants.len() > 100);
}
