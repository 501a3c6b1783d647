//! Commands for test keys and webhook secrets.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

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
    let file = data.path().join("key");
    fs::write(&file, key.as_str().unwrap()).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    let (url, file) = (server.facts.url.as_str(), file.to_str().unwrap());
    let with_key = ["--service", url, "--api-key-file", file];
    let to = started["sendTo"].as_str().unwrap();
    let message = started["confirmationMessage"].as_str().unwrap();
    let text = ["phone", "text", "--from", "+12025550100", "--to", to];
    let text = [&text[..], &["--message", message], &with_key].concat();
    assert_eq!(asked(data.path(), &text)["effect"], "verified");

    let webhook = receiver.next().await;
    assert_eq!(webhook.json()["test"], true);
    let secrets = secrets["webhookSecrets"].as_array().unwrap();
    for secret in secrets {
        let receiver = standardwebhooks::Webhook::new(secret.as_str().unwrap()).unwrap();
        receiver.verify(&webhook.body, &webhook.headers).unwrap();
    }
    let id = started["confirmationId"].as_str().unwrap();
    let listed = asked(
        data.path(),
        &[
            &["confirmations", "list", "--status", "verified"][..],
            &with_key,
        ]
        .concat(),
    );
    assert_eq!(listed["confirmationId"], id);
    let again = asked(
        data.path(),
        &[&["confirmations", "redeliver", id][..], &with_key].concat(),
    );
    assert_eq!(again["delivery"]["status"], "pending");
    assert_eq!(receiver.next().await.id(), webhook.id());
    let left = asked(data.path(), &["app", "webhook-secret", "demo", "--retire"]);
    assert_eq!(left["webhookSecrets"], json!([secrets[0]]));

    // While the deployment's secret is being replaced, the running server signs with keys derived from both
    // secrets.
    let replaced = asked(data.path(), &["webhook-secret", "replace"]);
    assert_eq!(
        replaced,
        json!({"secretsInForce": 2, "apps": ["demo"], "unreadable": 0})
    );
    asked(
        data.path(),
        &[&["confirmations", "redeliver", id][..], &with_key].concat(),
    );
    let webhook = receiver.next().await;
    let shown = asked(data.path(), &["app", "webhook-secret", "demo"]);
    let [new, former] = &shown["webhookSecrets"].as_array().unwrap()[..] else {
        panic!("{shown}");
    };
    assert_eq!(former, &secrets[0]);
    for secret in [new, former] {
        let receiver = standardwebhooks::Webhook::new(secret.as_str().unwrap()).unwrap();
        receiver.verify(&webhook.body, &webhook.headers).unwrap();
    }
    let retired = asked(data.path(), &["webhook-secret", "retire"]);
    assert_eq!(retired["secretsInForce"], 1);
    let left = asked(data.path(), &["app", "webhook-secret", "demo"]);
    assert_eq!(left["webhookSecrets"], json!([new]));
    assert!(server.terminate().success());
}

/// The webhook contains an id that the caller only gets in the answer.
#[tokio::test(flavor = "multi_thread")]
async fn webhook_of_a_test_number_is_sent_after_the_answer() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let key = asked(data.path(), &["key", "issue", "demo", "--test"])["apiKey"].clone();
    let caller = server.anyone().with("x-api-key", key.as_str().unwrap());
    let request =
        json!({"callbackUrl": receiver.url, "phoneNumber": "(500) 555-0001", "country": "US"});
    let started = caller.post("/make-confirmation", &request).await.ok();
    assert_eq!(started["phoneNumber"], "+15005550001");
    let webhook = receiver.next().await;
    assert_eq!(webhook.json()["phoneNumber"], started["phoneNumber"]);
    assert_eq!(webhook.confirmation_id(), started["confirmationId"]);

    let shown = server.delivered(&webhook.confirmation_id()).await;
    let at = |time: &Value| humantime::parse_rfc3339(time.as_str().unwrap()).unwrap();
    let verified = at(&shown["result"]["timestamp"]);
    let sent = at(&shown["delivery"]["attempts"][0]["at"]);
    // Slightly less than two seconds, because the clock may be adjusted in between.
    let waited = sent.duration_since(verified).unwrap();
    assert!(waited >= Duration::from_millis(1_900), "{waited:?}");
    assert!(server.terminate().success());
}
