//! Acquisitions by several callers, each sending one request after the other.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::Client;
use crate::empty::Answer;
use crate::figures::Throughput;
use crate::server::Server;

pub(crate) const PATH: &str = "/acquire-phone-number";

/// A confirmation that has been started.
pub(crate) struct Confirmation {
    pub(crate) id: String,
    /// The text to send.
    pub(crate) message: String,
}

/// Returns the body of a request.
pub(crate) fn body(callback: &str) -> String {
    json!({"callbackUrl": callback, "metadata": {"order": "17"}}).to_string()
}

/// Starts one confirmation and returns the answer.
pub(crate) async fn once(server: &Server) -> Answer {
    let mut client = Client::connect(&server.authority).await;
    let headers = [("x-api-key", server.api_key.as_str())];
    let body = body("http://127.0.0.1:9/hook");
    let answer = client.post(PATH, &headers, body).await;
    assert_eq!(answer.status, 200);
    answer
}

/// Runs `callers` concurrent callers against a server, `serve` or another.
pub(crate) async fn measure(
    authority: &str,
    api_key: &str,
    callers: usize,
    duration: Duration,
) -> Throughput {
    let body = body("http://127.0.0.1:9/hook");
    let mut clients = Vec::new();
    for _ in 0..callers {
        clients.push(Client::connect(authority).await);
    }
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for mut client in clients {
        let (body, key) = (body.clone(), api_key.to_owned());
        tasks.spawn(async move {
            let mut times = Vec::new();
            while began.elapsed() < duration {
                let sent = Instant::now();
                let headers = [("x-api-key", key.as_str())];
                let answer = client.post(PATH, &headers, body.clone()).await;
                assert_eq!(answer.status, 200);
                times.push(sent.elapsed());
            }
            times
        });
    }
    let times: Vec<Duration> = tasks.join_all().await.into_iter().flatten().collect();
    Throughput::new(times, began.elapsed())
}

/// Starts `count` confirmations over `callers` connections.
pub(crate) async fn begin(
    server: &Server,
    callback: &str,
    count: usize,
    callers: usize,
) -> Vec<Confirmation> {
    let mut tasks = JoinSet::new();
    for share in shares(count, callers) {
        let mut client = Client::connect(&server.authority).await;
        let (body, key) = (body(callback), server.api_key.clone());
        tasks.spawn(async move {
            let mut begun = Vec::with_capacity(share);
            for _ in 0..share {
                let headers = [("x-api-key", key.as_str())];
                let answer = client.post(PATH, &headers, body.clone()).await;
                assert_eq!(answer.status, 200);
                let confirmation: Value = serde_json::from_slice(&answer.body).unwrap();
                let field = |name: &str| confirmation[name].as_str().unwrap().to_owned();
                begun.push(Confirmation {
                    id: field("confirmationId"),
                    message: field("confirmationMessage"),
                });
            }
            begun
        });
    }
    tasks.join_all().await.into_iter().flatten().collect()
}

/// Starts `count` confirmations over `callers` connections, without keeping them.
pub(crate) async fn fill(server: &Server, count: usize, callers: usize) {
    let mut tasks = JoinSet::new();
    for share in shares(count, callers) {
        let mut client = Client::connect(&server.authority).await;
        let (body, key) = (body("http://127.0.0.1:9/hook"), server.api_key.clone());
        tasks.spawn(async move {
            for _ in 0..share {
                let headers = [("x-api-key", key.as_str())];
                let answer = client.post(PATH, &headers, body.clone()).await;
                assert_eq!(answer.status, 200);
            }
        });
    }
    tasks.join_all().await;
}

/// Divides a count among callers.
fn shares(count: usize, callers: usize) -> impl Iterator<Item = usize> {
    (0..callers).map(move |caller| count / callers + usize::from(caller < count % callers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        assert_eq!(shares(10, 4).collect::<Vec<_>>(), [3, 3, 2, 2]);
        assert_eq!(shares(3, 64).sum::<usize>(), 3);
    }
}
