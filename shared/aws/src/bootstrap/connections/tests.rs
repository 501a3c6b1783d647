#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::future::{pending, ready};

use tokio::time::{Instant, sleep};

use super::*;

fn broken() -> Result<(), Unavailable> {
    Err(Unavailable::new("store: connect", "no"))
}

async fn takes(seconds: u64) -> Result<(), Unavailable> {
    // sleep: on a paused clock, so that no time passes
    sleep(Duration::from_secs(seconds)).await;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn connections_are_made_concurrently() {
    let (began, connections) = (Instant::now(), Connections::default());
    connections.require(takes(4));
    connections.require(takes(3));
    connections.attempt("queue", takes(1));
    // The wiring itself waits concurrently.
    takes(4).await.unwrap();
    connections.made().await.unwrap();
    assert_eq!(began.elapsed(), Duration::from_secs(4));
}

#[tokio::test(start_paused = true)]
async fn optional_connection_delays_the_start_by_its_timeout_at_most() {
    let (began, connections) = (Instant::now(), Connections::default());
    connections.attempt("push", ready(broken()));
    connections.attempt("signer", pending());
    connections.attempt("queue", pending());
    connections.require(takes(1));
    connections.made().await.unwrap();
    assert_eq!(began.elapsed(), OPTIONAL_TIMEOUT);
}

#[tokio::test(start_paused = true)]
async fn failed_required_connection_fails_the_start() {
    let connections = Connections::default();
    connections.attempt("queue", ready(Ok(())));
    connections.require(ready(broken()));
    let error = connections.made().await.unwrap_err();
    assert_eq!(error.what(), "store: connect");
}
