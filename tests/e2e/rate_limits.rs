//! What one caller may do in a minute, and that nobody else pays for it.

use crate::support::{Browser, Http, Phone, Server, data_dir};

const UNKNOWN: &str = "/qr-sessions/qrs_0123456789abcdef0123456789abcdef";

/// A caller with a token that fits no session.
fn stranger(server: &Server) -> Http {
    let token = format!("Bearer {}", "A".repeat(43));
    server.anyone().with("authorization", &token)
}

#[tokio::test]
async fn limits_can_be_lifted_in_local_mode() {
    let data = data_dir();
    let server = Server::start_with(data.path(), &["--no-rate-limits"]);
    let stranger = stranger(&server);
    for _ in 0..40 {
        let answer = stranger.get(UNKNOWN).await;
        assert_eq!(answer.problem(404), "session_not_found");
    }
}

#[test]
fn limits_cannot_be_lifted_elsewhere() {
    let data = data_dir();
    let public = [
        "--listen",
        "127.0.0.1:0",
        "--public-url",
        "https://verify.example",
    ];
    for place in [&public[..], &["--listen", "0.0.0.0:0"]] {
        let args = [place, &["--no-rate-limits"]].concat();
        let refusal = Server::refusal(data.path(), &args);
        assert!(refusal.contains("local mode"), "{refusal}");
    }
}

/// Misses from this address as a page of the server's own, until misses are refused.
async fn flood(server: &Server, misses: usize) {
    let page = stranger(server).with("origin", &server.facts.url);
    for _ in 0..30 {
        page.get(UNKNOWN).await;
    }
    assert_eq!(page.get(UNKNOWN).await.problem(429), "too_many_misses");
    for n in 0..misses {
        let origin = format!("https://{n}.example");
        stranger(server).with("origin", &origin).get(UNKNOWN).await;
    }
}

#[tokio::test]
async fn logins_go_on_behind_an_address_that_missed() {
    let data = data_dir();
    let server = Server::start(data.path());
    let (browser, phone) = (Browser::open(&server).await, Phone::new(&server, 1));
    for misses in [0, 300] {
        flood(&server, misses).await;
        phone.initiate(&browser.id, Some("zoe")).await.ok();
        assert_eq!(browser.state().await, "scanned");
        let another = Browser::open(&server).await;
        another.watch().await;
    }
    let mut socket = browser.watch().await;
    phone.confirm(&browser.id, "yes").await;
    socket.poked().await;
    assert_eq!(browser.redeem().await.ok()["payload"], "yes");
    // Of the first message over a socket the same holds.
    let mut stranger = browser.watch_with(&"A".repeat(43)).await;
    assert_eq!(stranger.closed().await, 1013);
}
