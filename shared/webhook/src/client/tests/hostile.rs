//! Hostile receivers.
//!
//! If a receiver does nothing, or waits by the clock, the tests wait for the deployed limits on a paused clock.
//! A paused clock would not advance while data keeps arriving, so those tests use shorter limits in real time.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::support::{HANG, Receiver, local_client, local_client_with, post, read_request};
use crate::client::{Failure, Limits, ReceiverResponse};

/// Starts a receiver that reads the request, writes `answer` and then does nothing. Signals once it has
/// written the answer.
async fn stuck_after(answer: &'static str) -> (Receiver, Arc<Notify>) {
    let stuck = Arc::new(Notify::new());
    let told = Arc::clone(&stuck);
    let receiver = Receiver::start(move |mut stream| {
        let told = Arc::clone(&told);
        async move {
            read_request(&mut stream).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            told.notify_one();
            std::future::pending::<()>().await;
        }
    })
    .await;
    (receiver, stuck)
}

/// Posts to a receiver that hangs, and pauses the clock when it does. Returns the outcome and the time that
/// the client then waited on that clock.
async fn post_until_stuck(
    receiver: &Receiver,
    stuck: &Notify,
) -> (Result<ReceiverResponse, Failure>, Duration) {
    let (client, url) = (local_client(), receiver.url());
    let posted = tokio::spawn(async move { post(&client, &url).await });
    tokio::time::timeout(HANG, stuck.notified()).await.unwrap();
    tokio::time::pause();
    let began = Instant::now();
    let outcome = posted.await.unwrap();
    let waited = began.elapsed();
    tokio::time::resume();
    (outcome, waited)
}

/// Asserts that the client waited exactly until the limit.
fn assert_waited_for_the_limit(waited: Duration) {
    let total = Limits::default().total;
    assert!(waited <= total + Duration::from_millis(10), "{waited:?}");
    assert!(
        waited >= total.saturating_sub(Duration::from_secs(5)),
        "{waited:?}"
    );
}

#[tokio::test]
async fn receiver_that_never_answers_times_out() {
    let (receiver, stuck) = stuck_after("").await;
    let (outcome, waited) = post_until_stuck(&receiver, &stuck).await;
    assert_eq!(outcome, Err(Failure::Timeout));
    assert_waited_for_the_limit(waited);
}

#[tokio::test]
async fn endless_head_times_out() {
    let (receiver, stuck) = stuck_after("HTTP/1.1 200 OK\r\nx-a: b\r\n").await;
    let (outcome, waited) = post_until_stuck(&receiver, &stuck).await;
    assert_eq!(outcome, Err(Failure::Timeout));
    assert_waited_for_the_limit(waited);
}

#[tokio::test]
async fn missing_body_costs_at_most_the_limit_and_the_status_counts() {
    let (receiver, stuck) = stuck_after("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nx").await;
    let (outcome, waited) = post_until_stuck(&receiver, &stuck).await;
    let answer = outcome.unwrap();
    assert_eq!((answer.status, answer.body_bytes), (200, 1));
    assert_waited_for_the_limit(waited);
}

#[tokio::test]
async fn dripping_body_costs_at_most_the_limit() {
    let (dripping, hung_up) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let told = (Arc::clone(&dripping), Arc::clone(&hung_up));
    let receiver = Receiver::start(move |mut stream| {
        let (dripping, hung_up) = (Arc::clone(&told.0), Arc::clone(&told.1));
        async move {
            read_request(&mut stream).await.unwrap();
            let head = "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n";
            stream.write_all(head.as_bytes()).await.unwrap();
            dripping.notify_one();
            while stream.write_all(b"x").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(10)).await; // sleep: on the paused clock
            }
            hung_up.notify_one();
        }
    })
    .await;
    let (outcome, waited) = post_until_stuck(&receiver, &dripping).await;
    let answer = outcome.unwrap();
    assert_eq!(answer.status, 200);
    assert!(
        answer.body_bytes < Limits::default().body_bytes,
        "the size limit ended it, not the time limit"
    );
    assert_waited_for_the_limit(waited);
    tokio::time::timeout(HANG, hung_up.notified())
        .await
        .unwrap();
}

#[tokio::test]
async fn huge_body_is_not_read() {
    const GIGABYTES: u64 = 8 << 30;
    let written = Arc::new(AtomicU64::new(0));
    let hung_up = Arc::new(Notify::new());
    let (count, told) = (Arc::clone(&written), Arc::clone(&hung_up));
    let receiver = Receiver::start(move |mut stream| {
        let (count, told) = (Arc::clone(&count), Arc::clone(&told));
        async move {
            read_request(&mut stream).await.unwrap();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {GIGABYTES}\r\n\r\n");
            stream.write_all(head.as_bytes()).await.unwrap();
            let piece = vec![b'x'; 64 * 1024];
            while stream.write_all(&piece).await.is_ok() {
                count.fetch_add(piece.len() as u64, Ordering::SeqCst);
            }
            told.notify_one();
        }
    })
    .await;
    let answer = post(&local_client(), &receiver.url()).await.unwrap();
    assert_eq!(answer.status, 200);
    assert!(answer.body_bytes >= Limits::default().body_bytes);
    tokio::time::timeout(HANG, hung_up.notified())
        .await
        .unwrap();
    // The system accepts what fits into a socket's buffers, which is less than 64 MiB.
    let written = written.load(Ordering::SeqCst);
    assert!(written < 64 << 20, "{written} bytes were taken");
}

#[tokio::test]
async fn compressed_bomb_is_not_decompressed() {
    const OPENED: usize = 100 << 20;
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![0; 1 << 20];
    for _ in 0..OPENED / zeros.len() {
        bomb.write_all(&zeros).unwrap();
    }
    let mut bomb = bomb.finish().unwrap();
    // This first piece would decompress to megabytes.
    bomb.truncate(6_000);
    let length = bomb.len();
    for coding in ["gzip", "x-gzip", "deflate", "br", "zstd", "gzip, gzip"] {
        let bomb = bomb.clone();
        let receiver = Receiver::start(move |mut stream| {
            let bomb = bomb.clone();
            async move {
                read_request(&mut stream).await.unwrap();
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-encoding: {coding}\r\ncontent-length: {length}\r\n\r\n"
                );
                stream.write_all(head.as_bytes()).await.unwrap();
                stream.write_all(&bomb).await.unwrap();
            }
        })
        .await;
        let answer = post(&local_client(), &receiver.url()).await.unwrap();
        assert_eq!(
            (answer.status, answer.body_bytes),
            (200, length),
            "{coding}"
        );
    }
}

#[tokio::test]
async fn redirect_is_an_answer_and_is_not_followed() {
    let target = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    for status in [300, 301, 302, 303, 307, 308] {
        let location = format!("http://{}/stolen", target.address);
        let receiver = Receiver::start(move |mut stream| {
            let location = location.clone();
            async move {
                read_request(&mut stream).await.unwrap();
                let head = format!(
                    "HTTP/1.1 {status} Elsewhere\r\nlocation: {location}\r\nrefresh: 0;url={location}\r\n\
                     content-length: 0\r\n\r\n"
                );
                stream.write_all(head.as_bytes()).await.unwrap();
            }
        })
        .await;
        let answer = post(&local_client(), &receiver.url()).await.unwrap();
        assert_eq!(answer.status, status);
        assert_eq!(receiver.connections(), 1);
    }
    assert_eq!(target.connections(), 0);
}

#[tokio::test]
async fn answer_that_is_not_http_is_a_failure() {
    for answer in [
        "",
        "hello\r\n\r\n",
        "220 mail.example.com ESMTP\r\n",
        "HTTP/1.1 20\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
    ] {
        let receiver = Receiver::start(move |mut stream| async move {
            read_request(&mut stream).await.unwrap();
            let _ = stream.write_all(answer.as_bytes()).await;
        })
        .await;
        let outcome = post(&local_client(), &receiver.url()).await;
        assert_eq!(outcome, Err(Failure::Protocol), "{answer:?}");
    }
}

#[tokio::test]
async fn flood_of_headers_is_a_failure() {
    let flood = |line: &'static str, head: &'static str| {
        Receiver::start(move |mut stream: TcpStream| async move {
            read_request(&mut stream).await.unwrap();
            if stream.write_all(head.as_bytes()).await.is_err() {
                return;
            }
            while stream.write_all(line.as_bytes()).await.is_ok() {}
        })
    };
    for (line, head) in [
        ("x-a: b\r\n", "HTTP/1.1 200 OK\r\n"),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "HTTP/1.1 200 OK\r\nx: "),
    ] {
        let receiver = flood(line, head).await;
        assert_eq!(
            post(&local_client(), &receiver.url()).await,
            Err(Failure::Protocol),
            "{line}"
        );
    }
}

#[tokio::test]
async fn flood_of_interim_answers_times_out() {
    let receiver = Receiver::start(|mut stream| async move {
        read_request(&mut stream).await.unwrap();
        while stream
            .write_all(b"HTTP/1.1 102 Processing\r\n\r\n")
            .await
            .is_ok()
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let limits = Limits {
        total: Duration::from_millis(300),
        ..Limits::default()
    };
    let client = local_client_with(limits);
    assert_eq!(post(&client, &receiver.url()).await, Err(Failure::Timeout));
}
