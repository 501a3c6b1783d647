use std::sync::Arc;
use std::time::Duration;

use aws_sdk_secretsmanager::Client as SecretsManager;
use countersign_aws::config::SecretName;
use countersign_aws::secrets::{self, Value};
use countersign_aws::services::Services;
use countersign_aws::webhook_secrets::{LiveMasterSecrets, REREAD_INTERVAL};
use countersign_conformance::ports::SetClock;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const SETTINGS: &str = r#"{"sinch": {"secrets": "secret-one"}}"#;

async fn read(services: &Services, source: &str) -> Option<String> {
    let source = source.parse::<SecretName>().unwrap();
    secrets::providers(services, &source).await.unwrap()
}

async fn seen(services: &Services, source: &str) -> Value {
    let source = source.parse::<SecretName>().unwrap();
    secrets::read_to_change(services, &source).await.unwrap()
}

async fn replace(
    services: &Services,
    source: &str,
    seen: &Value,
    text: &str,
) -> Result<bool, Unavailable> {
    let source = source.parse::<SecretName>().unwrap();
    secrets::replace(services, &source, seen, text).await
}

#[tokio::test]
async fn settings_of_providers_are_kept_in_secrets_manager() {
    let Some(services) = services("settings in Secrets Manager").await else {
        return;
    };
    let place = "secretsmanager:inbound";
    assert_eq!(read(&services, place).await, None);
    let before = seen(&services, place).await;
    let unwritten = replace(&services, place, &before, SETTINGS).await;
    assert!(unwritten.is_err(), "no secret");
    let made = SecretsManager::new(services.sdk())
        .create_secret()
        .name("inbound");
    let made = made.send().await.unwrap();
    let arn = format!("secretsmanager:{}", made.arn.unwrap());
    let empty = seen(&services, &arn).await;
    assert!(replace(&services, &arn, &empty, SETTINGS).await.unwrap());
    for place in [place, &arn] {
        let found = read(&services, place).await;
        assert_eq!(found.as_deref(), Some(SETTINGS), "{place}");
    }
    // Two administrators have read the same value, and each writes a new one.
    let [one, other] = [seen(&services, place).await, seen(&services, place).await];
    assert_eq!(one.text.as_deref(), Some(SETTINGS));
    assert!(replace(&services, place, &one, "{}").await.unwrap());
    for stale in [&other, &empty] {
        assert!(!replace(&services, place, stale, "[]").await.unwrap());
        assert_eq!(read(&services, place).await.as_deref(), Some("{}"));
    }
    let again = seen(&services, place).await;
    assert!(replace(&services, place, &again, "[]").await.unwrap());
    assert_eq!(read(&services, place).await.as_deref(), Some("[]"));
    assert!(!format!("{other:?}").contains("secret-one"), "{other:?}");
}

#[tokio::test]
async fn secret_for_webhooks_that_is_replaced_is_read_again_after_five_minutes() {
    let Some(services) = services("the secret for webhooks").await else {
        return;
    };
    let [first, second] = ['a', 'b'].map(|letter| letter.to_string().repeat(32));
    let made = SecretsManager::new(services.sdk()).create_secret();
    let made = made.name("webhooks").secret_string(&first).send().await;
    made.unwrap();
    let place = "secretsmanager:webhooks";
    let clock = Arc::new(SetClock::at(Timestamp::from_millis(1)));
    let name = place.parse::<SecretName>().unwrap();
    let live = LiveMasterSecrets::read(services.clone(), name, clock.clone());
    let live = live.await.unwrap();
    let in_force = async || live.current().await.reveal().to_string();
    let before = seen(&services, place).await;
    let both = format!("{second}\n{first}\n");
    assert!(replace(&services, place, &before, &both).await.unwrap());
    clock.set(Timestamp::from_millis(0).plus(REREAD_INTERVAL));
    assert_eq!(in_force().await, format!("{first}\n"));
    clock.advance(Duration::from_millis(1));
    assert_eq!(in_force().await, both);

    // An unusable value changes nothing.
    let before = seen(&services, place).await;
    assert!(replace(&services, place, &before, "short").await.unwrap());
    clock.advance(REREAD_INTERVAL);
    assert_eq!(in_force().await, both);
}

async fn services(test: &str) -> Option<Services> {
    super::services(test, "000000000023").await
}

#[tokio::test]
async fn origin_secret_is_the_whole_text() {
    let Some(services) = services("the origin secret").await else {
        return;
    };
    for (name, text) in [("origin", "0123456789abcdef\n"), ("short", "0123")] {
        let made = SecretsManager::new(services.sdk()).create_secret();
        let made = made.name(name).secret_string(text).send().await;
        made.unwrap();
    }
    let source = |name: &str| {
        format!("secretsmanager:{name}")
            .parse::<SecretName>()
            .unwrap()
    };
    let secret = secrets::origin(&services, &source("origin")).await.unwrap();
    assert!(secret.matches(b"0123456789abcdef"));
    for name in ["short", "absent"] {
        let error = secrets::origin(&services, &source(name)).await;
        assert_eq!(error.unwrap_err().what(), "origin secret", "{name}");
    }
}

/// The response ends in the middle of the secret.
#[tokio::test]
async fn error_about_an_unreadable_response_does_not_quote_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = [0; 16_384];
            assert!(stream.read(&mut asked).await.unwrap() > 0, "a request");
            let body = r#"{"SecretString":"hunter2"#;
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.1\r\n\
                 content-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let services = super::at(&endpoint, "000000000023");
    let secret = "secretsmanager:inbound".parse::<SecretName>().unwrap();
    let error = secrets::providers(&services, &secret).await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap();
    let told = format!("{error} {error:?} {cause}");
    assert!(told.contains("settings of SMS providers"), "{told}");
    assert!(!told.contains("hunter2"), "{told}");
}
