//! A failing DynamoDB: which calls the client retries, and what the final error says.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use countersign_aws::store::DynamoItems;
use countersign_conformance::samples::{NOW, PHONE, acquisition, app_id, id};
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{CreateResult, Entity as _, Items as _, Key, PageStart};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::host::{config, items_with};

/// The requested document.
const KEY: Key = Key::Confirmation(id(1));

/// An answer of the fake DynamoDB.
#[derive(Clone, Copy)]
enum Answer {
    /// Status 200 with this body.
    Works(&'static str),
    /// Status 400 with an error of this code and message.
    Fails(&'static str, &'static str),
    /// No answer at all.
    Silence,
}

const THROTTLED: Answer = Answer::Fails(
    "ProvisionedThroughputExceededException",
    "The level of configured provisioned throughput was exceeded",
);

/// A server that gives these answers in order, and then repeats the last one.
struct Troubled {
    endpoint: String,
    asked: Arc<AtomicUsize>,
}

impl Troubled {
    async fn with(answers: &'static [Answer]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answers, Arc::clone(&counter)));
            }
        });
        Self { endpoint, asked }
    }

    /// Returns a document store whose client makes up to three attempts without pauses.
    fn items(&self) -> DynamoItems {
        self.items_within(Duration::from_mins(1))
    }

    /// Returns such a document store with a time limit per operation.
    fn items_within(&self, limit: Duration) -> DynamoItems {
        let retries = RetryConfig::standard()
            .with_max_attempts(3)
            .with_initial_backoff(Duration::from_millis(1));
        let timeouts = TimeoutConfig::builder().operation_timeout(limit).build();
        let config = config(&self.endpoint)
            .retry_config(retries)
            .timeout_config(timeouts);
        items_with(config, "troubled")
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

async fn serve(mut stream: TcpStream, answers: &'static [Answer], asked: Arc<AtomicUsize>) {
    while read_request(&mut stream).await.is_some() {
        let number = asked.fetch_add(1, Ordering::Relaxed);
        let answer = answers[number.min(answers.len() - 1)];
        let (status, body) = match answer {
            Answer::Works(body) => ("200 OK", body.to_owned()),
            Answer::Fails(name, message) => {
                let kind = format!("com.amazonaws.dynamodb.v20120810#{name}");
                let body = format!(r#"{{"__type":"{kind}","message":"{message}"}}"#);
                ("400 Bad Request", body)
            }
            Answer::Silence => return std::future::pending().await,
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/x-amz-json-1.0\r\n\
             x-amzn-requestid: REQUEST17\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<()> {
    let mut request = Vec::new();
    loop {
        if stream.read_buf(&mut request).await.ok()? == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&request).to_ascii_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| {
            let value = line.strip_prefix("content-length:")?;
            value.trim().parse::<usize>().ok()
        });
        if body.len() >= length.unwrap_or(0) {
            return Some(());
        }
    }
}

/// Returns the text of an error and its causes.
fn describe(error: &Unavailable) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[tokio::test]
async fn throttled_call_is_retried() {
    let server = Troubled::with(&[THROTTLED, THROTTLED, Answer::Works("{}")]).await;
    let items = server.items();
    assert_eq!(items.get(&KEY).await.unwrap(), None);
    assert_eq!(server.asked(), 3);
    let server = Troubled::with(&[THROTTLED, Answer::Works("{}")]).await;
    let created = server
        .items()
        .create(&KEY, acquisition(1).into_document(), NOW, None)
        .await
        .unwrap();
    assert_eq!(created, CreateResult::Made);
    assert_eq!(server.asked(), 2);
}

#[tokio::test]
async fn throttled_call_fails_with_its_request_id() {
    let server = Troubled::with(&[THROTTLED]).await;
    let items = server.items();
    let error = items.get(&KEY).await.unwrap_err();
    assert_eq!(error.what(), "store: get");
    assert_eq!(
        describe(&error),
        "store: get failed: DynamoDB answered \
         ProvisionedThroughputExceededException (request REQUEST17): \
         The level of configured provisioned throughput was exceeded"
    );
    assert_eq!(server.asked(), 3);
}

#[tokio::test]
async fn silent_or_unreachable_server_is_reported() {
    let server = Troubled::with(&[Answer::Silence]).await;
    let items = server.items_within(Duration::from_secs(1));
    let text = describe(&items.get(&KEY).await.unwrap_err());
    assert!(text.contains("DynamoDB did not answer in time"), "{text}");

    // The port is bound but not listened on.
    let closed = TcpSocket::new_v4().unwrap();
    closed.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let endpoint = format!("http://{}", closed.local_addr().unwrap());
    let items = Troubled {
        endpoint,
        asked: Arc::default(),
    }
    .items();
    let text = describe(&items.get(&KEY).await.unwrap_err());
    assert!(text.contains("DynamoDB could not be reached"), "{text}");
}

/// The old item and an error that quotes the request, both with personal data.
const QUOTED: Answer = Answer::Fails(
    "ValidationException",
    "The parameter cannot be converted to a numeric value: +12025550100",
);

#[tokio::test]
async fn errors_quote_no_stored_or_sent_value() {
    let spoiled = r#"{"Item":{"v":{"N":"1"},"a":{"S":"demo"},"f":{"S":"+12025550100"}}}"#;
    let answers: [&'static [Answer]; 3] = [
        Vec::leak(vec![QUOTED]),
        Vec::leak(vec![Answer::Works(spoiled)]),
        Vec::leak(vec![Answer::Works("{\"Item\":+12025550100")]),
    ];
    for answers in answers {
        let server = Troubled::with(answers).await;
        let error = server.items().get(&KEY).await.unwrap_err();
        for text in [
            describe(&error),
            format!("{error:?}"),
            format!("{error:#?}"),
        ] {
            assert!(!text.contains(&PHONE[1..]), "{text}");
        }
    }
}

/// A page of the index with two confirmations.
const LISTED: Answer = Answer::Works(
    r#"{"Items":[
        {"pk":{"S":"CFM#00000000000000000000000000000002"},"sk":{"S":"CFM"},"started_at":{"N":"20"}},
        {"pk":{"S":"CFM#00000000000000000000000000000001"},"sk":{"S":"CFM"},"started_at":{"N":"10"}}
    ]}"#,
);
/// The first of them, without the other one.
const LEFT_OUT: Answer = Answer::Works(
    r#"{
        "Responses":{"troubled":[{"pk":{"S":"CFM#00000000000000000000000000000002"},"sk":{"S":"CFM"}}]},
        "UnprocessedKeys":{"troubled":{"Keys":[
            {"pk":{"S":"CFM#00000000000000000000000000000001"},"sk":{"S":"CFM"}}
        ]}}
    }"#,
);
const THE_REST: Answer = Answer::Works(
    r#"{
        "Responses":{"troubled":[{"pk":{"S":"CFM#00000000000000000000000000000001"},"sk":{"S":"CFM"}}]},
        "UnprocessedKeys":{}
    }"#,
);

#[tokio::test]
async fn item_that_a_list_left_out_is_requested_again() {
    let list = async |server: &Troubled| {
        let before = PageStart::Time(NOW);
        let (kind, app) = (DeliveryKind::Confirmations, app_id("shop"));
        let from = Timestamp::from_millis(0);
        let items = server.items();
        items.started(kind, &app, from, before, 2).await
    };
    let server = Troubled::with(&[LISTED, LEFT_OUT, THE_REST]).await;
    let listed = list(&server).await.unwrap();
    let times = listed.iter().map(|item| item.started_at.as_millis());
    assert_eq!(times.collect::<Vec<_>>(), [20, 10]);
    assert_eq!(server.asked(), 3);
    // A shorter list would look like a complete one.
    let busy = Troubled::with(&[LISTED, LEFT_OUT]).await;
    let failed = list(&busy).await.unwrap_err();
    assert_eq!(
        describe(&failed),
        "store: started failed: DynamoDB omitted requested items"
    );
    assert_eq!(busy.asked(), 6);
}
