//! Restarts: the next start continues where the previous run stopped.

use serde_json::json;

use crate::support::{ClosedReceiver, Http, Receiver, Server, data_dir, deliver_text};

#[tokio::test(flavor = "multi_thread")]
async fn clean_stop_loses_nothing() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let caller = |server: &Server| server.caller().with("idempotency-key", "order-17");
    let request = json!({"callbackUrl": receiver.url});
    let confirmation = caller(&server)
        .post("/acquire-phone-number", &request)
        .await
        .lasting();
    let first = server.facts.clone();
    assert!(server.terminate().success());

    let server = Server::start(data.path());
    assert_eq!(server.facts.api_key, first.api_key);
    assert_eq!(server.facts.inbound_secret, first.inbound_secret);
    let again = caller(&server)
        .post("/acquire-phone-number", &request)
        .await
        .lasting();
    assert_eq!(
        again, confirmation,
        "a replay gets the same answer after a restart"
    );
    let other = json!({"callbackUrl": receiver.url, "metadata": {"a": 1}});
    let answer = caller(&server).post("/acquire-phone-number", &other).await;
    assert_eq!(answer.problem(422), "idempotency_key_reused");

    let message = confirmation["confirmationMessage"].as_str().unwrap();
    deliver_text(&server.facts, "text-1", "+12025550100", message)
        .await
        .unwrap();
    assert_eq!(
        receiver.next().await.json()["confirmationId"],
        confirmation["confirmationId"]
    );
    assert!(server.terminate().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_webhook_is_delivered_after_a_restart() {
    let data = data_dir();
    let server = Server::start(data.path());
    // The webhook stays pending while this is closed.
    let closed = ClosedReceiver::new();
    let (id, message) = server.acquire(&closed.url).await;
    deliver_text(&server.facts, "text-1", "+12025550100", &message)
        .await
        .unwrap();
    server.kill();

    let receiver = closed.open();
    let server = Server::start(data.path());
    let webhook = receiver.next().await;
    assert_eq!(webhook.confirmation_id(), id);
    webhook.verify(&server.anyone()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn second_server_on_the_same_data_is_refused() {
    let data = data_dir();
    let server = Server::start(data.path());
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data.path())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr).to_lowercase();
    assert!(said.contains("already"), "{said}");
    assert_eq!(
        Http::new(&server.facts.url).get("/healthz").await.status,
        200
    );
}
