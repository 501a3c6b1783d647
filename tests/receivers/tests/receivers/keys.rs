//! Fetching keys: caching, refetching, and answers while keys are unavailable.

use std::sync::Arc;

use axum::http::StatusCode;
use tokio::net::TcpSocket;
use tokio::task::JoinSet;

use crate::fake::{Fake, Jwks, Key};
use crate::language;
use crate::process::{Receiver, pair};
use crate::webhook::Webhook;

/// A refetch interval longer than any test, in seconds.
const NEVER: u32 = 3600;

#[tokio::test]
async fn missing_keys_answer_500() {
    let key = Key::generate("first");
    for language in language::available() {
        let name = language.name;
        let down = Jwks::Answer(StatusCode::SERVICE_UNAVAILABLE, "down");
        let fake = Fake::start(down).await;
        let receiver = Receiver::start(language, &fake.url, 0).await;
        let webhook = Webhook::new(&receiver.begin().await, &key);
        let answers = [
            (StatusCode::SERVICE_UNAVAILABLE, "down"),
            (StatusCode::MOVED_PERMANENTLY, ""),
            (StatusCode::OK, ""),
            (StatusCode::OK, "<html>"),
            (StatusCode::OK, "{}"),
            (StatusCode::OK, r#"{"keys":7}"#),
            (
                StatusCode::OK,
                r#"{"keys":[{"kty":"EC","crv":"P-256","kid":"first"}]}"#,
            ),
        ];
        for (status, text) in answers {
            fake.publish(Jwks::Answer(status, text));
            let (status, answer) = receiver.deliver(&webhook).await;
            assert_eq!(status, 500, "{name}: {text}: {answer}");
        }
        fake.publish(Jwks::Keys(vec![key.clone()]));
        let (status, text) = receiver.deliver(&webhook).await;
        assert_eq!(
            (status.as_u16(), text.as_str()),
            (200, "accepted"),
            "{name}"
        );
    }
}

#[tokio::test]
async fn unreachable_service_answers_500() {
    let key = Key::generate("first");
    // Bound but not listened on, so that no other test's service gets the port.
    let closed = TcpSocket::new_v4().unwrap();
    closed.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let nobody = format!("http://{}", closed.local_addr().unwrap());
    for language in language::available() {
        let receiver = Receiver::start(language, &nobody, 0).await;
        let (status, _) = receiver.deliver(&Webhook::new("cfm_0", &key)).await;
        assert_eq!(status, 500, "{}", language.name);
        assert_eq!(receiver.post_start().await.0, 502, "{}", language.name);
    }
}

#[tokio::test]
async fn new_key_is_found_and_the_old_one_stays_valid() {
    let (first, second) = (Key::generate("first"), Key::generate("second"));
    for language in language::available() {
        let name = language.name;
        let (fake, receiver) = pair(language, &first).await;
        let webhooks = [
            Webhook::new(&receiver.begin().await, &first),
            Webhook::new(&receiver.begin().await, &second),
            Webhook::new(&receiver.begin().await, &first),
        ];
        assert_eq!(receiver.deliver(&webhooks[0]).await.0, 200, "{name}");
        assert_eq!(
            receiver.deliver(&webhooks[1]).await.0,
            403,
            "{name}: not published yet"
        );
        fake.publish(Jwks::Keys(vec![first.clone(), second.clone()]));
        assert_eq!(receiver.deliver(&webhooks[1]).await.0, 200, "{name}");
        assert_eq!(receiver.deliver(&webhooks[2]).await.0, 200, "{name}");
        assert_eq!(fake.jwks_asked(), 3, "{name}");
    }
}

#[tokio::test]
async fn keys_of_other_kinds_are_skipped() {
    let key = Key::generate("first");
    let others = r#"{"keys":[
        {"kty":"RSA","kid":"rsa","n":"AQAB","e":"AQAB"},
        {"kty":"EC","crv":"P-384","kid":"p384","x":"AA","y":"AA"},
        {"kty":"OKP","crv":"Ed25519","kid":"ed","x":"AA"}]}"#;
    for language in language::available() {
        let fake = Fake::start(Jwks::Answer(StatusCode::OK, others)).await;
        let receiver = Receiver::start(language, &fake.url, 0).await;
        for kid in ["first", "rsa", "p384", "ed"] {
            let webhook = Webhook::new("cfm_0", &key).with("x-signature-key-id", Some(kid));
            assert_eq!(
                receiver.deliver(&webhook).await.0,
                403,
                "{} {kid}",
                language.name
            );
        }
    }
}

#[tokio::test]
async fn invented_key_ids_cause_no_refetch() {
    let key = Key::generate("first");
    for language in language::available() {
        let name = language.name;
        let fake = Fake::start(Jwks::Keys(vec![key.clone()])).await;
        let receiver = Receiver::start(language, &fake.url, NEVER).await;
        let good = Webhook::new(&receiver.begin().await, &key);
        let invented =
            |number: u32| good.with("x-signature-key-id", Some(&format!("invented-{number}")));
        assert_eq!(
            receiver.deliver(&invented(0)).await.0,
            403,
            "{name}: keys fetched, and this one is not among them"
        );
        for number in 1..10 {
            let (status, _) = receiver.deliver(&invented(number)).await;
            assert_eq!(status, 500, "{name}: keys not fetched, so undecided");
        }
        assert_eq!(receiver.deliver(&good).await.0, 200, "{name}");
        assert_eq!(fake.jwks_asked(), 1, "{name}");
    }
}

#[tokio::test]
async fn concurrent_first_webhooks_fetch_keys_once() {
    let key = Key::generate("first");
    for language in language::available() {
        let name = language.name;
        let fake = Fake::start(Jwks::Keys(vec![key.clone()])).await;
        let receiver = Arc::new(Receiver::start(language, &fake.url, NEVER).await);
        let mut crowd = JoinSet::new();
        for _ in 0..16 {
            let webhook = Webhook::new(&receiver.begin().await, &key);
            let receiver = Arc::clone(&receiver);
            crowd.spawn(async move { receiver.deliver(&webhook).await.1 });
        }
        assert_eq!(crowd.join_all().await, ["accepted"; 16], "{name}");
        assert_eq!(fake.jwks_asked(), 1, "{name}");
    }
}
