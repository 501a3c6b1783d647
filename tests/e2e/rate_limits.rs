//! Limits on one caller's failed requests, which do not affect other callers.

use crate::support::{Browser, Http, Phone, Server, data_dir, until};

/// Close code of RFC 6455, section 7.4.1.
const POLICY_VIOLATION: u16 = 1008;
const TRY_AGAIN_LATER: u16 = 1013;

const UNKNOWN: &str = "/qr-sessions/qrs_0123456789abcdef0123456789abcdef";

/// Returns a client whose token is unknown.
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
fn limits_cannot_be_lifted_outside_local_mode() {
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

/// Sends failing requests until they are refused. The refusal comes within a minute of the earlier
/// failures, however long the run takes.
async fn fail_until_refused(page: impl Fn(usize) -> Http) {
    let mut misses = 0..;
    until("a failing request to be refused", async || {
        let answer = page(misses.next()?).get(UNKNOWN).await;
        let refused = answer.status == 429;
        let code = if refused {
            "too_many_misses"
        } else {
            "session_not_found"
        };
        assert_eq!(answer.problem(answer.status), code);
        refused.then_some(())
    })
    .await;
}

#[tokio::test]
async fn logins_continue_behind_a_limited_address() {
    let data = data_dir();
    let server = Server::start(data.path());
    let (browser, phone) = (Browser::open(&server).await, Phone::new(&server, 1));
    let of_page = |_| stranger(&server).with("origin", &server.facts.url);
    let of_many_pages = |n| stranger(&server).with("origin", &format!("https://{n}.example"));
    for of_address in [false, true] {
        fail_until_refused(of_page).await;
        if of_address {
            fail_until_refused(of_many_pages).await;
        }
        phone.initiate(&browser.id, Some("zoe")).await.ok();
        assert_eq!(browser.state().await, "scanned");
        let another = Browser::open(&server).await;
        another.watch().await;
    }
    let mut socket = browser.watch().await;
    phone.confirm(&browser, "yes").await;
    socket.notified().await;
    assert_eq!(browser.payload().await, "yes");
    // The same limit applies to the first message over a WebSocket.
    until("a socket to be refused for failures", async || {
        fail_until_refused(|_| stranger(&server)).await;
        let mut socket = browser.watch_with(&"A".repeat(43)).await;
        // If a new minute has begun, this is an ordinary failure.
        match socket.closed().await {
            TRY_AGAIN_LATER => Some(()),
            code => {
                assert_eq!(code, POLICY_VIOLATION);
                None
            }
        }
    })
    .await;
}
