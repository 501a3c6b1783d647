//! Layers that panic.

use axum::middleware::{Next, from_fn};

use super::*;

struct NoEntropy;

impl Entropy for NoEntropy {
    fn fill(&self, _: &mut [u8]) {
        panic!("no entropy");
    }
}

fn panicking() -> Router {
    let fail = async |request: Request, next: Next| {
        assert!(request.uri().path() != "/fail", "the outermost layer");
        next.run(request).await
    };
    hello().layer(from_fn(fail))
}

fn problem(answer: &str) -> serde_json::Value {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("HTTP/1.1 500 Internal Server Error\r\n"),
        "{head}"
    );
    assert!(head.contains("content-type: application/problem+json\r\n"));
    let problem: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(problem["code"], "internal_error");
    let id = problem["requestId"].as_str().unwrap();
    assert!(head.contains(&format!("x-request-id: {id}")), "{head}");
    problem
}

async fn request_with_a_panic(host: Host) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (_stop, stopping) = watch::channel(false);
    tokio::spawn(serve(listener, panicking(), host, stopping));
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The connection survives a request that panicked.
    stream
        .write_all(b"GET /fail HTTP/1.1\r\nhost: here\r\n\r\n")
        .await
        .unwrap();
    let mut answer = String::new();
    while !answer.ends_with('}') {
        let mut part = [0; 1024];
        let count = in_time(stream.read(&mut part)).await.unwrap();
        assert_ne!(count, 0, "closed after {answer}");
        answer.push_str(&String::from_utf8_lossy(&part[..count]));
    }
    ask(&mut stream).await;
    answer
}

#[tokio::test]
async fn panic_in_the_outermost_layer_is_answered() {
    let problem = problem(&request_with_a_panic(host(LIMITS)).await);
    assert!(problem["requestId"].as_str().unwrap().starts_with("req_"));
}

#[tokio::test]
async fn panic_is_answered_even_without_a_request_id() {
    let host = Host {
        entropy: Arc::new(NoEntropy),
        ..host(LIMITS)
    };
    let problem = problem(&request_with_a_panic(host).await);
    assert_eq!(problem["requestId"], "unknown");
}
