//! Texts that arrive in parts.

use std::collections::BTreeMap;

use axum::body::Body;
use http::Request;
use ring::hmac;

use super::{host, message, status};
use crate::host::{Answer, Host, PERSON, SEND_TO};

/// Delivers one part of a text as Vonage does.
async fn hand_in(host: &Host, (number, total): (u8, u8), text: &str) -> Answer {
    let parts = [
        ("msisdn", PERSON[1..].to_owned()),
        ("to", SEND_TO[1..].to_owned()),
        ("messageId", format!("message-{number}")),
        ("text", text.to_owned()),
        ("type", "unicode".to_owned()),
        ("timestamp", host.clock.get().as_secs().to_string()),
        ("concat", "true".to_owned()),
        ("concat-ref", "7".to_owned()),
        ("concat-part", number.to_string()),
        ("concat-total", total.to_string()),
    ];
    let mut parameters: BTreeMap<_, _> = parts.into_iter().collect();
    let pairs = parameters.iter();
    let pairs = pairs.map(|(name, value)| format!("&{name}={value}"));
    let signed = pairs.collect::<Vec<_>>().concat();
    let key = hmac::Key::new(hmac::HMAC_SHA256, b"secret-one");
    let signature = hmac::sign(&key, signed.as_bytes());
    let digits = signature.as_ref().iter().map(|byte| format!("{byte:02x}"));
    parameters.insert("sig", digits.collect());
    let request = Request::post("/inbound-sms/vonage-sms")
        .header("content-type", "application/json")
        .body(Body::from(serde_json::to_vec(&parameters).unwrap()));
    host.send(request.unwrap()).await
}

#[tokio::test]
async fn code_across_two_parts_verifies() {
    let host = host().await;
    let session = host.acquire().await;
    let (first, second) = message(&session).split_at(9);
    host.metrics.take();
    assert_eq!(hand_in(&host, (2, 2), second).await.status, 200);
    assert_eq!(host.metrics.take(), ["miss_no_code", "text_part_kept"]);
    assert_eq!(status(&host, &session).await, "open");
    assert_eq!(hand_in(&host, (1, 2), first).await.status, 200);
    let counted = ["miss_no_code", "text_part_kept", "verified"];
    assert_eq!(host.metrics.take(), counted);
    assert_eq!(status(&host, &session).await, "verified");
    // A repeated part gives the same text.
    assert_eq!(hand_in(&host, (2, 2), second).await.status, 200);
    let counted = ["miss_no_code", "text_part_kept", "text_repeated"];
    assert_eq!(host.metrics.take(), counted);
}

#[tokio::test]
async fn part_with_the_whole_code_is_not_kept() {
    let host = host().await;
    let session = host.acquire().await;
    host.metrics.take();
    hand_in(&host, (1, 3), message(&session)).await;
    assert_eq!(host.metrics.take(), ["verified"]);
}

#[tokio::test]
async fn text_of_more_than_ten_parts_is_tried_part_by_part() {
    let host = host().await;
    host.metrics.take();
    hand_in(&host, (1, 11), "hello").await;
    assert_eq!(host.metrics.take(), ["miss_no_code"]);
}
