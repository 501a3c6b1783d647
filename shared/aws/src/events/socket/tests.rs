#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const CONNECTION: &str = "L0SM9cOFvHcCIhw=";

/// An event as the developer guide shows it, with the members of this route and kind.
fn event(route: &str, kind: &str, more: &Value) -> Value {
    let mut event = json!({
        "requestContext": {
            "routeKey": route,
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

fn read(event: Value) -> Result<SocketChange, MalformedSocketEvent> {
    serde_json::from_value::<SocketEvent>(event).unwrap().read()
}

fn message(text: &[u8]) -> SocketChange {
    SocketChange::Message {
        watcher: CONNECTION.parse::<WatcherId>().unwrap(),
        body: text.to_vec(),
    }
}

#[test]
fn connect_and_disconnect_are_read() {
    let headers = json!({
        "headers": { "Host": "abcd123.execute-api.eu-west-1.amazonaws.com",
            "Sec-WebSocket-Version": "13", "Origin": "https://shop.example" },
        "multiValueHeaders": { "Host": ["abcd123.execute-api.eu-west-1.amazonaws.com"] },
    });
    let connect = event("$connect", "CONNECT", &headers);
    assert_eq!(read(connect), Ok(SocketChange::Connected));
    let mut disconnect = event("$disconnect", "DISCONNECT", &json!({}));
    let context = disconnect["requestContext"].as_object_mut().unwrap();
    context.insert("disconnectStatusCode".to_owned(), json!(1005));
    context.insert("disconnectReason".to_owned(), json!("Client-side close"));
    assert_eq!(read(disconnect), Ok(SocketChange::Disconnected));
}

#[test]
fn message_is_decoded_and_names_its_connection() {
    let text = json!({ "body": "{\"sessionId\":\"x\"}" });
    let default = event("$default", "MESSAGE", &text);
    assert_eq!(read(default), Ok(message(b"{\"sessionId\":\"x\"}")));
    let binary = json!({ "body": "AP8=", "isBase64Encoded": true });
    let binary = event("$default", "MESSAGE", &binary);
    assert_eq!(read(binary), Ok(message(&[0, 255])));
    for nothing in [
        json!({}),
        json!({ "body": null }),
        json!({ "body": "?", "isBase64Encoded": true }),
    ] {
        let event = event("$default", "MESSAGE", &nothing);
        assert_eq!(read(event), Ok(message(b"")));
    }
}

#[test]
fn unknown_kind_or_malformed_connection_is_refused() {
    let other = event("$default", "PING", &json!({}));
    assert_eq!(read(other), Err(MalformedSocketEvent::Kind));
    let mut nameless = event("$default", "MESSAGE", &json!({}));
    nameless["requestContext"]["connectionId"] = json!("not a name");
    assert_eq!(read(nameless), Err(MalformedSocketEvent::Connection));
    for no_event in [json!({}), json!({ "requestContext": {} }), json!([])] {
        assert!(serde_json::from_value::<SocketEvent>(no_event).is_err());
    }
}

#[test]
fn debug_leaves_messages_out() {
    let said = json!({ "body": "a secret" });
    let event: SocketEvent = serde_json::from_value(event("$default", "MESSAGE", &said)).unwrap();
    assert!(!format!("{event:?}").contains("a secret"));
    let change = event.read().unwrap();
    let shown = format!("{change:?}");
    assert!(
        shown.contains(CONNECTION) && !shown.contains("secret"),
        "{shown}"
    );
}

#[test]
fn answer_is_a_status() {
    let answer = serde_json::to_value(SocketAnswer::OK).unwrap();
    assert_eq!(answer, json!({ "statusCode": 200 }));
}

proptest! {
    #[test]
    fn arbitrary_event_does_not_panic(
        kind in "(CONNECT|MESSAGE|DISCONNECT|\\PC{0,9})",
        connection in "\\PC{0,140}",
        body in proptest::option::of("\\PC{0,40}"),
        encoded: Option<bool>,
    ) {
        let event = json!({
            "requestContext": { "eventType": kind, "connectionId": connection },
            "body": body,
            "isBase64Encoded": encoded,
        });
        let _ = read(event);
    }
}
