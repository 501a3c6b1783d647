//! Time from a text to its webhook.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;
use tokio::sync::mpsc;

use crate::acquire;
use crate::client::Client;
use crate::empty::Answer;
use crate::figures::Times;
use crate::pace;
use crate::receiver::{self, Arrivals};
use crate::server::Server;

/// Number of connections that send texts in turn. The number is large enough that no text has to wait
/// for the answer to another one, unless answers take a tenth of a second.
const PROVIDERS: usize = 64;

const PATH: &str = "/inbound-sms/generic";

/// A text with the signature of an SMS provider.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    id: String,
    timestamp: String,
    signature: String,
    body: String,
}

/// Latencies of texts, each measured from the intended sending time.
#[derive(Clone, Debug)]
pub(crate) struct Latency {
    /// Time until the text was answered.
    pub(crate) answered: Times,
    /// Time until the webhook arrived; empty for a server that sends none.
    pub(crate) webhooks: Times,
}

/// Sends one text to `serve`, and returns the answer.
pub(crate) async fn once(server: &Server) -> Answer {
    let (url, _arrivals) = receiver::start().await;
    let texts = texts(server, &url, 1).await;
    let mut client = Client::connect(&server.authority).await;
    send(&mut client, texts.first().expect("one text")).await
}

/// Sends `rate` texts per second to `serve` at fixed times, whether or not the webhooks keep up.
pub(crate) async fn measure(server: &Server, rate: u32, duration: Duration) -> Latency {
    let (url, mut arrivals) = receiver::start().await;
    let texts = texts(server, &url, pace::count(rate, duration)).await;
    measure_texts(
        &server.authority,
        (rate, duration),
        texts,
        Some(&mut arrivals),
    )
    .await
}

/// Sends texts to the empty server at the same times. It sends no webhooks.
pub(crate) async fn measure_empty(authority: &str, rate: u32, duration: Duration) -> Latency {
    let count = pace::count(rate, duration);
    let texts = (0..count).map(of_nobody).collect();
    measure_texts(authority, (rate, duration), texts, None).await
}

async fn measure_texts(
    authority: &str,
    (rate, duration): (u32, Duration),
    texts: Vec<Text>,
    arrivals: Option<&mut Arrivals>,
) -> Latency {
    let ids: Vec<String> = texts.iter().map(|text| text.id.clone()).collect();
    let sent = send_all(authority, rate, texts).await;
    let counted = &ids[pace::warm_up(rate, duration)..];
    let webhooks = match arrivals {
        None => Vec::new(),
        Some(arrivals) => {
            let came = first_arrivals(arrivals, ids.len()).await;
            let time = |id| came[id].saturating_duration_since(sent[id].intended);
            counted.iter().map(time).collect()
        }
    };
    Latency {
        answered: answered(counted, &sent),
        webhooks: Times::new(webhooks),
    }
}

/// Waits for the webhooks of `count` confirmations, and returns when the first webhook of each
/// arrived.
async fn first_arrivals(arrivals: &mut Arrivals, count: usize) -> HashMap<String, Instant> {
    let mut came = HashMap::new();
    while came.len() < count {
        let arrival = arrivals.recv().await.unwrap();
        came.entry(arrival.confirmation).or_insert(arrival.at);
    }
    came
}

/// The times of one text.
struct Sent {
    /// When the text should be sent.
    intended: Instant,
    answered: Instant,
}

fn answered(ids: &[String], sent: &HashMap<String, Sent>) -> Times {
    let time = |id| sent[id].answered - sent[id].intended;
    Times::new(ids.iter().map(time).collect())
}

async fn send_all(authority: &str, rate: u32, texts: Vec<Text>) -> HashMap<String, Sent> {
    let (done, mut finished) = mpsc::unbounded_channel();
    let mut providers = Vec::new();
    for _ in 0..PROVIDERS {
        let (hand_in, mut texts) = mpsc::unbounded_channel::<(Text, Instant)>();
        let mut client = Client::connect(authority).await;
        let done = done.clone();
        tokio::spawn(async move {
            while let Some((text, intended)) = texts.recv().await {
                let answer = send(&mut client, &text).await;
                assert!(answer.status.is_success(), "{}", answer.status);
                let answered = Instant::now();
                let _ = done.send((text.id, Sent { intended, answered }));
            }
        });
        providers.push(hand_in);
    }
    drop(done);
    let mut instants = pace::instants(rate, texts.len());
    for (text, provider) in texts.into_iter().zip(providers.iter().cycle()) {
        let at = instants.recv().await.unwrap();
        let _ = provider.send((text, at));
    }
    drop(providers);
    let mut sent = HashMap::new();
    while let Some((id, times)) = finished.recv().await {
        sent.insert(id, times);
    }
    sent
}

/// Starts confirmations and returns their texts.
async fn texts(server: &Server, callback: &str, count: usize) -> Vec<Text> {
    let begun = acquire::begin(server, callback, count, PROVIDERS.min(count)).await;
    let signer = Signer::new(server);
    let sign = |acquire::Confirmation { id, message }| signer.sign(id, "+12025550100", &message);
    begun.into_iter().map(sign).collect()
}

/// Signs texts to a server's number as its SMS provider does.
#[derive(Clone)]
pub(crate) struct Signer {
    secret: Arc<standardwebhooks::Webhook>,
    to: String,
}

impl Signer {
    pub(crate) fn new(server: &Server) -> Self {
        let secret = standardwebhooks::Webhook::new(&server.inbound_secret).unwrap();
        Self {
            secret: Arc::new(secret),
            to: server.send_to.clone(),
        }
    }

    /// Returns a text under the id of its confirmation.
    pub(crate) fn sign(&self, id: String, from: &str, message: &str) -> Text {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let now = i64::try_from(now.as_secs()).unwrap();
        let body = json!({"from": from, "to": self.to, "text": message}).to_string();
        let signature = self.secret.sign(&id, now, body.as_bytes()).unwrap();
        Text {
            id,
            timestamp: now.to_string(),
            signature,
            body,
        }
    }
}

/// Returns a text of realistic length for the empty server, which does not verify it.
fn of_nobody(number: usize) -> Text {
    let message = "Send this text to confirm: CS-0123456789ABCDEFGH";
    Text {
        id: format!("cfm_{number:032}"),
        timestamp: "1700000000".to_owned(),
        signature: format!("v1,{}", "A".repeat(44)),
        body: json!({"from": "+12025550100", "to": "+12025550199", "text": message}).to_string(),
    }
}

pub(crate) async fn send(client: &mut Client, text: &Text) -> Answer {
    let headers = [
        ("webhook-id", text.id.as_str()),
        ("webhook-timestamp", text.timestamp.as_str()),
        ("webhook-signature", text.signature.as_str()),
    ];
    client.post(PATH, &headers, text.body.clone()).await
}
