//! Senders as providers write them: one number in two spellings, and digits that are not a number.

use countersign_domain::confirmation::text::{Channel, InboundMessage};
use serde_json::{Value, json};

use super::{SIGNING, host, message, request, signed_once, status, text_of};
use crate::host::{Answer, CALLBACK, Host, id_of};

async fn confirm(host: &Host, number: &str) -> Value {
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": number});
    let answer = host.post("/make-confirmation", body).await;
    assert_eq!(answer.status, 200, "{number}: {answer:?}");
    answer.json()
}

/// Delivers a text from a sender as the provider writes it.
async fn hand_in(host: &Host, name: &str, from: &str, session: &Value) -> Answer {
    let text = InboundMessage {
        from: from.to_owned(),
        to: session["sendTo"].as_str().unwrap().to_owned(),
        ..text_of(Channel::Sms, message(session))
    };
    let nonce = format!("{from}-{}", id_of(session));
    let call = signed_once(host, name, &text, &nonce);
    host.send(request(name, call)).await
}

#[tokio::test]
async fn number_is_confirmed_in_either_spelling_through_every_provider() {
    let host = host().await;
    for (old, new) in [
        ("+5215512345678", "+525512345678"),
        ("+553187654321", "+5531987654321"),
        ("+22997123456", "+2290197123456"),
        ("+22507123456", "+2250707123456"),
    ] {
        for name in SIGNING {
            for (asked, from) in [(new, old), (old, new)] {
                let session = confirm(&host, asked).await;
                let answer = hand_in(&host, name, from, &session).await;
                assert_eq!(answer.status, 200, "{name}: {answer:?}");
                let path = format!("/confirmations/{}", id_of(&session));
                let shown = host.call("GET", &path, None).await.json();
                assert_eq!(shown["status"], "verified", "{name}: {from} for {asked}");
                assert_eq!(shown["phoneNumber"], new, "{name}");
            }
        }
    }
}

#[tokio::test]
async fn acquired_number_can_be_asked_for_again() {
    let host = host().await;
    let acquired = host.acquire().await;
    hand_in(&host, "twilio", "+5215512345678", &acquired).await;
    let path = format!("/confirmations/{}", id_of(&acquired));
    let shown = host.call("GET", &path, None).await.json();
    assert_eq!(shown["phoneNumber"], "+525512345678");
    let session = confirm(&host, shown["phoneNumber"].as_str().unwrap()).await;
    hand_in(&host, "twilio", "+5215512345678", &session).await;
    assert_eq!(status(&host, &session).await, "verified");
}

/// The phone of these tests is in France.
#[tokio::test]
async fn number_is_confirmed_as_a_phone_of_its_country_writes_it() {
    let host = host().await;
    for from in ["0612345678", "612345678", "0033612345678", "+33612345678"] {
        let session = confirm(&host, "+33612345678").await;
        hand_in(&host, "sms-gate", from, &session).await;
        assert_eq!(status(&host, &session).await, "verified", "{from}");
    }
    let session = confirm(&host, "+447700900123").await;
    hand_in(&host, "sms-gate", "447700900123", &session).await;
    let path = format!("/confirmations/{}", id_of(&session));
    let shown = host.call("GET", &path, None).await.json();
    assert_eq!(shown["status"], "open");
    assert_eq!(shown["lastMiss"]["reason"], "wrong_sender");
}

#[tokio::test]
async fn digits_that_are_no_number_verify_nothing_through_any_provider() {
    let host = host().await;
    let session = host.acquire().await;
    for name in SIGNING {
        for from in [
            "1234567",
            "70012345",
            "2025550100",
            "+1234567",
            "12345",
            "+99912345678",
        ] {
            host.metrics.take();
            let answer = hand_in(&host, name, from, &session).await;
            assert_eq!(answer.status, 200, "{name}: {answer:?}");
            assert_eq!(host.metrics.take(), ["miss_sender"], "{name}: {from}");
        }
    }
    assert_eq!(status(&host, &session).await, "open");
}
