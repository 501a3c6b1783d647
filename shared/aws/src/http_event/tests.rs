#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use axum::http::StatusCode;
use axum::routing::{any, post};
use axum::{Extension, Router};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn event(method: &str, path: &str, body: Option<&str>) -> Value {
    json!({
        "version": "2.0",
        "routeKey": "ANY /echo",
        "rawPath": path,
        "rawQueryString": "a=b",
        "headers": { "x-api-key": "secret", "content-type": "application/json", "bad name": "x" },
        "requestContext": {
            "accountId": "123456789012",
            "http": { "method": method, "path": path, "sourceIp": "192.0.2.1" },
            "requestId": "JKJaXmPLvHcESHA=",
            "stage": "$default",
        },
        "body": body,
        "isBase64Encoded": false,
    })
}

async fn answer(router: Router, event: Value) -> Value {
    let handler = HttpHandler::new(router, Arc::new(metrics()));
    let event = serde_json::from_value(event).unwrap();
    serde_json::to_value(handler.handle(event, "invocation").await.unwrap()).unwrap()
}

fn metrics() -> EmbeddedMetrics {
    EmbeddedMetrics::new("shop".to_owned(), "shop-echo".to_owned())
}

fn echo() -> Router {
    Router::new()
        .route(
            "/echo",
            post(
                async |headers: HeaderMap, id: Extension<RequestId>, body: String| {
                    let key = headers["x-api-key"].to_str().unwrap().to_owned();
                    (StatusCode::CREATED, format!("{key} {} {body}", id.as_str()))
                },
            ),
        )
        .route("/bytes", any(async || vec![0xff_u8, 0x00]))
        .route("/items/{id}", any(async || "item"))
}

#[tokio::test]
async fn a_request_and_its_answer_are_carried_over() {
    let answer = answer(echo(), event("POST", "/echo", Some("hällo"))).await;
    assert_eq!(answer["statusCode"], 201);
    assert_eq!(answer["body"], "secret JKJaXmPLvHcESHA= hällo");
    assert_eq!(answer["isBase64Encoded"], false);
    assert_eq!(
        answer["headers"]["content-type"],
        "text/plain; charset=utf-8"
    );
}

#[tokio::test]
async fn bodies_may_come_and_go_in_base64() {
    let mut encoded = event("POST", "/echo", Some("aMOkbGxv"));
    encoded["isBase64Encoded"] = json!(true);
    let text = answer(echo(), encoded.clone()).await;
    assert_eq!(text["body"], "secret JKJaXmPLvHcESHA= hällo");

    encoded["body"] = json!("no base64!");
    let event: HttpEvent = serde_json::from_value(encoded).unwrap();
    assert!(matches!(event.into_request(), Err(HttpEventError::Body)));

    let bytes = answer(echo(), self::event("GET", "/bytes", None)).await;
    assert_eq!(bytes["body"], "/wA=");
    assert_eq!(bytes["isBase64Encoded"], true);
}

#[test]
fn the_caller_is_who_the_api_says() {
    let peer = |source_ip: Value| {
        let mut event = event("GET", "/echo", None);
        event["requestContext"]["http"]["sourceIp"] = source_ip;
        let event: HttpEvent = serde_json::from_value(event).unwrap();
        let request = event.into_request().unwrap();
        request.extensions().get::<PeerAddress>().copied()
    };
    for address in ["192.0.2.1", "2001:db8::1"] {
        let expected = address.parse().ok().map(PeerAddress);
        assert_eq!(peer(json!(address)), expected);
    }
    assert_eq!(peer(json!("nowhere")), None);
    assert_eq!(peer(Value::Null), None);
}

#[tokio::test]
async fn answers_of_500_and_above_are_counted() {
    let statuses = [200, 404, 429, 499, 500, 503, 599];
    let statuses = statuses.map(|status| StatusCode::from_u16(status).unwrap());
    let metrics = Arc::new(metrics());
    for status in statuses {
        let router = Router::new().route("/echo", any(async move || status));
        let handler = HttpHandler::new(router, Arc::clone(&metrics));
        let event = serde_json::from_value(event("GET", "/echo", None)).unwrap();
        handler.handle(event, "invocation").await.unwrap();
    }
    assert_eq!(metrics.server_errors(), 3);
}

#[tokio::test]
async fn repeated_headers_of_an_answer_are_joined() {
    let router = Router::new().route(
        "/echo",
        any(async || [("vary", "Origin"), ("vary", "Accept")]),
    );
    let router = router.layer(axum::middleware::map_response(
        async |mut response: Response<Body>| {
            let headers = response.headers_mut();
            headers.append("x-many", HeaderValue::from_static("one"));
            headers.append("x-many", HeaderValue::from_static("two"));
            response
        },
    ));
    let answer = answer(router, event("GET", "/echo", None)).await;
    assert_eq!(answer["headers"]["x-many"], "one, two");
}

#[tokio::test]
async fn what_can_be_no_request_of_ours_is_not_found() {
    for (method, path) in [
        ("NO METHOD", "/echo"),
        ("", "/echo"),
        ("POST", ""),
        ("POST", "echo"),
        ("POST", "//evil.example/echo"),
        ("POST", "http://evil.example/echo"),
    ] {
        let answer = answer(echo(), event(method, path, None)).await;
        assert_eq!(answer["statusCode"], 404, "{method:?} {path:?}");
    }
    let decoded = answer(echo(), event("GET", "/items/a b\u{e4}?#\u{0}", None)).await;
    assert_eq!(decoded["body"], "item");
}

proptest! {
    #[test]
    fn no_event_panics(
        method in ".{0,8}",
        path in ".{0,40}",
        names in proptest::collection::btree_map(".{0,12}", ".{0,12}", 0..6),
        body in proptest::option::of(".{0,40}"),
        id in ".{0,12}",
        base64: bool,
    ) {
        let event: HttpEvent = serde_json::from_value(json!({
            "rawPath": path,
            "headers": names,
            "body": body,
            "isBase64Encoded": base64,
            "requestContext": { "requestId": id, "http": { "method": method, "sourceIp": id } },
        })).unwrap();
        if let Ok(request) = event.into_request() {
            prop_assert!(request.uri().path().starts_with('/'));
            prop_assert_eq!(request.uri().authority(), None);
        }
    }
}
