//! A program that uses the installed package.

// The first sample of the README.
#[allow(dead_code)]
mod readme;

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex};

use countersign_client::handlers::WebhookHandler;
use countersign_client::{AcquireRequest, BoxError, Countersign};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Input {
    url: String,
    secret: String,
    delivery: Delivery,
}

#[derive(Deserialize)]
struct Delivery {
    method: String,
    headers: HashMap<String, String>,
    body: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let argument = std::env::args().nth(1).ok_or("no input")?;
    let Input {
        url,
        secret,
        delivery,
    } = serde_json::from_str(&argument)?;
    let client = Countersign::builder(url, "cs_live_secret")
        .webhook_secret(secret)
        .build()?;
    let request = AcquireRequest::new().callback_url("https://shop.example/webhook");
    let started = client.confirmations().acquire(request).await?;
    let id = started.confirmation_id;
    let numbers: Arc<Mutex<Vec<String>>> = Arc::default();
    let written = Arc::clone(&numbers);
    let handler = WebhookHandler::builder(&client)
        .on_verified(move |event| {
            written.lock().unwrap().push(event.phone_number);
            async { Ok::<_, BoxError>(()) }
        })
        .build()?;
    let forged = delivery.body.replace("0100", "0199");
    let mut statuses = Vec::new();
    for body in [&delivery.body, &delivery.body, &forged] {
        let reply = handler.answer(&delivery.method, &delivery.headers, body.as_bytes());
        statuses.push(reply.await.status().as_u16());
    }
    let problem = client.confirmations().get(&id).await.err();
    let problem = problem.as_ref().and_then(|error| error.code());
    println!("{}", countersign_client::VERSION);
    let numbers = numbers.lock().unwrap().clone();
    println!(
        "{}",
        json!({ "confirmationId": id, "numbers": numbers, "statuses": statuses, "problem": problem })
    );
    Ok(())
}
