//! From the API call to the webhook.

use serde_json::json;

use crate::support::{Receiver, Server, countersign, data_dir, expect_same, until};

#[tokio::test(flavor = "multi_thread")]
async fn acquisition_delivers_the_number() {
    let data = data_dir();
    let server = Server::start(data.path());
    assert!(server.facts.app_key.starts_with("cs_app_"));
    let receiver = Receiver::start().await;
    let metadata =
        json!({"order": 17, "10": "ten", "9": "nine", "nested": {"b": 1.0, "a": [true, null]}});
    let request = json!({"callbackUrl": receiver.url, "metadata": metadata});
    let answer = server
        .caller()
        .post("/acquire-phone-number", &request)
        .await;
    assert_eq!(answer.headers["cache-control"], "no-store");
    let confirmation = answer.ok();
    let id = confirmation["confirmationId"].as_str().unwrap();
    let message = confirmation["confirmationMessage"].as_str().unwrap();
    let send_to = confirmation["sendTo"].as_str().unwrap();
    assert_eq!(send_to, server.facts.send_to);
    assert_eq!(
        confirmation["confirmationUri"]["qr"],
        format!("smsto:{send_to}:{message}")
    );
    assert_eq!(
        confirmation["confirmationUri"]["android"],
        format!("smsto:{send_to}:{message}")
    );
    assert_eq!(
        confirmation["confirmationUri"]["ios"],
        format!("sms:{send_to}&body={message}")
    );
    assert_eq!(
        confirmation["confirmationUri"]["sms"],
        format!("sms:{send_to}?body={message}")
    );

    server.text("+12025550100", send_to, message);
    let webhook = receiver.next().await;
    webhook.verify(&server.anyone()).await;
    let body = webhook.json();
    let mut fields: Vec<&String> = body.as_object().unwrap().keys().collect();
    fields.sort();
    let all = [
        "carrier",
        "confirmationId",
        "metadata",
        "phoneNumber",
        "timestamp",
        "validationStatus",
    ];
    assert_eq!(fields, all);
    assert_eq!(body["confirmationId"], id);
    assert_eq!(body["phoneNumber"], "+12025550100");
    assert_eq!(body["carrier"], "");
    assert_eq!(body["validationStatus"], "valid");
    assert_eq!(body["metadata"]["order"], 17);

    let status = server.delivered(id).await;
    assert_eq!(status["status"], "verified");
    assert_eq!(status["result"]["phoneNumber"], "+12025550100");
    assert_eq!(status["delivery"]["attempts"].as_array().unwrap().len(), 1);
    assert_eq!(status["delivery"]["attempts"][0]["status"], 204);
    let shown = countersign(data.path(), &["confirmations", "show", id]);
    expect_same(serde_json::from_slice(&shown.stdout).unwrap(), status);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_text_from_the_known_number_confirms() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::start().await;
    let request = json!({"phoneNumber": "+44 20 7946 0018", "callbackUrl": receiver.url});
    let confirmation = server
        .caller()
        .post("/make-confirmation", &request)
        .await
        .ok();
    let (id, message) = (
        confirmation["confirmationId"].as_str().unwrap(),
        confirmation["confirmationMessage"].as_str().unwrap(),
    );
    let path = format!("/confirmations/{id}");

    server.text("+442079460019", &server.facts.send_to, message);
    server.text("+442079460018", "+12025550198", message);
    server.text("+442079460018", &server.facts.send_to, "no code in here");
    let open = server.caller().get(&path).await.ok();
    assert_eq!(open["status"], "open");
    assert_eq!(open["lastMiss"]["reason"], "wrong_sender");
    assert!(!open.to_string().contains("+442079460019"));

    let args = [
        "phone",
        "text",
        "--from",
        "+442079460018",
        "--to",
        &server.facts.send_to,
    ];
    let more = ["--message", message, "--carrier", "Acme Mobile"];
    assert!(
        countersign(data.path(), &[&args[..], &more[..]].concat())
            .status
            .success()
    );
    let webhook = receiver.next().await;
    webhook.verify(&server.anyone()).await;
    assert_eq!(webhook.json()["phoneNumber"], "+442079460018");
    assert_eq!(webhook.json()["carrier"], "Acme Mobile");
    assert_eq!(webhook.json()["metadata"], json!({}));
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_webhook_is_retried_and_every_attempt_is_visible() {
    let data = data_dir();
    let server = Server::start(data.path());
    let receiver = Receiver::answering(|number| if number == 0 { 500 } else { 200 }).await;
    let (id, message) = server.acquire(&receiver.url).await;
    server.text("+12025550100", &server.facts.send_to, &message);
    let (first, second) = (receiver.next().await, receiver.next().await);
    assert_eq!(first.id(), second.id());
    assert_eq!(
        first.body, second.body,
        "the signed bytes are the sent bytes each time"
    );
    assert_eq!(first.headers["x-signature"], second.headers["x-signature"]);

    let path = format!("/confirmations/{id}");
    let status = server.delivered(&id).await;
    let attempts = status["delivery"]["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 2);
    assert_eq!(
        (&attempts[0]["status"], &attempts[1]["status"]),
        (&json!(500), &json!(200))
    );

    let again = server
        .caller()
        .call("POST", &format!("{path}/redeliver"), None)
        .await;
    assert_eq!(again.status, 202);
    let third = receiver.next().await;
    assert_eq!((third.id(), third.body), (first.id(), first.body));
}

#[tokio::test(flavor = "multi_thread")]
async fn open_confirmation_expires() {
    let data = data_dir();
    let server = Server::start_with(data.path(), &["--validity", "1ms"]);
    let receiver = Receiver::start().await;
    let (id, message) = server.acquire(&receiver.url).await;
    let path = format!("/confirmations/{id}");
    until("the confirmation to expire", async || {
        let status = server.caller().get(&path).await.ok();
        (status["status"] == "expired").then_some(())
    })
    .await;
    server.text("+12025550100", &server.facts.send_to, &message);
    assert_eq!(server.caller().get(&path).await.ok()["status"], "expired");
    assert!(receiver.arrived().await.is_none());
}
