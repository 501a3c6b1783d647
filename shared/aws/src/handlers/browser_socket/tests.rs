#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use countersign_api::viewer::ViewerPolicy;
use countersign_api::{ApiParts, InboundParts, Logins, RateLimits};
use countersign_conformance::model::ModelItems;
use countersign_conformance::ports::{DigestSigner, KeptQueue, SetClock};
use countersign_conformance::samples::NOW;
use countersign_conformance::samples::app_id;
use countersign_conformance::samples::logins::{login_id, mobile_token, new_login, phone};
use countersign_domain::login::sighting::NoGeoIp;
use countersign_domain::login::transitions::initiate;
use countersign_domain::login::{BrowserToken, Login};
use countersign_domain::primitives::storage::ManagedStorage;
use countersign_domain::store::Store;
use countersign_domain::use_cases::Times;
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_inbound::Providers;
use countersign_system::entropy::OsEntropy;
use proptest::collection::{btree_map, vec};
use proptest::prelude::{any, prop_assert, proptest};
use serde_json::{Value, json};

use super::*;
use crate::test_endpoint::{FakeAnswer, FakeEndpoint};

const CONNECTION: &str = "L0SM9cOFvHcCIhw=";

struct World {
    items: Arc<ModelItems>,
    endpoint: FakeEndpoint,
    socket: BrowserSocket,
}

async fn world(answer: FakeAnswer, serves_logins: bool) -> World {
    let items = Arc::new(ModelItems::default());
    let endpoint = FakeEndpoint::with(answer).await;
    let push = Arc::new(endpoint.push.clone());
    let metrics = Arc::new(EmbeddedMetrics::new("test".to_owned(), "test".to_owned()));
    let store = Store::new(items.clone(), Arc::new(SetClock::default()));
    let served = Logins {
        push: push.clone(),
        geo: Arc::new(NoGeoIp),
        socket_url: String::new(),
        viewers: ViewerPolicy::default(),
    };
    let api = ApiParts {
        store: Arc::new(store),
        storage: Arc::new(ManagedStorage),
        queue: Arc::new(KeptQueue::default()),
        signer: Arc::new(DigestSigner::default()),
        clock: Arc::new(SetClock::default()),
        entropy: Arc::new(OsEntropy),
        metrics: metrics.clone(),
        times: Times::default(),
        callback_policy: CallbackPolicy::deployed(),
        inbound: InboundParts::fixed(Providers::default()),
        client_channel: None,
        logins: serves_logins.then_some(served),
        openid: None,
        rate_limits: RateLimits::Enforced,
    };
    let socket = BrowserSocket {
        api: api.into(),
        push,
        metrics,
    };
    World {
        items,
        endpoint,
        socket,
    }
}

/// Returns the first message of a device with this token.
fn message(token: &str) -> String {
    json!({ "sessionId": login_id(1).to_string(), "token": token }).to_string()
}

/// An event of this kind as documented in the developer guide, with additional members.
fn event(kind: &str, more: &Value) -> Value {
    let mut event = json!({
        "requestContext": {
            "routeKey": "$default",
            "eventType": kind,
            "extendedRequestId": "FZ5WvEZfPHcFqkQ=",
            "requestTime": "20/Nov/2018:17:04:25 +0000",
            "messageDirection": "IN",
            "stage": "prod",
            "connectedAt": 1_542_733_465_067_u64,
            "requestTimeEpoch": 1_542_733_465_069_u64,
            "identity": { "userAgent": "Mozilla/5.0", "sourceIp": "192.0.2.1" },
            "requestId": "FZ5WvEZfPHcFqkQ=",
            "domainName": "abcd123.execute-api.eu-west-1.amazonaws.com",
            "connectionId": CONNECTION,
            "apiId": "abcd123",
        },
        "isBase64Encoded": false,
    });
    let members = event.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    event
}

impl World {
    async fn handle(&self, kind: &str, body: Option<&str>) -> Result<Value, BrowserSocketError> {
        self.answer(event(kind, &json!({ "body": body }))).await
    }

    async fn answer(&self, event: Value) -> Result<Value, BrowserSocketError> {
        let event = serde_json::from_value(event).unwrap();
        let answer = self.socket.handle(event, "invocation").await?;
        Ok(serde_json::to_value(answer).unwrap())
    }

    /// Creates a login, and returns the first message of its browser.
    fn subscription(&self) -> String {
        let token = BrowserToken::generate(&OsEntropy);
        let mut item = new_login(1);
        item.browser_token = token.hash();
        self.items.put(item.id, item);
        message(&token.reveal())
    }

    fn watchers(&self) -> Vec<String> {
        let watchers = &self.items.every::<Login>()[0].watchers;
        watchers.iter().map(|id| id.as_str().to_owned()).collect()
    }
}

#[tokio::test]
async fn connect_and_disconnect_change_nothing() {
    let world = world(FakeAnswer::Status(200, ""), true).await;
    for kind in ["CONNECT", "DISCONNECT"] {
        let answer = world.handle(kind, None).await.unwrap();
        assert_eq!(answer["statusCode"], 200);
    }
    assert!(world.endpoint.asked().is_empty());
    assert!(world.handle("PING", None).await.is_err());
}

#[tokio::test]
async fn subscribed_browser_is_poked_immediately() {
    let world = world(FakeAnswer::Status(200, ""), true).await;
    let first = world.subscription();
    world.handle("MESSAGE", Some(&first)).await.unwrap();
    assert_eq!(world.watchers(), [CONNECTION]);
    assert_eq!(
        world.endpoint.asked(),
        [r#"POST /prod/@connections/L0SM9cOFvHcCIhw%3D {"changed":true}"#]
    );
}

#[tokio::test]
async fn binary_message_is_decoded() {
    let world = world(FakeAnswer::Status(200, ""), true).await;
    let first = BASE64_STANDARD.encode(world.subscription());
    let binary = json!({ "body": first, "isBase64Encoded": true });
    world.answer(event("MESSAGE", &binary)).await.unwrap();
    assert_eq!(world.watchers(), [CONNECTION]);
}

#[tokio::test]
async fn message_of_no_connection_is_an_error() {
    let world = world(FakeAnswer::Status(200, ""), true).await;
    let mut nameless = event("MESSAGE", &json!({}));
    nameless["requestContext"]["connectionId"] = json!("not a name");
    let error = world.answer(nameless).await.unwrap_err();
    assert!(matches!(error, BrowserSocketError::NoConnection));
}

#[tokio::test]
async fn subscribed_phone_is_poked_immediately() {
    let world = world(FakeAnswer::Status(200, ""), true).await;
    world.subscription();
    let (app, device) = (app_id("demo"), phone(1, &[], NOW));
    let created = world.items.every::<Login>().pop();
    let opened = initiate(created, &app, device, NOW).write.unwrap();
    world.items.put(opened.id, opened);
    let first = message(&mobile_token(1).reveal());
    world.handle("MESSAGE", Some(&first)).await.unwrap();
    assert_eq!(world.watchers(), [CONNECTION]);
    assert_eq!(world.endpoint.asked().len(), 1);
}

#[tokio::test]
async fn message_without_a_proof_ends_the_connection() {
    let world = world(FakeAnswer::Status(204, ""), true).await;
    world.subscription();
    let foreign = message(&BrowserToken::generate(&OsEntropy).reveal());
    // No phone has opened the login.
    let early = message(&mobile_token(1).reveal());
    for message in ["", "hello", &foreign, &early] {
        world.handle("MESSAGE", Some(message)).await.unwrap();
        assert_eq!(
            world.endpoint.asked(),
            ["DELETE /prod/@connections/L0SM9cOFvHcCIhw%3D"],
            "{message}"
        );
    }
    assert!(world.watchers().is_empty());
}

#[tokio::test]
async fn failing_poke_does_not_end_the_subscription() {
    let world = world(FakeAnswer::Status(403, "ForbiddenException"), true).await;
    let first = world.subscription();
    world.handle("MESSAGE", Some(&first)).await.unwrap();
    assert_eq!(world.watchers(), [CONNECTION]);
    world.handle("MESSAGE", Some("hello")).await.unwrap();
}

#[tokio::test]
async fn failing_store_ends_the_connection_with_an_error() {
    let world = world(FakeAnswer::Status(204, ""), false).await;
    let first = world.subscription();
    let error = world.handle("MESSAGE", Some(&first)).await.unwrap_err();
    assert!(matches!(error, BrowserSocketError::Unavailable(_)));
    assert_eq!(world.endpoint.asked().len(), 1);
}

proptest! {
    /// API Gateway copies everything that a client sends when connecting into the event.
    #[test]
    fn events_with_any_headers_and_parameters_are_read(
        headers in btree_map(".{0,12}", ".{0,20}", 0..6),
        repeated in btree_map(".{0,12}", vec(".{0,20}", 0..3), 0..3),
        body in any::<Option<String>>(),
        encoded in any::<Option<bool>>(),
        kind in "CONNECT|MESSAGE|DISCONNECT",
    ) {
        let more = json!({
            "headers": headers,
            "multiValueHeaders": repeated,
            "queryStringParameters": headers,
            "multiValueQueryStringParameters": repeated,
            "body": body,
            "isBase64Encoded": encoded,
        });
        let read = serde_json::from_value::<SocketEvent>(event(&kind, &more));
        prop_assert!(read.is_ok(), "{read:?}");
    }
}
