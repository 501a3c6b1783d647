//! Tests that one app's receivers never delay another app's webhooks.

use serde_json::{Value, json};

use crate::bad_receivers::{Misbehaviour, bad_receiver};
use crate::support::{
    Http, Receiver, Server, countersign, data_dir, deliver_text, unless_hung, until,
};

/// Capacity of the queue. It is so small that a few texts are enough to flood it. Each app gets
/// only a share of the queue.
const QUEUE: &str = "64";
const FLOOD: usize = 200;

/// Creates a second app with the demo app's number, and returns a client with the new app's key.
fn other_app(server: &Server, data: &std::path::Path) -> Http {
    let create = [
        "app",
        "create",
        "other",
        "--sender",
        &server.facts.send_to,
        "--json",
    ];
    let output = countersign(data, &create);
    assert!(output.status.success(), "{output:?}");
    let app: Value = serde_json::from_slice(&output.stdout).unwrap();
    server
        .anyone()
        .with("x-api-key", app["apiKey"].as_str().unwrap())
}

async fn owe(server: &Server, caller: &Http, callback: &str) -> String {
    let request = json!({"callbackUrl": callback});
    let confirmation = caller.post("/acquire-phone-number", &request).await.ok();
    let id = confirmation["confirmationId"].as_str().unwrap().to_owned();
    let message = confirmation["confirmationMessage"].as_str().unwrap();
    deliver_text(&server.facts, &id, "+12025550100", message)
        .await
        .unwrap();
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn app_with_hanging_receivers_does_not_delay_other_apps() {
    let data = data_dir();
    let server = Server::start_with(data.path(), &["--webhook-queue", QUEUE]);
    let demo = server.caller();
    let other = other_app(&server, data.path());
    // First one hanging receiver for all texts, then one per text, because apps can use any callback
    // URL.
    let hanging = bad_receiver(Misbehaviour::Hangs).await;
    for _ in 0..FLOOD {
        owe(&server, &demo, &hanging).await;
    }
    for _ in 0..FLOOD {
        let callback = bad_receiver(Misbehaviour::Hangs).await;
        owe(&server, &demo, &callback).await;
    }
    let left = until("the flood to be more than the queue holds", async || {
        let metrics = countersign(data.path(), &["metrics", "--json"]);
        let metrics: Value = serde_json::from_slice(&metrics.stdout).ok()?;
        let events = metrics["events"].as_array()?;
        let left = events
            .iter()
            .find(|event| event["name"] == "left_to_sweep")?;
        left["count"].as_u64().filter(|left| *left > 0)
    })
    .await;
    println!("{left} of {} left to the sweep", 2 * FLOOD);
    // The sweep runs once a minute, so webhooks that had to wait for it would exceed the time limit for
    // all of them.
    let good = Receiver::start().await;
    unless_hung("the other app's webhooks", async {
        for _ in 0..20 {
            let id = owe(&server, &other, &good.url).await;
            assert_eq!(good.next().await.confirmation_id(), id);
        }
    })
    .await;
}
