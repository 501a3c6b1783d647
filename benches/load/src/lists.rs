//! Measures the confirmations that one app starts while another app lists with a filter that
//! matches nothing.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::process::Command;
use tokio::task::JoinSet;

use crate::acquire;
use crate::client::Client;
use crate::figures::{Times, rate};
use crate::pace;
use crate::server::{Limits, Server};

/// Numbers of connections that list at the same time, each requesting one page after the other.
const LISTING: [usize; 3] = [0, 16, 100];

/// Number of connections that start confirmations, each one after the other.
const STARTING: usize = 4;

/// Number of connections that create the confirmations to be listed.
const FILLING: usize = 64;

/// The most expensive page: the service reads as many confirmations as it ever does for one page, and
/// none matches.
const PAGE: &str = "/confirmations?status=cancelled&limit=100";

/// Starts `listed` confirmations of one app, and measures another app's starts while the first one lists.
pub(crate) async fn measure(binary: &Path, listed: usize, duration: Duration) {
    let folder = crate::disk::folder();
    let server = Server::start(binary, folder.path(), Limits::Lifted).await;
    let other = other_app(binary, folder.path(), &server).await;
    acquire::fill(&server, listed, FILLING.min(listed)).await;
    println!(
        "starts of an app beside another that lists {listed} confirmations, none of which fit:"
    );
    for connections in LISTING {
        let (times, pages) = beside(&server, &other, connections, duration).await;
        println!("  {connections} connections list ({pages:.0} pages a second): {times}");
    }
    server.stop().await;
}

/// Creates another app and returns its API key.
async fn other_app(binary: &Path, data: &Path, server: &Server) -> String {
    let output = Command::new(binary)
        .args(["app", "create", "other", "--json", "--sender"])
        .arg(&server.send_to)
        .arg("--data")
        .arg(data)
        .output();
    let output = output.await.unwrap();
    assert!(output.status.success(), "{output:?}");
    let app: Value = serde_json::from_slice(&output.stdout).unwrap();
    app["apiKey"].as_str().unwrap().to_owned()
}

/// Returns the durations of starts while this many connections list, and the number of pages per
/// second.
async fn beside(
    server: &Server,
    other: &str,
    connections: usize,
    duration: Duration,
) -> (Times, f64) {
    let stopped = Arc::new(AtomicBool::new(false));
    let pages = Arc::new(AtomicU64::new(0));
    let mut listing = JoinSet::new();
    for _ in 0..connections {
        let mut client = Client::connect(&server.authority).await;
        let (stopped, pages) = (Arc::clone(&stopped), Arc::clone(&pages));
        let key = server.api_key.clone();
        listing.spawn(async move {
            while !stopped.load(Ordering::Relaxed) {
                let answer = client.get(PAGE, &[("x-api-key", &key)]).await;
                match answer.status.as_u16() {
                    200 => drop(pages.fetch_add(1, Ordering::Relaxed)),
                    // On a busy machine, the request may not get its turn in time.
                    status => assert_eq!(status, 503),
                }
            }
        });
    }
    starts(server, other, pace::warm_up_time(duration)).await;
    let (before, began) = (pages.load(Ordering::Relaxed), Instant::now());
    let times = starts(server, other, duration).await;
    let listed = pages.load(Ordering::Relaxed) - before;
    let listed = rate(usize::try_from(listed).unwrap(), began.elapsed());
    stopped.store(true, Ordering::Relaxed);
    listing.join_all().await;
    (times, listed)
}

async fn starts(server: &Server, key: &str, duration: Duration) -> Times {
    let measured = acquire::measure(&server.authority, key, STARTING, duration);
    measured.await.times
}
