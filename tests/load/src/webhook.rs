//! Time from a text to its webhook.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::client::Client;
use crate::figures::percentiles;
use crate::server::Server;

/// Number of connections that send texts in turn, so that no text waits for the answer to another.
const PROVIDERS: usize = 16;

/// Sends `rate` texts a second at even intervals, whether the webhooks keep up or not.
pub(crate) async fn measure(server: &Server, rate: u32, duration: Duration) {
    let count = (u64::from(rate) * duration.as_secs())
        .try_into()
        .unwrap_or(usize::MAX);
    let (url, mut arrivals) = crate::receiver::start().await;
    let confirmations = open(server, &url, count).await;

    let (accepted, mut acceptances) = mpsc::unbounded_channel();
    let mut providers = Vec::new();
    for _ in 0..PROVIDERS {
        let (hand_in, mut texts) = mpsc::unbounded_channel::<(String, String)>();
        let mut client = Client::connect(&server.authority).await;
        let (secret, send_to) = (server.inbound_secret.clone(), server.send_to.clone());
        let accepted = accepted.clone();
        tokio::spawn(async move {
            while let Some((id, message)) = texts.recv().await {
                let sent = Instant::now();
                text(&mut client, &secret, &send_to, &id, &message).await;
                let _ = accepted.send((id, sent, Instant::now()));
            }
        });
        providers.push(hand_in);
    }
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / rate);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
    for (number, confirmation) in confirmations.into_iter().enumerate() {
        ticks.tick().await;
        let _ = providers[number % PROVIDERS].send(confirmation);
    }

    let mut came = HashMap::new();
    while came.len() < count {
        let (id, at) = arrivals.recv().await.unwrap();
        came.insert(id, at);
    }
    let (mut from_sent, mut from_accepted) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let (id, sent, accepted) = acceptances.recv().await.unwrap();
        from_sent.push(came[&id] - sent);
        from_accepted.push(came[&id].saturating_duration_since(accepted));
    }
    println!("text to webhook, {rate} texts a second:");
    println!("  from the text's sending:    {}", percentiles(from_sent));
    println!(
        "  from the text's acceptance: {}",
        percentiles(from_accepted)
    );
}

/// Starts the confirmations beforehand; returns their ids and messages.
async fn open(server: &Server, callback: &str, count: usize) -> Vec<(String, String)> {
    let mut client = Client::connect(&server.authority).await;
    let body = json!({"callbackUrl": callback, "metadata": {"order": "17"}}).to_string();
    let mut confirmations = Vec::with_capacity(count);
    for _ in 0..count {
        let headers = [("x-api-key", server.api_key.as_str())];
        let (status, answer) = client
            .post("/acquire-phone-number", &headers, body.clone())
            .await;
        assert_eq!(status, 200);
        let confirmation: Value = serde_json::from_slice(&answer).unwrap();
        let field = |name: &str| confirmation[name].as_str().unwrap().to_owned();
        confirmations.push((field("confirmationId"), field("confirmationMessage")));
    }
    confirmations
}

async fn text(client: &mut Client, secret: &str, send_to: &str, id: &str, message: &str) {
    let body = json!({"from": "+12025550100", "to": send_to, "text": message}).to_string();
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let signer = standardwebhooks::Webhook::new(secret).unwrap();
    let signature = signer
        .sign(id, i64::try_from(now).unwrap(), body.as_bytes())
        .unwrap();
    let now = now.to_string();
    let headers = [
        ("webhook-id", id),
        ("webhook-timestamp", now.as_str()),
        ("webhook-signature", signature.as_str()),
    ];
    let (status, _) = client.post("/inbound-sms/generic", &headers, body).await;
    assert!((200..300).contains(&status), "{status}");
}
