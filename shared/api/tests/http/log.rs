//! The log: one line per request, and no secrets. `Debug` output has no secrets either.

use countersign_api::{ApiParts, ApiState};
use countersign_domain::primitives::storage::StorageCondition;
use http::HeaderValue;
use serde_json::json;

use crate::host::{Host, SEND_TO, broken, id_of, log};
use crate::storage::In;

const NUMBER: &str = "+12025550123";
const OTHER_NUMBER: &str = "+12025550145";

#[tokio::test]
async fn log_contains_no_secret() {
    let host = Host::new().await;
    let body = json!({
        "callbackUrl": "https://example.com/hook-s3cr3t?token=s3cr3t",
        "phoneNumber": NUMBER,
        "metadata": {"s3cr3t": "s3cr3t"},
    });
    let mut request = host.request("POST", "/make-confirmation", body.to_string());
    let key = HeaderValue::from_static("idem-s3cr3t");
    request.headers_mut().insert("idempotency-key", key);
    let session = host.send(request).await.json();
    let message = session["confirmationMessage"].as_str().unwrap().to_owned();
    host.text("id-s3cr3t", OTHER_NUMBER, SEND_TO, &message)
        .await;
    host.text("id-s3cr3t", NUMBER, SEND_TO, &message).await;
    let path = format!("/confirmations/{}", id_of(&session));
    host.call("GET", &path, None).await;
    host.call("DELETE", &path, None).await;
    host.call(
        "GET",
        &format!("/nothing/{}?k={message}", host.key.reveal()),
        None,
    )
    .await;
    host.post(
        "/acquire-phone-number",
        json!({"callbackUrl": "s3cr3t", "x": NUMBER}),
    )
    .await;
    host.post("/make-confirmation", json!({"phoneNumber": "s3cr3t"}))
        .await;
    host.send(host.signed("id-s3cr3t", "s3cr3t")).await;

    let text = log::text();
    assert_eq!(log::lines().len(), 9);
    let symbols = message.strip_prefix("CS-").unwrap();
    let secret = host.secret.reveal();
    let digits = |number: &str| number[3..].to_owned();
    for secret in [
        "s3cr3t",
        symbols,
        &host.key.reveal()[8..],
        &secret[6..],
        &digits(NUMBER),
        &digits(OTHER_NUMBER),
    ] {
        assert!(
            !text.contains(secret),
            "{secret} stands in the log:\n{text}"
        );
    }
}

#[tokio::test]
async fn each_request_has_one_line() {
    let host = Host::new().await;
    let session = host.acquire().await;
    let id = id_of(&session).to_string();
    let message = session["confirmationMessage"].as_str().unwrap();
    host.text("t", NUMBER, SEND_TO, message).await;
    let missed = host.text("t", NUMBER, SEND_TO, "hello").await;
    host.call("PUT", &format!("/confirmations/{id}"), None)
        .await;
    host.call("GET", "/nothing", None).await;

    let lines = log::lines();
    let fields: Vec<_> = lines.iter().map(|line| &line["fields"]).collect();
    assert_eq!(fields.len(), 5);
    for field in ["request_id", "method", "route", "status", "duration_us"] {
        assert!(
            fields.iter().all(|line| line.get(field).is_some()),
            "{field}"
        );
    }
    assert_eq!(fields[0]["route"], "/acquire-phone-number");
    assert_eq!(fields[0]["app"], "demo");
    assert_eq!(fields[0]["confirmation_id"], id);
    assert_eq!(fields[1]["text"], "verified");
    assert_eq!(fields[1]["confirmation_id"], id);
    assert_eq!(fields[1]["sender"], "+120••••••23");
    assert_eq!(fields[2]["text"], "miss_no_code");
    assert_eq!(fields[2].get("confirmation_id"), None);
    let name = missed.header("x-request-id").unwrap();
    assert_eq!(fields[2]["request_id"], name);
    assert_eq!(fields[3]["route"], "/confirmations/{id}");
    assert_eq!(fields[3]["code"], "method_not_allowed");
    assert_eq!(fields[4]["route"], "unmatched");
    assert!(lines.iter().all(|line| line["level"] == "INFO"));
}

#[tokio::test]
async fn internal_error_is_logged_once_with_its_cause() {
    let host = Host::failing(broken::confirmations).await;
    let body = json!({"callbackUrl": "https://example.com"});
    let answer = host.post("/acquire-phone-number", body).await;
    let lines = log::lines();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["level"], "ERROR");
    let fields = &lines[0]["fields"];
    assert_eq!(fields["cause"], "store failed: the cable is cut");
    assert_eq!(fields["code"], "service_unavailable");
    assert_eq!(fields["request_id"], answer.json()["requestId"]);
}

#[tokio::test]
async fn refusal_of_a_full_server_is_not_logged_as_an_error() {
    for (condition, level) in [
        (StorageCondition::Low, "INFO"),
        (StorageCondition::NotWritable, "ERROR"),
    ] {
        let host = Host::with(|parts| parts.storage = In::always(condition)).await;
        let body = json!({"callbackUrl": "https://example.com"});
        assert_eq!(host.post("/acquire-phone-number", body).await.status, 503);
        let lines = log::lines();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0]["level"], level);
        assert_eq!(lines[0]["fields"]["status"], 503);
    }
}

#[tokio::test]
async fn debug_output_contains_no_secret() {
    let host = Host::new().await;
    let parts: ApiParts = host.parts();
    let secrets = format!("{:?}", parts.inbound);
    assert!(!secrets.contains(&host.secret.reveal()[6..]), "{secrets}");
    let state = format!("{:?}", ApiState::from(parts));
    assert_eq!(state, "ApiState { .. }");
}
