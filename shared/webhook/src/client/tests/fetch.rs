//! Fetching a document.

use std::time::Duration;

use countersign_domain::web::callback_url::{CallbackPolicy, CallbackUrl, CallbackUrlError};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::AsyncWriteExt as _;

use super::support::{
    FixedClock, HANG, Receiver, local_client, local_client_with, no_lookup, read_request,
};
use crate::client::{Failure, FetchError, Limits, WebhookClient};

#[tokio::test]
async fn document_is_fetched_whole() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").await;
    let fetched = local_client().get(&receiver.url(), 5).await;
    assert_eq!(fetched.as_deref(), Ok(&b"hello"[..]));
    let fetched = local_client().get(&receiver.url(), 4).await;
    assert_eq!(fetched, Err(FetchError::TooLarge));
}

#[tokio::test]
async fn call_sends_its_headers_and_its_body_and_reads_a_bounded_answer() {
    let receiver = Receiver::start(|mut stream| async move {
        while let Some(request) = read_request(&mut stream).await {
            let head = request.head.lines().next().unwrap_or_default().to_owned();
            let asked = request.head.contains("x-asked: yes");
            let identity = request.head.contains("accept-encoding: identity");
            let body = String::from_utf8(request.body).unwrap();
            let text = format!("{head}|{asked}|{identity}|{body}");
            let length = text.len();
            let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{text}");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    })
    .await;
    let client = local_client();
    let call = async |body: Option<&'static str>, max| {
        let headers = HeaderMap::from_iter([(
            HeaderName::from_static("x-asked"),
            HeaderValue::from_static("yes"),
        )]);
        let body = body.map(|body| Bytes::from_static(body.as_bytes()));
        client.call(&receiver.url(), headers, body, max).await
    };
    let got = call(None, 100).await;
    assert_eq!(got.as_deref(), Ok(&b"GET /hook HTTP/1.1|true|true|"[..]));
    let got = call(Some("{}"), 100).await;
    assert_eq!(got.as_deref(), Ok(&b"POST /hook HTTP/1.1|true|true|{}"[..]));
    assert_eq!(receiver.connections(), 1, "the connection is kept");
    assert_eq!(call(None, 5).await, Err(FetchError::TooLarge));
}

#[tokio::test]
async fn redirect_is_not_followed() {
    let elsewhere = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let location = format!("http://{}/", elsewhere.address);
    let answer = format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
    let receiver = Receiver::answering(answer.leak()).await;
    let fetched = local_client().get(&receiver.url(), 5).await;
    assert_eq!(fetched, Err(FetchError::Status(302)));
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn document_that_never_ends_is_given_up() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel").await;
    let limits = Limits {
        total: Duration::from_millis(50),
        ..Limits::default()
    };
    let url = receiver.url();
    let client = local_client_with(limits);
    let fetched = tokio::time::timeout(HANG, client.get(&url, 5)).await;
    assert_eq!(fetched, Ok(Err(FetchError::NoAnswer(Failure::Timeout))));
}

#[tokio::test]
async fn deployed_client_reaches_no_private_address() {
    let client = WebhookClient::with(
        CallbackPolicy::deployed(),
        std::sync::Arc::new(FixedClock),
        Limits::default(),
        no_lookup(),
    )
    .unwrap();
    for url in ["https://127.0.0.1/", "https://169.254.169.254/"] {
        let url = CallbackUrl::from_stored(url).unwrap();
        let fetched = client.get(&url, 5).await;
        let refused = matches!(
            fetched,
            Err(FetchError::NoAnswer(Failure::RefusedUrl(
                CallbackUrlError::AddressForbidden(_)
            )))
        );
        assert!(refused, "{fetched:?}");
    }
}
