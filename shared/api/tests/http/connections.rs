//! Real connections and their fate after a bad body.

use countersign_domain::confirmation::Confirmation;
use std::time::Duration;

use countersign_api::{ApiState, router};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::host::Host;

/// A timeout that only a hang exceeds.
const BOUND: Duration = Duration::from_mins(1);

async fn connect(host: &Host) -> TcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = router(&ApiState::from(host.parts()));
    tokio::spawn(async move { axum::serve(listener, router).await });
    TcpStream::connect(address).await.unwrap()
}

fn head(host: &Host, path: &str, length: usize, more: &str) -> String {
    let key = host.key.reveal();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n{more}\r\n"
    )
}

/// Reads an answer and returns its head in lower case, without the body.
async fn answer(stream: &mut TcpStream) -> String {
    let read = async {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap().to_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        head
    };
    tokio::time::timeout(BOUND, read).await.unwrap()
}

async fn is_closed(stream: &mut TcpStream) -> bool {
    let end = tokio::time::timeout(BOUND, stream.read_u8()).await.unwrap();
    end.is_err()
}

#[tokio::test]
async fn connection_survives_a_large_body() {
    let host = Host::new().await;
    let mut stream = connect(&host).await;
    for path in ["/acquire-phone-number", "/nothing", "/acquire-phone-number"] {
        let head = head(&host, path, 100_000, "");
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&vec![b' '; 100_000]).await.unwrap();
        let answer = answer(&mut stream).await;
        let status = if path == "/nothing" { "404" } else { "413" };
        assert!(
            answer.starts_with(&format!("http/1.1 {status}")),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn connection_is_closed_if_the_body_does_not_end() {
    let host = Host::new().await;
    let mut stream = connect(&host).await;
    let head = head(&host, "/acquire-phone-number", 10_000_000, "");
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b' '; 262_145]).await.unwrap();
    let answer = answer(&mut stream).await;
    assert!(answer.starts_with("http/1.1 413"), "{answer}");
    assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
    assert!(is_closed(&mut stream).await);
}

#[tokio::test]
async fn large_body_is_refused_before_it_is_sent() {
    let host = Host::new().await;
    let mut stream = connect(&host).await;
    let expect = "expect: 100-continue\r\n";
    let large = head(&host, "/acquire-phone-number", 16_385, expect);
    stream.write_all(large.as_bytes()).await.unwrap();
    let refused = answer(&mut stream).await;
    assert!(refused.starts_with("http/1.1 413"), "{refused}");
    assert!(is_closed(&mut stream).await);

    let mut stream = connect(&host).await;
    let small = head(&host, "/acquire-phone-number", 2, expect);
    stream.write_all(small.as_bytes()).await.unwrap();
    let go = answer(&mut stream).await;
    assert!(go.starts_with("http/1.1 100"), "{go}");
    stream.write_all(b"{}").await.unwrap();
    let taken = answer(&mut stream).await;
    assert!(taken.starts_with("http/1.1 422"), "{taken}");
}

#[tokio::test]
async fn incomplete_body_ends_only_its_connection() {
    let host = Host::new().await;
    let mut stream = connect(&host).await;
    let head = "POST /acquire-phone-number HTTP/1.1\r\nhost: localhost\r\n\
                transfer-encoding: chunked\r\n\r\nnot a chunk\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let refused = answer(&mut stream).await;
    // The missing key is reported first.
    assert!(refused.starts_with("http/1.1 401"), "{refused}");
    assert!(is_closed(&mut stream).await);
    assert_eq!(host.stored::<Confirmation>().len(), 0);
}
