use aws_sdk_ssm::types::ParameterType;
use countersign_aws::config::SecretSource;
use countersign_aws::secrets;
use countersign_aws::services::Services;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use countersign_inbound::generic::Generic;
use countersign_inbound::{InboundProvider, InboundSecret};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

async fn read(services: &Services, source: &str) -> Option<String> {
    let source = source.parse::<SecretSource>().unwrap();
    let providers = secrets::inbound(services, &source).await.ok()?;
    let sign =
        |provider: &dyn InboundProvider| provider.sign(&text(), Timestamp::from_millis(0), "");
    let ours = Generic::new(SECRET.parse::<InboundSecret>().unwrap());
    // A provider does not show its secret, but its signature does.
    let signed = sign(providers.get("generic")?);
    Some(if signed == sign(&ours) {
        SECRET.to_owned()
    } else {
        "another secret".to_owned()
    })
}

fn text() -> InboundMessage {
    InboundMessage {
        provider: "generic",
        channel: Channel::Sms,
        message_id: "m".to_owned(),
        from: "+12025550100".to_owned(),
        to: "+12025550199".to_owned(),
        text: "CS-0".to_owned(),
        carrier: None,
    }
}

#[tokio::test]
async fn secrets_are_read_from_secrets_manager() {
    let Some(services) = services("secrets in Secrets Manager").await else {
        return;
    };
    let made = services
        .secrets_manager()
        .create_secret()
        .name("inbound")
        .secret_string(format!(r#"{{"generic":"{SECRET}"}}"#))
        .send()
        .await
        .unwrap();
    let arn = format!("secretsmanager:{}", made.arn.unwrap());
    for source in ["secretsmanager:inbound", &arn] {
        let secret = read(&services, source).await;
        assert_eq!(secret.as_deref(), Some(SECRET), "{source}");
    }
    assert_eq!(read(&services, "secretsmanager:absent").await, None);
}

#[tokio::test]
async fn secrets_are_read_from_the_parameter_store() {
    let Some(services) = services("secrets in the Parameter Store").await else {
        return;
    };
    services
        .parameter_store()
        .put_parameter()
        .name("/countersign/inbound")
        .value(SECRET)
        .r#type(ParameterType::SecureString)
        .send()
        .await
        .unwrap();
    let secret = read(&services, "ssm:/countersign/inbound").await;
    assert_eq!(secret.as_deref(), Some(SECRET));
    assert_eq!(read(&services, "ssm:/countersign/absent").await, None);
}

#[tokio::test]
async fn error_about_a_malformed_secret_does_not_quote_it() {
    let Some(services) = services("a malformed secret").await else {
        return;
    };
    services
        .secrets_manager()
        .create_secret()
        .name("malformed")
        .secret_string("hunter2")
        .send()
        .await
        .unwrap();
    let source = "secretsmanager:malformed".parse::<SecretSource>().unwrap();
    let error = secrets::inbound(&services, &source).await.unwrap_err();
    assert!(!format!("{error:?} {error}").contains("hunter2"));
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
        let made = services.secrets_manager().create_secret();
        let made = made.name(name).secret_string(text).send().await;
        made.unwrap();
    }
    let source = |name: &str| {
        format!("secretsmanager:{name}")
            .parse::<SecretSource>()
            .unwrap()
    };
    let secret = secrets::origin(&services, &source("origin")).await.unwrap();
    assert!(secret.matches(b"0123456789abcdef"));
    let error = secrets::origin(&services, &source("short")).await;
    assert_eq!(error.unwrap_err().what(), "origin secret");
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
            let body = r#"{"SecretString":"hunter2","Parameter":{"Value":"hunter2""#;
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.1\r\n\
                 content-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let services = super::at(&endpoint, "000000000023");
    for source in ["secretsmanager:inbound", "ssm:/countersign/inbound"] {
        let source = source.parse::<SecretSource>().unwrap();
        let error = secrets::inbound(&services, &source).await.unwrap_err();
        let cause = std::error::Error::source(&error).unwrap();
        let told = format!("{error} {error:?} {cause}");
        assert!(told.contains("inbound secrets"), "{told}");
        assert!(!told.contains("hunter2"), "{told}");
    }
}
