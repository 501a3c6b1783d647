//! Test keys and the secrets of webhooks, by the commands.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Receiver, Server, countersign, data_dir};

fn asked(data: &Path, args: &[&str]) -> Value {
    let output = countersign(data, &[args, &["--json"]].concat());
    assert!(output.status.success(), "{args:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn simulated_text_by_the_command_ends_in_a_webhook_signed_by_the_apps_secrets() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let key = asked(data.path(), &["key", "issue", "demo", "--test"])["apiKey"].clone();
    let caller = server.anyone().with("x-api-key", key.as_str().unwrap());
    let request = json!({"callbackUrl": receiver.url});
    let started = caller.post("/acquire-phone-number", &request).await.ok();

    let secrets = asked(data.path(), &["app", "webhook-secret", "demo", "--rotate"]);
    let text = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .env("COUNTERSIGN_API_KEY", key.as_str().unwrap())
        .args(["phone", "text", "--url", &server.facts.url])
        .args(["--from", "+12025550100"])
        .args(["--to", started["sendTo"].as_str().unwrap()])
        .args([
            "--message",
            started["confirmationMessage"].as_str().unwrap(),
        ])
        .output()
        .unwrap();
    let effect: Value = serde_json::from_slice(&text.stdout).unwrap();
    assert_eq!(effect["effect"], "verified", "{text:?}");

    let webhook = receiver.next().await;
    assert_eq!(webhook.json()["test"], true);
    let secrets = secrets["webhookSecrets"].as_array().unwrap();
    for secret in secrets {
        let receiver = standardwebhooks::Webhook::new(secret.as_str().unwrap()).unwrap();
        receiver.verify(&webhook.body, &webhook.headers).unwrap();
    }
    let left = asked(data.path(), &["app", "webhook-secret", "demo", "--retire"]);
    assert_eq!(left["webhookSecrets"], json!([secrets[0]]));
    assert!(server.terminate().success());
}
