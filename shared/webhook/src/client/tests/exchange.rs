//! The request that the client sends, and how it reads the answer.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use countersign_domain::delivery::FailureReason;
use countersign_domain::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender};
use countersign_domain::delivery::signing::{KeyId, Signature};
use countersign_domain::primitives::ids::{ConfirmationId, WebhookId};
use countersign_domain::primitives::time::Timestamp;
use http::{HeaderMap, HeaderValue};
use tokio::io::AsyncWriteExt;

use super::support::{NOW, ReceivedRequest, Receiver, local_client, local_url, post, read_request};

/// A receiver that records requests and answers 200 with a cookie.
async fn recording_receiver() -> (Receiver, Arc<Mutex<Vec<ReceivedRequest>>>) {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&requests);
    let receiver = Receiver::start(move |mut stream| {
        let kept = Arc::clone(&kept);
        async move {
            while let Some(request) = read_request(&mut stream).await {
                kept.lock().unwrap().push(request);
                let answer = b"HTTP/1.1 200 OK\r\nset-cookie: a=b\r\ncontent-length: 2\r\n\r\nok";
                stream.write_all(answer).await.unwrap();
            }
        }
    })
    .await;
    (receiver, requests)
}

fn request(body: &str) -> WebhookRequest {
    WebhookRequest {
        app_signature: Some("v1,AAAA v1,BBBB".to_owned()),
        webhook_id: WebhookId::for_confirmation(&ConfirmationId::from_bytes([7; 16])),
        attempted_at: Timestamp::from_millis(1_767_323_045_678),
        signature: Signature {
            der: vec![0x30, 1, 2],
            key_id: KeyId::from_stored("kid".into()),
        },
        body: Arc::from(body),
    }
}

#[tokio::test]
async fn webhook_has_exactly_these_headers_and_this_body() {
    let (receiver, requests) = recording_receiver().await;
    let body = r#"{"metadata":{"é":"\u0000 ✓"},"timestamp":"…"}"#;
    let sent = local_client().send(&receiver.url(), &request(body)).await;
    assert_eq!(
        sent,
        SendOutcome::Answered {
            status: 200,
            retry_after: None,
            beginning: "ok".to_owned(),
        }
    );

    let [request] = &requests.lock().unwrap()[..] else {
        panic!("expected exactly one request")
    };
    assert_eq!(request.body, body.as_bytes());
    let mut lines = request.head.trim_end().split("\r\n");
    assert_eq!(lines.next(), Some("POST /hook HTTP/1.1"));
    let mut headers: Vec<_> = lines.collect();
    headers.sort_unstable();
    let length = format!("content-length: {}", body.len());
    let host = format!("host: {}", receiver.address);
    let agent = format!("user-agent: Countersign/{}", env!("CARGO_PKG_VERSION"));
    let id = "0707".repeat(8);
    assert_eq!(
        headers,
        [
            "accept-encoding: identity",
            "accept: */*",
            &length,
            "content-type: application/json",
            &host,
            &agent,
            &format!("webhook-id: msg_{id}"),
            "webhook-signature: v1,AAAA v1,BBBB",
            "webhook-timestamp: 1767323045",
            "x-signature-key-id: kid",
            "x-signature: MAEC",
        ]
    );
}

#[tokio::test]
async fn cookies_are_dropped_and_fixed_headers_win() {
    let (receiver, requests) = recording_receiver().await;
    let client = local_client();
    for _ in 0..2 {
        let mut headers = HeaderMap::new();
        headers.insert("accept-encoding", HeaderValue::from_static("gzip, br"));
        headers.insert("content-type", HeaderValue::from_static("text/plain"));
        let body = Bytes::from_static(b"{}");
        client
            .post(&receiver.url(), headers, body, NOW)
            .await
            .unwrap();
    }
    let requests = requests.lock().unwrap();
    assert_eq!(requests.len(), 2);
    for request in requests.iter() {
        assert!(!request.head.contains("cookie"), "{}", request.head);
        assert!(
            request.head.contains("accept-encoding: identity\r\n"),
            "{}",
            request.head
        );
        assert!(
            request.head.contains("content-type: application/json\r\n"),
            "{}",
            request.head
        );
        assert!(!request.head.contains("gzip") && !request.head.contains("text/plain"));
    }
}

#[tokio::test]
async fn every_status_is_an_answer() {
    for (answer, status) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", 200),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204),
        ("HTTP/1.0 200 OK\r\n\r\nuntil the end", 200),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n",
            202,
        ),
        ("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", 404),
        ("HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n", 410),
        (
            "HTTP/1.1 500 \r\ntransfer-encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n",
            500,
        ),
        ("HTTP/1.1 599 Whatever\r\ncontent-length: 0\r\n\r\n", 599),
    ] {
        let receiver = Receiver::start(move |mut stream| async move {
            read_request(&mut stream).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
        })
        .await;
        let outcome = post(&local_client(), &receiver.url()).await;
        assert_eq!(outcome.unwrap().status, status, "{answer}");
    }
}

#[tokio::test]
async fn retry_after_is_parsed_as_seconds_and_as_a_date() {
    let client = local_client();
    let seconds = "HTTP/1.1 503 Busy\r\nretry-after: 90\r\ncontent-length: 0\r\n\r\n";
    let receiver = Receiver::answering(seconds).await;
    let outcome = client.send(&receiver.url(), &request("{}")).await;
    let retry_after = Some(Duration::from_secs(90));
    assert_eq!(
        outcome,
        SendOutcome::Answered {
            status: 503,
            retry_after,
            beginning: String::new(),
        }
    );

    let date = "HTTP/1.1 429 Slow Down\r\nretry-after: Sun, 06 Nov 1994 08:49:37 GMT\r\n\
                content-length: 0\r\n\r\n";
    let receiver = Receiver::answering(date).await;
    let outcome = client.send(&receiver.url(), &request("{}")).await;
    let retry_after = Some(Duration::from_secs(37));
    assert_eq!(
        outcome,
        SendOutcome::Answered {
            status: 429,
            retry_after,
            beginning: String::new(),
        }
    );
}

#[tokio::test]
async fn beginning_of_the_answer_is_kept() {
    let client = local_client();
    for (sent, kept) in [(10, 10), (2_000, 1_024)] {
        let head = format!("HTTP/1.1 500 No\r\ncontent-length: {sent}\r\n\r\n");
        let receiver = Receiver::answering((head + &"x".repeat(sent)).leak()).await;
        let SendOutcome::Answered { beginning, .. } =
            client.send(&receiver.url(), &request("{}")).await
        else {
            panic!("no answer")
        };
        assert_eq!(beginning, "x".repeat(kept));
    }
}

#[tokio::test]
async fn failure_reaches_the_port_as_its_reason() {
    // A port that is bound but not listened on.
    let taken = tokio::net::TcpSocket::new_v4().unwrap();
    taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = local_url(&format!("http://{}/", taken.local_addr().unwrap()));
    let outcome = local_client().send(&url, &request("{}")).await;
    assert_eq!(outcome, SendOutcome::NoAnswer(FailureReason::ConnectFailed));
}

#[tokio::test]
async fn key_id_that_fits_no_header_is_an_internal_failure_and_sends_nothing() {
    let (receiver, requests) = recording_receiver().await;
    let mut request = request("{}");
    request.signature.key_id = KeyId::from_stored("a\r\nb: c".into());
    let outcome = local_client().send(&receiver.url(), &request).await;
    assert_eq!(outcome, SendOutcome::NoAnswer(FailureReason::SigningFailed));
    assert!(requests.lock().unwrap().is_empty());
}
