//! Plivo's V2 signature, whose nonce is single-use.

use axum::body::Body;
use countersign_conformance::failing::Access;
use countersign_domain::confirmation::text::Channel;
use countersign_domain::store::Key;
use countersign_inbound::SignedCall;

use super::{hand_in, host, message, request, signed, status, text_of};

#[tokio::test]
async fn nonce_with_another_body_is_refused() {
    let host = host().await;
    let (session, other) = (host.acquire().await, host.acquire().await);
    let first = signed(&host, "plivo", &text_of(Channel::Sms, message(&session)));
    let forged = signed(&host, "plivo", &text_of(Channel::Sms, message(&other)));
    let forged = SignedCall {
        headers: first.headers.clone(),
        ..forged
    };
    assert_eq!(host.send(request("plivo", first)).await.status, 200);
    host.metrics.take();
    assert_eq!(host.send(request("plivo", forged)).await.status, 401);
    assert_eq!(host.metrics.take(), ["inbound_refused"]);
    assert_eq!(status(&host, &other).await, "open");
}

#[tokio::test]
async fn call_whose_nonce_cannot_be_kept_is_not_taken() {
    let host = host().await;
    host.items
        .fail(|access| matches!(access, Access::Write(Key::Nonce(_))));
    assert_eq!(hand_in(&host, "plivo", "hello").await.status, 503);
    assert_eq!(hand_in(&host, "sinch", "hello").await.status, 200);
}

#[tokio::test]
async fn unsigned_call_uses_up_no_nonce() {
    let host = host().await;
    let call = signed(&host, "plivo", &text_of(Channel::Sms, "hello"));
    let mut false_one = request("plivo", call.clone());
    let wrong = http::HeaderValue::from_static("AAAA");
    false_one
        .headers_mut()
        .insert("x-plivo-signature-v2", wrong);
    *false_one.body_mut() = Body::from("From=1");
    assert_eq!(host.send(false_one).await.status, 401);
    assert_eq!(host.send(request("plivo", call)).await.status, 200);
}
