//! Calls without a crate for each service, beside those of the SDK's crates.

mod table;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_kms::primitives::Blob;
use aws_sdk_kms::types::{MessageType, SigningAlgorithmSpec};
use aws_sdk_secretsmanager::Client as SecretsManager;
use aws_sdk_sqs::types::QueueAttributeName;
use aws_sdk_ssm::Client as ParameterStore;
use aws_sdk_ssm::types::ParameterType;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_types::SdkConfig;
use aws_types::region::Region;
use countersign_aws::config::SecretSource;
use countersign_aws::queues::SqsQueue;
use countersign_aws::secrets;
use countersign_aws::services::{Services, bounded};
use countersign_aws::signer::KmsSigner;
use countersign_aws::store::DynamoStore;
use countersign_domain::delivery::queue::DeliveryQueue as _;
use countersign_domain::delivery::signing::Signer as _;
use countersign_domain::delivery::{DeliveryGroup, DeliveryKind, DeliveryPointer};
use countersign_domain::primitives::ids::ConfirmationId;
use serde_json::{Value, json};

const KEY: &str = "arn:aws:kms:eu-central-1:000000000021:key/00000000-0000-0000-0000-000000000000";
const QUEUE: &str = "https://sqs.eu-central-1.amazonaws.com/000000000022/first";

/// A request, as far as a service reads it.
#[derive(Debug, PartialEq)]
struct Sent {
    url: String,
    target: String,
    media_type: String,
    /// The scope and the names of the signed headers that a service requires.
    scope: String,
    body: Value,
}

/// Answers that are given in turn, and the requests for them.
#[derive(Clone, Debug, Default)]
struct Fake {
    answers: Arc<Mutex<Vec<(u16, String)>>>,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Fake {
    fn answering(answers: &[(u16, &str)]) -> Self {
        let answers = answers.iter().rev();
        let answers = answers.map(|(status, body)| (*status, (*body).to_owned()));
        Self {
            answers: Arc::new(Mutex::new(answers.collect())),
            sent: Arc::default(),
        }
    }

    fn sdk(&self, region: &'static str) -> aws_types::sdk_config::Builder {
        let credentials = Credentials::new("id", "key", None, None, "tests");
        bounded(SdkConfig::builder())
            .http_client(SharedHttpClient::new(self.clone()))
            .region(Region::new(region))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
    }

    fn services(&self) -> Services {
        Services::with(self.sdk("eu-central-1").build())
    }

    fn sent(&self) -> Vec<Sent> {
        std::mem::take(&mut *self.sent.lock().unwrap())
    }
}

impl HttpConnector for Fake {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let header = |name| request.headers().get(name).unwrap_or_default().to_owned();
        let authorization = header("authorization");
        let scope = authorization.split(['=', ',']).nth(1).unwrap_or_default();
        let body = request.body().bytes().unwrap_or_default();
        self.sent.lock().unwrap().push(Sent {
            url: request.uri().to_owned(),
            target: header("x-amz-target"),
            media_type: header("content-type"),
            scope: scope.to_owned(),
            body: serde_json::from_slice(body).unwrap_or_default(),
        });
        let (status, body) = self
            .answers
            .lock()
            .unwrap()
            .pop()
            .unwrap_or((200, "{}".into()));
        let status = status.try_into().unwrap();
        HttpConnectorFuture::ready(Ok(HttpResponse::new(status, SdkBody::from(body))))
    }
}

impl HttpClient for Fake {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

fn pointer() -> DeliveryPointer {
    DeliveryPointer {
        subject: ConfirmationId::from_bytes([5; 16]).into(),
        attempts_claimed: 0,
        group: DeliveryGroup::from_bytes(DeliveryKind::Confirmations, [6; 16]),
    }
}

#[tokio::test]
async fn calls_of_kms_are_those_of_its_crate() {
    let fake = Fake::default();
    let services = fake.services();
    let signer = KmsSigner::new(services.kms(), KEY.parse().unwrap(), Vec::new());
    signer.connect().await.unwrap_err();
    signer.sign(&[7; 32]).await.unwrap_err();
    let ours = fake.sent();
    let theirs = aws_sdk_kms::Client::new(services.sdk());
    let _ = theirs.get_public_key().key_id(KEY).send().await;
    let sign = theirs.sign().key_id(KEY).message(Blob::new([7; 32]));
    let sign = sign.message_type(MessageType::Digest);
    let sign = sign.signing_algorithm(SigningAlgorithmSpec::EcdsaSha256);
    let _ = sign.send().await;
    assert_eq!(ours, fake.sent());
    assert_eq!(ours.len(), 2);
}

#[tokio::test]
async fn calls_of_sqs_are_those_of_its_crate() {
    let fake = Fake::default();
    let services = fake.services();
    let queue = SqsQueue::first_attempts(services.sqs(), QUEUE.parse().unwrap());
    queue.connect().await.unwrap();
    let delay = Duration::from_secs(7);
    queue.enqueue(pointer(), delay).await.unwrap();
    let ours = fake.sent();
    let theirs = aws_sdk_sqs::Client::new(services.sdk());
    let get = theirs.get_queue_attributes().queue_url(QUEUE);
    let _ = get
        .attribute_names(QueueAttributeName::QueueArn)
        .send()
        .await;
    let send = theirs.send_message().queue_url(QUEUE).delay_seconds(7);
    let body = ours[1].body["MessageBody"].as_str().unwrap();
    let send = send.message_body(body).message_group_id("0606060606");
    send.send().await.unwrap();
    assert_eq!(ours, fake.sent());
    assert_eq!(ours.len(), 2);
}

#[tokio::test]
async fn calls_for_secrets_are_those_of_the_crates() {
    let manager = "arn:aws:secretsmanager:eu-central-1:000000000022:secret:inbound-AbCdEf";
    let fake = Fake::default();
    let services = fake.services();
    let read = async |source: &SecretSource| secrets::providers(&services, source).await;
    let write = async |source| secrets::write_providers(&services, source, "{}").await;
    let secret = SecretSource::SecretsManager(manager.to_owned());
    let parameter = SecretSource::Parameter("/inbound".to_owned());
    read(&secret).await.unwrap_err();
    write(&secret).await.unwrap();
    read(&parameter).await.unwrap_err();
    write(&parameter).await.unwrap();
    let ours = fake.sent();
    let theirs = SecretsManager::new(services.sdk());
    let _ = theirs.get_secret_value().secret_id(manager).send().await;
    let token = ours[1].body["ClientRequestToken"].as_str().unwrap();
    assert_eq!(token.len(), 32);
    let put = theirs.put_secret_value().secret_id(manager);
    let put = put.secret_string("{}").client_request_token(token);
    let _ = put.send().await;
    let theirs = ParameterStore::new(services.sdk());
    let get = theirs.get_parameter().name("/inbound");
    let _ = get.with_decryption(true).send().await;
    let put = theirs.put_parameter().name("/inbound").value("{}");
    let put = put.overwrite(true).r#type(ParameterType::SecureString);
    let _ = put.send().await;
    assert_eq!(ours, fake.sent());
    assert_eq!(ours.len(), 4);
}

#[tokio::test]
async fn services_are_called_where_their_crates_call_them() {
    let regions = [
        "eu-central-1",
        "us-east-1",
        "us-gov-west-1",
        "cn-north-1",
        "us-iso-east-1",
        "us-isob-east-1",
        "eu-isoe-west-1",
        "us-isof-south-1",
        "eusc-de-east-1",
    ];
    let with_fips = [("us-east-1", true), ("ca-central-1", true)];
    let regions = regions.map(|region| (region, false));
    for (region, fips) in regions.into_iter().chain(with_fips) {
        let fake = Fake::default();
        let sdk = fake.sdk(region).use_fips(fips);
        let services = Services::with(sdk.build());
        let ours = async || {
            let signer = KmsSigner::new(services.kms(), KEY.parse().unwrap(), Vec::new());
            let queue = SqsQueue::first_attempts(services.sqs(), QUEUE.parse().unwrap());
            let store = DynamoStore::new(services.dynamodb(), "shop");
            let _ = signer.connect().await;
            let _ = queue.connect().await;
            let _ = store.connect().await;
            for source in [
                SecretSource::SecretsManager("inbound".to_owned()),
                SecretSource::Parameter("inbound".to_owned()),
            ] {
                let _ = secrets::providers(&services, &source).await;
            }
        };
        ours().await;
        let ours = fake.sent();
        let sdk = services.sdk();
        let kms = aws_sdk_kms::Client::new(sdk);
        let _ = kms.get_public_key().key_id("k").send().await;
        let sqs = aws_sdk_sqs::Client::new(sdk);
        let _ = sqs.get_queue_attributes().queue_url(QUEUE).send().await;
        let dynamodb = aws_sdk_dynamodb::Client::new(sdk);
        let _ = dynamodb.describe_table().table_name("shop").send().await;
        let manager = SecretsManager::new(sdk);
        let _ = manager.get_secret_value().secret_id("inbound").send().await;
        let store = ParameterStore::new(sdk);
        let _ = store.get_parameter().name("inbound").send().await;
        let theirs = fake.sent();
        let place = |sent: &Vec<Sent>| -> Vec<_> {
            sent.iter()
                .map(|sent| (sent.url.clone(), sent.scope.clone()))
                .collect()
        };
        assert_eq!(place(&ours), place(&theirs), "{region}, FIPS: {fips}");
        assert_eq!(ours.len(), 5);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_are_repeated_if_the_service_fails_or_throttles() {
    let throttled = r#"{"__type":"ThrottlingException","message":"slow down"}"#;
    for (answers, calls) in [
        (vec![(500, ""), (503, "<html>"), (200, "{}")], 3),
        (vec![(400, throttled), (200, "{}")], 2),
        (vec![(500, ""); 4], 4),
        (vec![(400, r#"{"__type":"a#AccessDenied"}"#)], 1),
    ] {
        let fake = Fake::answering(&answers);
        let queue = SqsQueue::first_attempts(fake.services().sqs(), QUEUE.parse().unwrap());
        let succeeds = answers.last().is_some_and(|(status, _)| *status == 200);
        assert_eq!(queue.connect().await.is_ok(), succeeds);
        assert_eq!(fake.sent().len(), calls, "{answers:?}");
    }
}

#[tokio::test]
async fn failure_names_the_refusal_and_quotes_no_answer() {
    let read = async |status, answer: &str| {
        let fake = Fake::answering(&[(status, answer)]);
        let source = SecretSource::Parameter("inbound".to_owned());
        let read = secrets::providers(&fake.services(), &source).await;
        read.map_err(|error| countersign_api::Causes(&error).to_string())
    };
    let missing = read(400, r#"{"__type":"ParameterNotFound"}"#).await;
    assert_eq!(missing, Ok(None));
    let refused = r#"{"__type":"x#AccessDeniedException","Message":"not yours"}"#;
    let refused = read(400, refused).await.unwrap_err();
    assert!(refused.contains("AccessDeniedException"), "{refused}");
    assert!(refused.contains("not yours"), "{refused}");
    let secret = json!({"Parameter": {"Value": ["hunter2"]}}).to_string();
    let unreadable = read(200, &secret).await.unwrap_err();
    assert!(unreadable.contains("cannot be read"), "{unreadable}");
    assert!(!unreadable.contains("hunter2"), "{unreadable}");
}
