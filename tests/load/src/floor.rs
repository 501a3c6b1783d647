//! The machine's own limits, for comparison: an HTTP server that answers immediately, and a single disk
//! flush.

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::client::Client;
use crate::figures::{percentiles, rate};

/// Measures and prints the floors.
pub(crate) async fn print(duration: Duration, callers: usize) {
    println!(
        "floor, a flush of 4 KiB to disk: {}",
        percentiles(flushes(duration))
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    let router = Router::new().route("/", post(|| async { "{}" }));
    // On a separate thread, as the real server is a separate process.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let listener = listener.into_std().unwrap();
        runtime.block_on(async move {
            axum::serve(TcpListener::from_std(listener).unwrap(), router).await
        })
    });
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..callers {
        let mut client = Client::connect(&authority).await;
        tasks.spawn(async move {
            let mut count = 0;
            while began.elapsed() < duration {
                client.post("/", &[], "{}".to_owned()).await;
                count += 1;
            }
            count
        });
    }
    let count: usize = tasks.join_all().await.into_iter().sum();
    println!(
        "floor, HTTP that does nothing: {:.0} a second",
        rate(count, began.elapsed())
    );
    let paced = percentiles(paced(&authority, duration).await);
    println!("floor, the same at 100 a second: {paced}");
}

/// Sends a hundred requests a second at even intervals, and returns their durations. They show the delay that
/// the scheduler alone adds at that pace.
async fn paced(authority: &str, duration: Duration) -> Vec<Duration> {
    let mut client = Client::connect(authority).await;
    let mut ticks = tokio::time::interval(Duration::from_millis(10));
    let began = Instant::now();
    let mut times = Vec::new();
    while began.elapsed() < duration {
        ticks.tick().await;
        let sent = Instant::now();
        client.post("/", &[], "{}".to_owned()).await;
        times.push(sent.elapsed());
    }
    times
}

fn flushes(duration: Duration) -> Vec<Duration> {
    let folder = tempfile::tempdir_in("target")
        .or_else(|_| tempfile::tempdir())
        .unwrap();
    let mut file = File::create(folder.path().join("flush")).unwrap();
    let began = Instant::now();
    let mut times = Vec::new();
    while began.elapsed() < duration {
        let before = Instant::now();
        file.write_all(&[0; 4096]).unwrap();
        file.sync_data().unwrap();
        times.push(before.elapsed());
    }
    times
}
