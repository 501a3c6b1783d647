mod pace;
mod trouble;

use std::net::SocketAddr;

use axum::routing::get;
use countersign_system::entropy::OsEntropy;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::*;

/// Timeout that only a hanging test reaches.
const HUNG: Duration = Duration::from_mins(1);

const LIMITS: Limits = Limits {
    connections: 8,
    per_address: 8,
    per_site: 8,
    settled: Duration::ZERO,
    head: HUNG,
    answer: HUNG,
    write_stall: HUNG,
    write: HUNG,
    buffer: 16 << 10,
    shutdown_grace: HUNG,
};

struct Served {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    ended: JoinHandle<()>,
}

fn host(limits: Limits) -> Host {
    Host {
        limits,
        trusted_proxies: Vec::new(),
        counters: Arc::new(Counters::new().unwrap()),
        entropy: Arc::new(OsEntropy),
    }
}

/// Returns the count of an event.
fn counted(counters: &Counters, name: &str) -> u64 {
    let events = counters.snapshot().events;
    events
        .iter()
        .find(|count| count.name == name)
        .unwrap()
        .count
}

async fn served(router: Router, limits: Limits) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    served_on(listener, router, limits)
}

fn served_on(listener: TcpListener, router: Router, limits: Limits) -> Served {
    let address = listener.local_addr().unwrap();
    let (stop, stopping) = watch::channel(false);
    let ended = tokio::spawn(serve(listener, router, host(limits), stopping));
    Served {
        address,
        stop,
        ended,
    }
}

/// Returns a listener, and a socket that reserves its port after it is closed, so that no other test gets
/// it.
fn listener_and_keeper() -> (TcpListener, TcpSocket) {
    let (socket, keeper) = (TcpSocket::new_v4().unwrap(), TcpSocket::new_v4().unwrap());
    socket.set_reuseport(true).unwrap();
    keeper.set_reuseport(true).unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    keeper.bind(socket.local_addr().unwrap()).unwrap();
    (socket.listen(8).unwrap(), keeper)
}

fn hello() -> Router {
    Router::new().route("/", get(async || "hello"))
}

async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(HUNG, future).await.expect("hung")
}

/// Sends a request on a connection that stays open, and returns the answer.
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

/// Reads until the other side closes.
async fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    // A reset is equivalent to an end.
    let _ = in_time(stream.read_to_end(&mut answer)).await;
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn connection_is_reused_and_closed_at_the_stop() {
    let (listener, _keeper) = listener_and_keeper();
    let server = served_on(listener, hello(), LIMITS);
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    assert!(ask(&mut stream).await.starts_with("HTTP/1.1 200 OK\r\n"));
    ask(&mut stream).await;
    server.stop.send_replace(true);
    assert_eq!(rest(&mut stream).await, "");
    in_time(server.ended).await.unwrap();
    assert!(
        TcpStream::connect(server.address).await.is_err(),
        "nobody listens after the stop"
    );
}

#[tokio::test]
async fn request_under_way_at_the_stop_is_answered() {
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
async fn endless_request_does_not_delay_the_stop() {
    let began = Arc::new(Notify::new());
    let handler = {
        let began = Arc::clone(&began);
        async move || {
            began.notify_one();
            std::future::pending::<&str>().await
        }
    };
    let limits = Limits {
        shutdown_grace: Duration::from_millis(1),
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
async fn missing_head_closes_the_connection() {
    let limits = Limits {
        head: Duration::from_millis(1),
        ..LIMITS
    };
    let server = served(hello(), limits).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    // The server may already have closed the connection.
    let _ = stream.write_all(b"GET / HTTP/1.1\r\nhost: he").await;
    assert!(!rest(&mut stream).await.contains("hello"));
}

#[tokio::test]
async fn late_answer_closes_the_connection() {
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
async fn endless_head_is_refused() {
    let server = served(hello(), LIMITS).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "GET / HTTP/1.1\r\nhost: here\r\nx: {}\r\n\r\n",
        "x".repeat(32 << 10)
    );
    let (mut reading, mut writing) = stream.split();
    let mut answer = Vec::new();
    // The server refuses before everything is written, so writing may fail.
    let (_, read) = tokio::join!(
        writing.write_all(head.as_bytes()),
        reading.read_to_end(&mut answer)
    );
    assert!(read.is_err() || answer.starts_with(b"HTTP/1.1 431 "));
}

#[tokio::test]
async fn connection_to_a_fully_busy_server_gets_503() {
    let began = Arc::new(Notify::new());
    let handler = {
        let began = Arc::clone(&began);
        async move || {
            began.notify_one();
            std::future::pending::<&str>().await
        }
    };
    let router = Router::new().route("/", get(handler));
    for limits in [
        Limits {
            connections: 1,
            ..LIMITS
        },
        Limits {
            per_address: 1,
            ..LIMITS
        },
    ] {
        let server = served(router.clone(), limits).await;
        let mut first = TcpStream::connect(server.address).await.unwrap();
        first
            .write_all(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n")
            .await
            .unwrap();
        in_time(began.notified()).await;
        let mut second = TcpStream::connect(server.address).await.unwrap();
        second
            .write_all(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n")
            .await
            .unwrap();
        let answer = rest(&mut second).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(
            head.starts_with("HTTP/1.1 503 Service Unavailable\r\n"),
            "{head}"
        );
        for header in [
            "content-type: application/problem+json".to_owned(),
            "retry-after: 5".to_owned(),
            "connection: close".to_owned(),
            format!("content-length: {}", body.len()),
        ] {
            assert!(
                head.lines().any(|line| line == header),
                "{header} in {head}"
            );
        }
        let problem: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(problem["code"], "service_unavailable");
        assert!(problem["requestId"].as_str().unwrap().starts_with("req_"));
    }
}

/// New connections are not closed in favor of others, which get 503 instead.
#[tokio::test]
async fn each_of_many_concurrent_calls_is_answered() {
    let limits = Limits {
        per_address: 4,
        settled: HUNG,
        ..LIMITS
    };
    let server = served(hello(), limits).await;
    let mut streams = Vec::new();
    for _ in 0..40 {
        streams.push(TcpStream::connect(server.address).await.unwrap());
    }
    let request = b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n";
    for stream in &mut streams {
        stream.write_all(request).await.unwrap();
    }
    let mut hellos = 0;
    for stream in &mut streams {
        let answer = rest(stream).await;
        if answer.ends_with("hello") {
            hellos += 1;
        } else {
            assert!(answer.starts_with("HTTP/1.1 503 "), "{answer:?}");
            assert!(answer.contains("\r\nretry-after: 5\r\n"), "{answer:?}");
        }
    }
    assert!(hellos >= 4, "{hellos}");
}

#[tokio::test]
async fn request_on_a_connection_that_makes_room_is_refused() {
    let limits = Limits {
        connections: 1,
        ..LIMITS
    };
    let server = served(hello(), limits).await;
    let mut first = TcpStream::connect(server.address).await.unwrap();
    first.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
    let mut second = TcpStream::connect(server.address).await.unwrap();
    ask(&mut second).await;
    first.write_all(b"host: here\r\n\r\n").await.unwrap();
    let answer = rest(&mut first).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer:?}");
    assert!(answer.contains("\r\nretry-after: 5\r\n"), "{answer:?}");
    assert!(answer.contains("\r\nconnection: close\r\n"), "{answer:?}");
    ask(&mut second).await;
}

#[tokio::test]
async fn waiting_connection_makes_room_for_another() {
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
    ask(&mut second).await;
    assert_eq!(rest(&mut first).await, "");
    ask(&mut second).await;
}
