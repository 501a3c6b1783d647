//! Measures the speed of `countersign serve` over loopback: acquisitions per second, each on disk before its answer;
//! the time from a text to its webhook; memory, file size and start with a million sessions; the time from a login's
//! confirmation to its browser; an app's starts while another app lists; logins with the `OpenID` provider; and the
//! pages of the operator's console. Also measures how parsing time grows with the length of untrusted input. Every
//! measurement is limited by count or by time.
//!
//! `make bench` builds the server with the release profile and runs this. The same run measures an HTTP server that
//! does nothing, and repeated flushes of one block. They show how much of each figure is due to the machine.
//! `docs/performance.md` contains the comparison from such a run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a measurement fails by panicking, and its output is its result"
)]

mod acquire;
mod args;
mod client;
mod compare;
mod console;
mod disk;
mod empty;
mod figures;
mod lists;
mod login;
mod machine;
mod openid;
mod pace;
mod parsing;
mod plots;
mod receiver;
mod report;
mod results;
mod server;
mod sessions;
mod webhook;

use clap::Parser as _;

use args::Args;
use figures::mebibytes;
use server::{Limits, Server};

/// Rates, in texts per second, at which the time to the webhook is measured.
const TEXT_RATES: [u32; 2] = [100, 500];

/// Rates, in logins per second, at which the time to the browser is measured.
const LOGIN_RATES: [u32; 2] = [20, 100];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args = Args::parse();
    let size = std::fs::metadata(&args.binary)
        .expect("the arguments name a file")
        .len();
    println!("binary: {:.1} MiB", mebibytes(size));
    let lists = || lists::measure(&args.binary, args.listed(), args.duration());
    if args.only_lists {
        return lists().await;
    }
    if args.only_console {
        return console::measure(&args.binary, args.sessions().max(1)).await;
    }
    let openid = || openid::measure(&args.binary, args.opened(), args.duration());
    if args.only_openid {
        return openid().await;
    }
    if !args.only_compare {
        parsing::print(args.parsing());
        logins(&args).await;
        lists().await;
        openid().await;
    }
    let results = compare::run(&args).await;
    let section = report::section(&results);
    println!("{}", section.tables);
    if let Some(document) = &args.write {
        section
            .write(document)
            .expect("the document can be written");
    }
}

/// Measures the time from a login's confirmation to its browser.
async fn logins(args: &Args) {
    let data = disk::folder();
    let server = Server::start(&args.binary, data.path(), Limits::Lifted).await;
    for rate in LOGIN_RATES {
        login::measure(&server, rate, args.duration()).await;
    }
    server.stop().await;
}
