//! The last calls, which operators see.

use std::sync::Arc;

use axum::body::Body;
use countersign_domain::confirmation::text::Channel;
use countersign_inbound::{Providers, RecentCalls, SignedCall};
use http::{Method, Request};

use super::{hand_in, host_with, message, request, signed, text_of};
use crate::host::Host;

async fn remembering(calls: &Arc<RecentCalls>) -> Host {
    host_with(|parts| parts.calls = Some(Arc::clone(calls))).await
}

/// Returns results and reasons, oldest first.
fn results(calls: &RecentCalls, provider: &str) -> Vec<(&'static str, &'static str)> {
    let last = calls.of(provider).last;
    let results = last.iter().rev();
    results
        .map(|call| (call.result.name(), call.result.reason()))
        .collect()
}

#[tokio::test]
async fn every_result_is_remembered_with_its_reason() {
    let calls = Arc::<RecentCalls>::default();
    let host = remembering(&calls).await;
    let session = host.acquire().await;
    for (body, reason) in [(message(&session), "verified"), ("hello", "miss_no_code")] {
        assert_eq!(hand_in(&host, "sinch", body).await.status, 200);
        assert_eq!(results(&calls, "sinch").pop(), Some(("accepted", reason)));
    }

    let mut old = signed(&host, "vonage-messages", &text_of(Channel::Sms, "hello"));
    host.clock.advance(std::time::Duration::from_hours(1));
    assert_eq!(
        host.send(request("vonage-messages", old.clone()))
            .await
            .status,
        401
    );
    old.body = b"{}".to_vec();
    assert_eq!(host.send(request("vonage-messages", old)).await.status, 401);
    let known = results(&calls, "vonage-messages");
    assert_eq!(known[0], ("refused", "too_old"));
    assert_eq!(known[1].0, "refused");

    let unsigned = SignedCall {
        headers: Vec::new(),
        body: b"{}".to_vec(),
    };
    host.send(request("infobip", unsigned)).await;
    assert_eq!(results(&calls, "infobip").len(), 1);

    let get = Request::get("/inbound-sms/twilio").body(Body::empty());
    assert_eq!(host.send(get.unwrap()).await.status, 405);
    assert_eq!(results(&calls, "twilio"), [("refused", "method")]);
    let large = Request::post("/inbound-sms/twilio").body(Body::from(vec![b'x'; 1 << 20]));
    assert_eq!(host.send(large.unwrap()).await.status, 413);
    assert_eq!(results(&calls, "twilio")[1], ("refused", "too_large"));
}

#[tokio::test]
async fn call_to_a_provider_that_is_off_is_remembered_but_not_one_to_an_unknown_name() {
    let calls = Arc::<RecentCalls>::default();
    let host = host_with(|parts| {
        parts.providers = Arc::new(Providers::default());
        parts.calls = Some(Arc::clone(&calls));
    })
    .await;
    for name in ["twilio", "carrier-pigeon", "Twilio"] {
        let call = Request::builder()
            .method(Method::POST)
            .uri(format!("/inbound-sms/{name}"));
        let answer = host.send(call.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, 404);
        let known = results(&calls, name);
        let expected = [("refused", "not_configured")];
        assert_eq!(known, expected[..usize::from(name == "twilio")], "{name}");
    }
}

#[tokio::test]
async fn what_is_remembered_has_no_number_text_or_code() {
    let calls = Arc::<RecentCalls>::default();
    let host = remembering(&calls).await;
    let session = host.acquire().await;
    hand_in(&host, "twilio", message(&session)).await;
    let kept = format!("{calls:?}");
    assert!(kept.contains("verified"), "{kept}");
    for part in [crate::host::PERSON, crate::host::SEND_TO, message(&session)] {
        assert!(!kept.contains(part.trim_start_matches('+')), "{kept}");
    }
}
