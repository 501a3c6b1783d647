//! The client ignores the environment's proxies: a proxy would connect on its behalf, past the
//! guard.
//!
//! A process's environment is read when a client is created and must not change while tests run.
//! The test therefore runs itself again as a child process, which sends.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use bytes::Bytes;
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::web::callback_url::{CallbackPolicy, CallbackUrl};
use countersign_webhook::client::WebhookClient;
use http::HeaderMap;

/// The child's target; unset in the ordinary run.
const TARGET: &str = "CLIENT_PROXY_TEST_TARGET";

struct Epoch;

impl Clock for Epoch {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(0)
    }
}

/// Starts a server that answers every connection with an empty 200, and counts connections.
fn server() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    thread::spawn(move || {
        for stream in listener.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        }
    });
    (address, connections)
}

#[test]
fn environment_proxies_are_ignored() {
    if let Ok(target) = std::env::var(TARGET) {
        return send(&target);
    }
    let ((receiver, visits), (proxy, detours)) = (server(), server());
    let proxy = format!("http://{proxy}");
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "environment_proxies_are_ignored", "--nocapture"]);
    child.env(TARGET, format!("http://{receiver}/hook"));
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        child.env(name, &proxy).env(name.to_lowercase(), &proxy);
    }
    child
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .env_remove("REQUEST_METHOD");
    let status = child.status().unwrap();
    assert!(status.success());
    // Our webhook went to the receiver, the ordinary client's request to the proxy.
    assert_eq!(visits.load(Ordering::SeqCst), 1);
    assert_eq!(detours.load(Ordering::SeqCst), 1);
}

/// Runs in the child: sends one webhook with our client and one request with an ordinary client,
/// which shows that the environment does configure the proxy.
fn send(target: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let policy = CallbackPolicy::local();
        let client = WebhookClient::new(policy.clone(), Arc::new(Epoch)).unwrap();
        let url = CallbackUrl::parse(target, &policy).unwrap();
        let now = Timestamp::from_millis(0);
        let answer = client
            .post(&url, HeaderMap::new(), Bytes::from_static(b"{}"), now)
            .await;
        assert_eq!(answer.unwrap().status, 200);

        rustls::crypto::ring::default_provider()
            .install_default()
            .expect("nobody did before");
        reqwest::Client::builder()
            .build()
            .unwrap()
            .get(target)
            .send()
            .await
            .unwrap();
    });
}
