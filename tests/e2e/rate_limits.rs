//! What one caller may do in a minute, and that nobody else pays for it.

use crate::support::{Http, Server, data_dir};

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
