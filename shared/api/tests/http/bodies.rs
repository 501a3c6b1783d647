//! Size, content type and form of bodies, and the order in which errors are reported.

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use countersign_api::{InboundParts, MAX_BODY, MAX_DRAINED};
use futures_util::{StreamExt as _, stream};
use http::{HeaderValue, Request};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::host::{CALLBACK, Host, from};
use crate::routes::providers::providers;

const INFOBIP: &str = "/inbound-sms/infobip";
/// Size of a body that needs one of the few permits for large ones.
const LARGE: usize = 256 * 1024 + 1;
const ACQUIRE: &str = "/acquire-phone-number";

/// Returns a valid body of this length.
fn padded(length: usize) -> String {
    let body = json!({"callbackUrl": CALLBACK}).to_string();
    format!("{}{body}", " ".repeat(length - body.len()))
}

/// Returns a body in pieces of 1,000 bytes.
fn in_pieces(body: &str) -> Body {
    let pieces: Vec<_> = body
        .as_bytes()
        .chunks(1_000)
        .map(|piece| Ok::<_, std::io::Error>(Bytes::copy_from_slice(piece)))
        .collect();
    Body::from_stream(stream::iter(pieces))
}

#[tokio::test]
async fn body_of_16_kib_is_accepted_and_a_larger_one_refused() {
    assert_eq!((MAX_BODY, MAX_DRAINED), (16_384, 262_144));
    let host = Host::new().await;
    for (length, status) in [(16_384, 200), (16_385, 413)] {
        for body in [Body::from(padded(length)), in_pieces(&padded(length))] {
            let answer = host.send(host.request("POST", ACQUIRE, body)).await;
            assert_eq!(answer.status, status, "{length}");
            assert_eq!(answer.header("connection"), None);
        }
    }
}

#[tokio::test]
async fn larger_body_is_drained_up_to_a_bound() {
    let host = Host::new().await;
    for (length, connection) in [(MAX_DRAINED, None), (MAX_DRAINED + 1, Some("close"))] {
        let body = in_pieces(&padded(length));
        let answer = host.send(host.request("POST", ACQUIRE, body)).await;
        assert_eq!(answer.code(), "body_too_large");
        assert_eq!(answer.header("connection"), connection, "{length}");
    }
}

#[tokio::test]
async fn body_in_pieces_is_put_together() {
    let host = Host::new().await;
    let body = json!({"callbackUrl": CALLBACK, "metadata": {"a": "x".repeat(3_000)}});
    let body = in_pieces(&body.to_string());
    let answer = host.send(host.request("POST", ACQUIRE, body)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn ignored_body_is_bounded_too() {
    let host = Host::new().await;
    let id = host.verified().await;
    host.deliver(id).await;
    for path in [
        format!("/confirmations/{id}/redeliver"),
        format!("/confirmations/{id}"),
    ] {
        let method = if path.ends_with("redeliver") {
            "POST"
        } else {
            "GET"
        };
        let small = host.send(host.request(method, &path, "not json")).await;
        assert!(small.status.is_success(), "{small:?}");
        let large = host.send(host.request(method, &path, padded(16_385))).await;
        assert_eq!(large.code(), "body_too_large");
    }
}

#[tokio::test]
async fn content_type_must_be_json() {
    let host = Host::new().await;
    let with = |content_type: Option<&'static str>| {
        let mut request = host.request("POST", ACQUIRE, padded(100));
        request.headers_mut().remove("content-type");
        if let Some(value) = content_type {
            let value = HeaderValue::from_static(value);
            request.headers_mut().insert("content-type", value);
        }
        host.send(request)
    };
    for good in [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON ; x=y",
    ] {
        assert_eq!(with(Some(good)).await.status, 200, "{good}");
    }
    for bad in [
        None,
        Some(""),
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("application/jsonp"),
        Some("application/json, text/plain"),
        Some("application/merge-patch+json"),
        Some("text/json"),
    ] {
        assert_eq!(
            with(bad).await.code(),
            "unsupported_content_type",
            "{bad:?}"
        );
    }
    let mut request = host.request("POST", ACQUIRE, padded(100));
    let again = HeaderValue::from_static("application/json");
    request.headers_mut().append("content-type", again);
    assert_eq!(host.send(request).await.code(), "unsupported_content_type");
}

#[tokio::test]
async fn content_encoding_is_refused() {
    let host = Host::new().await;
    for (encoding, status) in [("identity", 200), ("gzip", 415), ("br", 415)] {
        let mut request = host.request("POST", ACQUIRE, padded(100));
        let encoding = HeaderValue::from_static(encoding);
        request.headers_mut().insert("content-encoding", encoding);
        assert_eq!(host.send(request).await.status, status);
    }
}

#[tokio::test]
async fn malformed_json_is_refused() {
    let host = Host::new().await;
    for (body, code) in [
        (&b"{"[..], "malformed_json"),
        (b"\xef\xbb\xbf{}", "malformed_json"),
        (b"{\"callbackUrl\":\"\xff\"}", "malformed_json"),
        (b"{'a':1}", "malformed_json"),
        (b"{\"a\":1,}", "malformed_json"),
        (b"{} {}", "malformed_json"),
        (b"{\"a\":NaN}", "malformed_json"),
        (b"{\"\\ud800\":1}", "malformed_json"),
        (b" ", "malformed_json"),
        (b"null", "body_not_object"),
        (b"[{}]", "body_not_object"),
        (b"\"{}\"", "body_not_object"),
        (b"{\"a\":1,\"\\u0061\":2}", "duplicate_field"),
    ] {
        let answer = host.send(host.request("POST", ACQUIRE, body)).await;
        assert_eq!(answer.code(), code, "{}", String::from_utf8_lossy(body));
        assert!(answer.json()["detail"].as_str().unwrap().ends_with('.'));
    }
    for (depth, code) in [(127, "field_missing"), (128, "malformed_json")] {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        let answer = host.send(host.request("POST", ACQUIRE, deep)).await;
        assert_eq!(answer.code(), code, "{depth}");
    }
}

#[tokio::test]
async fn absent_body_counts_as_an_empty_object() {
    let host = Host::new().await;
    let bare = |path: &str| {
        Request::post(path)
            .header("x-api-key", host.key.reveal())
            .body(Body::empty())
            .unwrap()
    };
    let answer = host.send(bare(ACQUIRE)).await;
    let missing = |name: &str| ("field_missing".to_owned(), Some(format!("/{name}")));
    assert_eq!(answer.code_at(), missing("callbackUrl"));
    let answer = host.send(bare("/make-confirmation")).await;
    assert_eq!(answer.code_at(), missing("phoneNumber"));

    host.change_app(|app| {
        let policy = countersign_domain::web::callback_url::CallbackPolicy::deployed();
        app.default_callback =
            countersign_domain::web::callback_url::CallbackUrl::parse(CALLBACK, &policy).ok();
    })
    .await;
    assert_eq!(host.send(bare(ACQUIRE)).await.status, 200);
}

/// The order is path, method, key, body, fields; the first error is reported.
#[tokio::test]
async fn faults_are_reported_in_order() {
    let host = Host::new().await;
    let bad = || Body::from(padded(16_385));
    let keyless = |method: &str, path: &str| {
        let mut request = host.request(method, path, bad());
        request.headers_mut().clear();
        host.send(request)
    };
    assert_eq!(keyless("PUT", "/nothing").await.code(), "not_found");
    assert_eq!(keyless("PUT", ACQUIRE).await.code(), "method_not_allowed");
    assert_eq!(keyless("POST", ACQUIRE).await.code(), "api_key_missing");
    let keyed = |body: Body, content_type, idempotency| {
        let mut request = host.request("POST", ACQUIRE, body);
        let content_type = HeaderValue::from_static(content_type);
        request.headers_mut().insert("content-type", content_type);
        let idempotency = HeaderValue::from_static(idempotency);
        request.headers_mut().insert("idempotency-key", idempotency);
        host.send(request)
    };
    assert_eq!(
        keyed(bad(), "text/plain", "a b").await.code(),
        "body_too_large"
    );
    let small = |body: &'static str| Body::from(body);
    let answer = keyed(small("{"), "text/plain", "a b").await;
    assert_eq!(answer.code(), "unsupported_content_type");
    let answer = keyed(small("{"), "application/json", "a b").await;
    assert_eq!(answer.code(), "idempotency_key_malformed");
    let answer = keyed(small("{"), "application/json", "k").await;
    assert_eq!(answer.code(), "malformed_json");
    let answer = keyed(small("{\"metadata\":7}"), "application/json", "k").await;
    assert_eq!(answer.code(), "field_wrong_type");
    let path = "/confirmations/cfm_x";
    let answer = host.send(host.request("GET", path, padded(16_385))).await;
    assert_eq!(answer.code(), "body_too_large");
}

/// Sends a large body whose last bytes never come, and signals when the server waits for them.
fn endless(address: &str, waits: mpsc::UnboundedSender<()>) -> Request<Body> {
    let first = stream::once(async { Ok::<_, std::io::Error>(Bytes::from(vec![b' '; LARGE])) });
    let never = stream::once(async move {
        waits.send(()).unwrap();
        std::future::pending().await
    });
    let body = Body::from_stream(first.chain(never));
    from(address, Request::post(INFOBIP).body(body).unwrap())
}

/// A stranger's slow bodies must not block the calls of providers.
#[tokio::test]
async fn slow_large_bodies_of_one_address_leave_places_for_others() {
    let host = Arc::new(Host::with(|parts| parts.inbound = InboundParts::fixed(providers())).await);
    let (waits, mut waiting) = mpsc::unbounded_channel();
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let (host, request) = (Arc::clone(&host), endless("192.0.2.20", waits.clone()));
        calls.spawn(async move { host.send(request).await });
    }
    for _ in 0..20 {
        waiting.recv().await.unwrap();
    }
    let whole = |address| {
        let request = Request::post(INFOBIP).body(Body::from(vec![b' '; LARGE]));
        host.send(from(address, request.unwrap()))
    };
    let refused = whole("192.0.2.20").await;
    assert_eq!(refused.code(), "service_unavailable");
    assert_eq!(refused.header("retry-after"), Some("5"));
    assert_eq!(refused.header("connection"), None, "the body was read");
    assert_eq!(whole("192.0.2.21").await.status, 401);
    calls.shutdown().await;
    assert_eq!(whole("192.0.2.20").await.status, 401);
}
