//! Tests which webhooks a receiver acts on, and how often.

use std::sync::Arc;

use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::fake::Key;
use crate::language;
use crate::process::{HANG, Receiver, command, pair};
use crate::webhook::{Webhook, body};

/// The line that a receiver prints when it accepts the number in [`body`].
const ACTED: &str = "verified +12***00";

#[tokio::test]
async fn confirmation_is_acted_on_once() {
    let key = Key::generate("first");
    for language in language::available() {
        let name = language.name;
        let (_fake, receiver) = pair(language, &key).await;
        let id = receiver.begin().await;
        let webhook = Webhook::new(&id, &key);
        let (status, text) = receiver.deliver(&webhook).await;
        assert_eq!(
            (status.as_u16(), text.as_str()),
            (200, "accepted"),
            "{name}"
        );

        let again = [
            webhook.clone(),
            webhook.with("webhook-id", Some("msg_00000000000000000000000000000002")),
            webhook
                .with("webhook-id", None)
                .with("webhook-timestamp", None),
            Webhook::signed(body(&id, &"something else".into()), &key),
        ];
        for webhook in again {
            let (status, text) = receiver.deliver(&webhook).await;
            assert_eq!(
                (status.as_u16(), text.as_str()),
                (200, "already accepted"),
                "{name}"
            );
        }
        assert_eq!(receiver.stop().await, [ACTED], "{name}");
    }
}

#[tokio::test]
async fn concurrent_deliveries_are_acted_on_once() {
    let key = Key::generate("first");
    for language in language::available() {
        let (_fake, receiver) = pair(language, &key).await;
        let webhook = Webhook::new(&receiver.begin().await, &key);
        let receiver = Arc::new(receiver);
        let mut deliveries = JoinSet::new();
        for _ in 0..32 {
            let (receiver, webhook) = (Arc::clone(&receiver), webhook.clone());
            deliveries.spawn(async move { receiver.deliver(&webhook).await });
        }
        let answers = deliveries.join_all().await;
        let accepted = answers
            .iter()
            .filter(|(_, text)| text == "accepted")
            .count();
        assert_eq!(accepted, 1, "{}", language.name);
        assert!(
            answers.iter().all(|(status, _)| *status == 200),
            "{}",
            language.name
        );
        let receiver = Arc::into_inner(receiver).unwrap();
        assert_eq!(receiver.stop().await, [ACTED], "{}", language.name);
    }
}

#[tokio::test]
async fn confirmation_started_elsewhere_is_refused() {
    let key = Key::generate("first");
    for language in language::available() {
        let name = language.name;
        let (_fake, receiver) = pair(language, &key).await;
        let foreign = Webhook::new("cfm_ffffffffffffffffffffffffffffffff", &key);
        for _ in 0..2 {
            let (status, text) = receiver.deliver(&foreign).await;
            assert_eq!(
                (status.as_u16(), text.as_str()),
                (404, "unknown confirmation"),
                "{name}"
            );
        }
        assert_eq!(receiver.stop().await, [""; 0], "{name}");
    }
}

#[tokio::test]
async fn signed_body_that_is_not_a_confirmation_changes_nothing() {
    let key = Key::generate("first");
    for language in language::available() {
        let name = language.name;
        let (_fake, receiver) = pair(language, &key).await;
        let id = receiver.begin().await;
        let good = body(&id, &"x".into());
        let odd = [
            String::new(),
            "null".to_owned(),
            "[]".to_owned(),
            "\"text\"".to_owned(),
            "{}".to_owned(),
            good[..good.len() - 1].to_owned(),
            good.replace("\"valid\"", "\"invalid\""),
            good.replace("\"+12025550100\"", "12025550100"),
            good.replace(&format!("\"{id}\""), "[]"),
            format!("{good}x"),
            "[".repeat(20_000),
        ];
        for odd in odd {
            let (status, text) = receiver.deliver(&Webhook::signed(odd.clone(), &key)).await;
            assert_eq!(
                (status.as_u16(), text.as_str()),
                (400, "not a confirmation"),
                "{name}: {odd:.200}"
            );
        }
        let (_, text) = receiver.deliver(&Webhook::signed(good, &key)).await;
        assert_eq!(text, "accepted", "{name}");
        assert_eq!(receiver.stop().await, [ACTED], "{name}");
    }
}

#[tokio::test]
async fn phone_that_was_set_up_is_acknowledged_and_changes_nothing() {
    let key = Key::generate("first");
    for language in language::available() {
        let name = language.name;
        let (_fake, receiver) = pair(language, &key).await;
        let phone = r#"{"event":"phone.registered","keyId":"k1","kind":"passkey","publicUserId":"zoe","registrationId":"phr_1"}"#;
        for (body, status, expected) in [
            (phone.to_owned(), 200, "acknowledged"),
            (phone.replace("\"phr_1\"", "1"), 400, "not a confirmation"),
            (
                phone.replace("registered", "removed"),
                400,
                "not a confirmation",
            ),
        ] {
            let (found, text) = receiver.deliver(&Webhook::signed(body.clone(), &key)).await;
            assert_eq!(
                (found.as_u16(), text.as_str()),
                (status, expected),
                "{name}: {body}"
            );
        }
        let forged = Webhook::signed(phone.to_owned(), &Key::generate("first"));
        assert_eq!(receiver.deliver(&forged).await.0.as_u16(), 403, "{name}");
        assert_eq!(receiver.stop().await, [""; 0], "{name}");
    }
}

#[tokio::test]
async fn other_routes_and_methods_are_refused() {
    let key = Key::generate("first");
    for language in language::available() {
        let (_fake, receiver) = pair(language, &key).await;
        for (method, path, status) in [
            ("GET", "/webhook", 405),
            ("GET", "/start", 405),
            ("POST", "/webhooks", 404),
            ("POST", "/webhook/", 404),
        ] {
            assert_eq!(receiver.request(method, path).await, status, "{path}");
        }
    }
}

#[tokio::test]
async fn start_sends_the_key_and_the_callback() {
    let key = Key::generate("first");
    for language in language::available() {
        let name = language.name;
        let (fake, receiver) = pair(language, &key).await;
        receiver.begin().await;
        assert_eq!(
            fake.last_callback(),
            Some(format!("{}/webhook", receiver.url)),
            "{name}"
        );

        let mut behind_a_proxy = command(language, &fake.url, 0);
        behind_a_proxy.env(
            "CALLBACK_URL",
            "https://shop.example/hooks?from=countersign",
        );
        let receiver = Receiver::spawn(name, behind_a_proxy).await;
        receiver.begin().await;
        let expected = Some("https://shop.example/hooks?from=countersign".to_owned());
        assert_eq!(fake.last_callback(), expected, "{name}");

        let mut without_key = command(language, &fake.url, 0);
        without_key.env("COUNTERSIGN_API_KEY", "cs_live_wrong");
        let receiver = Receiver::spawn(name, without_key).await;
        let (status, text) = receiver.post_start().await;
        assert_eq!(status, 502, "{name}");
        assert!(
            text.contains("401") && text.contains("api_key_unknown"),
            "{name}: {text}"
        );
    }
}

#[tokio::test]
async fn keys_over_plain_http_from_other_hosts_are_refused() {
    for language in language::available() {
        let mut command = command(language, "http://countersign.example", 0);
        let output = timeout(HANG, command.output()).await.unwrap().unwrap();
        assert!(!output.status.success(), "{}", language.name);
        assert!(output.stdout.is_empty(), "{}", language.name);
    }
}
