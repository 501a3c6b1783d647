use std::net::SocketAddr;

use axum::routing::get;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::*;

/// Longer than anything here takes; a bound that finds what hangs.
const HUNG: Duration = Duration::from_secs(30);

const LIMITS: Limits = Limits {
    connections: 8,
    head: HUNG,
    answer: HUNG,
    buffer: 16 << 10,
    farewell: HUNG,
};

struct Served {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    ended: JoinHandle<()>,
}

async fn served(router: Router, limits: Limits) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopping) = watch::channel(false);
    let ended = tokio::spawn(serve(listener, router, limits, stopping));
    Served {
        address,
        stop,
        ended,
    }
}

fn hello() -> Router {
    Router::new().route("/", get(async || "hello"))
}

async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(HUNG, future).await.expect("hung")
}

/// Asks on a connection that stays open, and reads the answer.
async fn ask(stream: &mut TcpStream) -> String {
    stream
        .write_all(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n")
        .await
        .unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"hello") {
        let mut byte = [0];
        assert_ne!(in_time(stream.read(&mut byte)).await.unwrap(), 0, "closed");
        answer.push(byte[0]);
    }
    String::from_utf8(answer).unwrap()
}

/// What comes until the other side closes.
async fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    // A reset says the same as an end.
    let _ = in_time(stream.read_to_end(&mut answer)).await;
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn a_connection_is_used_again_and_closed_at_the_stop() {
    let server = served(hello(), LIMITS).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    assert!(ask(&mut stream).await.starts_with("HTTP/1.1 200 OK\r\n"));
    ask(&mut stream).await;
    server.stop.send_replace(true);
    assert_eq!(rest(&mut stream).await, "");
    in_time(server.ended).await.unwrap();
    assert!(
        TcpStream::connect(server.address).await.is_err(),
        "nobody listens any more"
    );
}

#[tokio::test]
async fn a_request_under_way_at_the_stop_is_answered() {
    let (began, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let handler = {
        let (began, go_on) = (Arc::clone(&began), Arc::clone(&go_on));
        async move || {
            began.notify_one();
            go_on.notified().await;
            "hello"
        }
    };
    let server = served(Router::new().route("/", get(handler)), LIMITS).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n")
        .await
        .unwrap();
    in_time(began.notified()).await;
    server.stop.send_replace(true);
    go_on.notify_one();
    assert!(rest(&mut stream).await.ends_with("hello"));
    in_time(server.ended).await.unwrap();
}

#[tokio::test]
async fn a_request_that_does_not_end_does_not_hold_up_the_stop() {
    let began = Arc::new(Notify::new());
    let handler = {
        let began = Arc::clone(&began);
        async move || {
            began.notify_one();
            std::future::pending::<&str>().await
        }
    };
    let limits = Limits {
        farewell: Duration::from_millis(1),
        ..LIMITS
    };
    let server = served(Router::new().route("/", get(handler)), limits).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n")
        .await
        .unwrap();
    in_time(began.notified()).await;
    server.stop.send_replace(true);
    in_time(server.ended).await.unwrap();
    assert_eq!(rest(&mut stream).await, "");
}

#[tokio::test]
async fn a_head_that_does_not_arrive_is_not_waited_for() {
    let limits = Limits {
        head: Duration::from_millis(1),
        ..LIMITS
    };
    let server = served(hello(), limits).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nhost: he")
        .await
        .unwrap();
    assert!(!rest(&mut stream).await.contains("hello"));
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_not_waited_for() {
    let limits = Limits {
        answer: Duration::from_millis(1),
        ..LIMITS
    };
    let router = Router::new().route("/", get(async || std::future::pending::<&str>().await));
    let server = served(router, limits).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n")
        .await
        .unwrap();
    assert_eq!(rest(&mut stream).await, "");
}

#[tokio::test]
async fn a_head_without_end_is_refused() {
    let server = served(hello(), LIMITS).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "GET / HTTP/1.1\r\nhost: here\r\nx: {}\r\n\r\n",
        "x".repeat(32 << 10)
    );
    let (mut reading, mut writing) = stream.split();
    let mut answer = Vec::new();
    // It is refused before all of it was written, so writing may fail.
    let (_, read) = tokio::join!(
        writing.write_all(head.as_bytes()),
        reading.read_to_end(&mut answer)
    );
    assert!(read.is_err() || answer.starts_with(b"HTTP/1.1 431 "));
}

#[tokio::test]
async fn connections_beyond_the_bound_wait_for_a_place() {
    let server = served(
        hello(),
        Limits {
            connections: 1,
            ..LIMITS
        },
    )
    .await;
    let mut first = TcpStream::connect(server.address).await.unwrap();
    ask(&mut first).await;
    let mut second = TcpStream::connect(server.address).await.unwrap();
    second
        .write_all(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n")
        .await
        .unwrap();
    // The first is served once more while the second waits.
    ask(&mut first).await;
    let mut byte = [0];
    let none = second.try_read(&mut byte);
    assert!(matches!(none, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock));
    drop(first);
    assert_eq!(in_time(second.read(&mut byte)).await.unwrap(), 1);
}
