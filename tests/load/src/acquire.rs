//! Acquisitions per second.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;

use crate::client::Client;
use crate::figures::{percentiles, rate};
use crate::server::Server;

/// Runs `callers` concurrent callers, each acquiring one number after the other.
pub(crate) async fn measure(server: &Server, callers: usize, duration: Duration) {
    let body = json!({"callbackUrl": "http://127.0.0.1:9/hook", "metadata": {"order": "17"}});
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..callers {
        let (body, key) = (body.to_string(), server.api_key.clone());
        let mut client = Client::connect(&server.authority).await;
        tasks.spawn(async move {
            let mut times = Vec::new();
            while began.elapsed() < duration {
                let sent = Instant::now();
                let headers = [("x-api-key", key.as_str())];
                let (status, _) = client
                    .post("/acquire-phone-number", &headers, body.clone())
                    .await;
                assert_eq!(status, 200);
                times.push(sent.elapsed());
            }
            times
        });
    }
    let times: Vec<Duration> = tasks.join_all().await.into_iter().flatten().collect();
    let took = began.elapsed();
    println!("acquisitions, {callers} callers, each on disk before its answer:");
    println!(
        "  {:.0} a second, {}",
        rate(times.len(), took),
        percentiles(times)
    );
}
