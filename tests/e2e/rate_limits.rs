//! What one caller may do in a minute, and that nobody else pays for it.

use crate::support::{Browser, Http, Phone, Server, data_dir, until};

/// RFC 6455, section 7.4.1, and the registry of close codes.
const POLICY_VIOLATION: u16 = 1008;
const TRY_AGAIN_LATER: u16 = 1013;

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

/// Misses until misses are refused. However long that takes, a refusal comes within the minute of
/// the misses before it.
async fn miss_until_refused(page: impl Fn(usize) -> Http) {
    let mut misses = 0..;
    until("a miss that is refused", async || {
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
async fn logins_go_on_behind_an_address_that_missed() {
    let data = data_dir();
    let server = Server::start(data.path());
    let (browser, phone) = (Browser::open(&server).await, Phone::new(&server, 1));
    let of_page = |_| stranger(&server).with("origin", &server.facts.url);
    let of_many_pages = |n| stranger(&server).with("origin", &format!("https://{n}.example"));
    for of_address in [false, true] {
        miss_until_refused(of_page).await;
        if of_address {
            miss_until_refused(of_many_pages).await;
        }
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
    until("a socket that is refused for misses", async || {
        miss_until_refused(|_| stranger(&server)).await;
        let mut socket = browser.watch_with(&"A".repeat(43)).await;
        // Where a new minute has begun since, it is a miss like others.
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
