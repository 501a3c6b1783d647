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
mod args;
mod client;
mod figures;
mod floor;
mod login;
mod parsing;
mod receiver;
mod server;
mod webhook;

use clap::Parser as _;

use args::Args;
use figures::mebibytes;
use server::Server;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args = Args::parse();
    let (duration, callers) = (args.duration(), args.callers());
    let size = std::fs::metadata(&args.binary)
        .expect("the arguments name a file")
        .len();
    println!("binary: {:.1} MiB", mebibytes(size));
    parsing::print();
    floor::print(duration / 2, callers).await;

    let server = Server::start(&args.binary).await;
    println!(
        "resident memory after the start: {:.1} MiB",
        server.resident()
    );

    for rate in [100, 500] {
        webhook::measure(&server, rate, duration).await;
        println!("  resident memory: {:.1} MiB", server.resident());
    }
    acquire::measure(&server, callers, duration).await;
    println!("  resident memory: {:.1} MiB", server.resident());
    webhook::measure(&server, 100, duration).await;
    println!("  resident memory: {:.1} MiB", server.resident());
    for rate in [20, 100] {
        login::measure(&server, rate, duration).await;
        println!("  resident memory: {:.1} MiB", server.resident());
    }
}
