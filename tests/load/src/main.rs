//! Measures the speed of `countersign serve` over loopback: acquisitions per second, each on disk before
//! its answer; the time from a text to its webhook; and the time from a login's confirmation to its
//! browser. Also measures how parsing time grows with the length of untrusted input. Every measurement has
//! a limit in count or time.
//!
//! `make bench` builds the server with the release profile and runs this. The same run measures an HTTP
//! server that does nothing and a single disk flush, which show how much of each figure is due to the
//! machine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a measurement fails by panicking, and its output is its result"
)]

mod acquire;
mod client;
mod figures;
mod floor;
mod login;
mod parsing;
mod receiver;
mod server;
mod webhook;

use std::time::Duration;

use figures::mebibytes;
use server::Server;

/// Duration of each measurement.
const DURATION: Duration = Duration::from_secs(10);
/// Concurrent callers for acquisitions.
const CALLERS: usize = 64;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let binary = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "target/release/countersign".to_owned());
    let size = std::fs::metadata(&binary)
        .expect("build the server first: make bench")
        .len();
    println!("binary: {:.1} MiB", mebibytes(size));
    parsing::print();
    floor::print(DURATION / 2, CALLERS).await;

    let server = Server::start(&binary).await;
    println!(
        "resident memory after the start: {:.1} MiB",
        server.resident()
    );

    for rate in [100, 500] {
        webhook::measure(&server, rate, DURATION).await;
        println!("  resident memory: {:.1} MiB", server.resident());
    }
    acquire::measure(&server, CALLERS, DURATION).await;
    println!("  resident memory: {:.1} MiB", server.resident());
    webhook::measure(&server, 100, DURATION).await;
    println!("  resident memory: {:.1} MiB", server.resident());
    for rate in [20, 100] {
        login::measure(&server, rate, DURATION).await;
        println!("  resident memory: {:.1} MiB", server.resident());
    }
}
