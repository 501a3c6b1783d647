//! What an owner may see of a session, and do with it.

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::delivery::{AttemptResult, FailureReason, Settlement};
use countersign_domain::primitives::ids::ConfirmationId;
use serde_json::{Value, json};

use crate::host::{Answer, BrokenQueue, CALLBACK, Host, PERSON, SEND_TO, id_of, keyed};

async fn show(host: &Host, id: ConfirmationId) -> Value {
    let answer = host
        .call("GET", &format!("/confirmations/{id}"), None)
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    answer.json()
}

async fn post(host: &Host, id: ConfirmationId, action: &str) -> Answer {
    host.call("POST", &format!("/confirmations/{id}/{action}"), None)
        .await
}

async fn cancel(host: &Host, id: ConfirmationId) -> Answer {
    host.call("DELETE", &format!("/confirmations/{id}"), None)
        .await
}

#[tokio::test]
async fn an_open_acquisition() {
    let host = Host::new().await;
    let id = id_of(&host.acquire().await);
    assert_eq!(
        show(&host, id).await,
        json!({
            "confirmationId": id.to_string(),
            "status": "open",
            "flow": "acquisition",
            "sendTo": SEND_TO,
            "callbackUrl": CALLBACK,
            "createdAt": "2026-01-02T03:04:05.678Z",
            "expiresAt": "2026-01-02T03:09:05.678Z",
            "metadata": {"a": "x", "b": 1},
        })
    );
}

#[tokio::test]
async fn metadata_is_shown_as_it_will_be_sent() {
    let host = Host::new().await;
    let body = format!(r#"{{"callbackUrl":"{CALLBACK}","metadata":{{"b":1.0,"10":1e20,"9":3}}}}"#);
    let session = host
        .send(host.request("POST", "/acquire-phone-number", body))
        .await;
    let path = format!("/confirmations/{}", id_of(&session.json()));
    let answer = host.call("GET", &path, None).await;
    let text = String::from_utf8(answer.body.to_vec()).unwrap();
    let canonical = r#""metadata":{"9":3,"10":100000000000000000000,"b":1}"#;
    assert!(text.contains(canonical), "{text}");
}

#[tokio::test]
async fn a_confirmation_knows_its_number() {
    let host = Host::new().await;
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": "+1 (202) 555-0100"});
    let id = id_of(&host.post("/make-confirmation", body).await.json());
    let shown = show(&host, id).await;
    assert_eq!(shown["flow"], "confirmation");
    assert_eq!(shown["phoneNumber"], PERSON);
    assert_eq!(shown["metadata"], json!({}));
}

#[tokio::test]
async fn a_session_expires_to_the_millisecond() {
    let host = Host::new().await;
    let id = id_of(&host.acquire().await);
    host.clock
        .advance(Duration::from_mins(5) - Duration::from_millis(1));
    assert_eq!(show(&host, id).await["status"], "open");
    host.clock.advance(Duration::from_millis(1));
    assert_eq!(show(&host, id).await["status"], "expired");
}

#[tokio::test]
async fn a_verified_session_and_its_delivery() {
    let host = Host::new().await;
    let id = host.verified().await;
    let mut expected = json!({
        "confirmationId": id.to_string(),
        "status": "verified",
        "flow": "acquisition",
        "sendTo": SEND_TO,
        "callbackUrl": CALLBACK,
        "createdAt": "2026-01-02T03:04:05.678Z",
        "expiresAt": "2026-01-02T03:09:05.678Z",
        "metadata": {"a": "x", "b": 1},
        "phoneNumber": PERSON,
        "result": {
            "phoneNumber": PERSON,
            "carrier": "Example Wireless",
            "timestamp": "2026-01-02T03:04:05.678Z",
        },
        "delivery": {
            "webhookId": id.to_string().replace("cfm_", "msg_"),
            "status": "pending",
            "nextAttemptAt": "2026-01-02T03:04:05.678Z",
            "attempts": [],
        },
    });
    assert_eq!(show(&host, id).await, expected);

    let at = host.clock.get().plus(Duration::from_secs(2));
    let retry = Settlement::Retry { at, due_at: at };
    host.attempt(id, AttemptResult::Answered(500), retry).await;
    host.clock.advance(Duration::from_secs(2));
    let timed_out = AttemptResult::NoAnswer(FailureReason::TimedOut);
    host.attempt(id, timed_out, retry).await;
    host.deliver(id).await;
    expected["delivery"] = json!({
        "webhookId": id.to_string().replace("cfm_", "msg_"),
        "status": "delivered",
        "attempts": [
            {
                "number": 1, "at": "2026-01-02T03:04:05.678Z", "durationMs": 84,
                "outcome": "failed", "status": 500,
            },
            {
                "number": 2, "at": "2026-01-02T03:04:07.678Z", "durationMs": 84,
                "outcome": "failed", "failure": "timed_out",
            },
            {
                "number": 3, "at": "2026-01-02T03:04:07.678Z", "durationMs": 84,
                "outcome": "succeeded", "status": 204,
            },
        ],
    });
    assert_eq!(show(&host, id).await, expected);
}

#[tokio::test]
async fn a_delivery_that_was_given_up() {
    let host = Host::new().await;
    let id = host.verified().await;
    host.attempt(id, AttemptResult::Answered(410), Settlement::Failed)
        .await;
    let delivery = &show(&host, id).await["delivery"];
    assert_eq!(delivery["status"], "failed");
    assert_eq!(delivery.get("nextAttemptAt"), None);
}

#[tokio::test]
async fn cancelling_ends_an_open_session_once() {
    let host = Host::new().await;
    let session = host.acquire().await;
    let id = id_of(&session);
    host.clock.advance(Duration::from_secs(1));
    let answer = cancel(&host, id).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["status"], "cancelled");
    assert_eq!(answer.json()["cancelledAt"], "2026-01-02T03:04:06.678Z");
    assert_eq!(answer.json(), show(&host, id).await);
    assert_eq!(cancel(&host, id).await.code(), "confirmation_cancelled");

    let message = session["confirmationMessage"].as_str().unwrap();
    host.text("t", PERSON, SEND_TO, message).await;
    assert_eq!(show(&host, id).await["status"], "cancelled");
    assert_eq!(host.queue.take(), []);
}

#[tokio::test]
async fn what_has_ended_cannot_be_cancelled() {
    let host = Host::new().await;
    let verified = host.verified().await;
    assert_eq!(
        cancel(&host, verified).await.code(),
        "confirmation_verified"
    );
    let expired = id_of(&host.acquire().await);
    host.clock.advance(Duration::from_mins(5));
    assert_eq!(cancel(&host, expired).await.code(), "confirmation_expired");
}

#[tokio::test]
async fn redacting_erases_numbers_and_metadata() {
    let host = Host::new().await;
    let id = host.verified().await;
    assert_eq!(post(&host, id, "redact").await.code(), "webhook_owed");
    host.deliver(id).await;
    host.clock.advance(Duration::from_secs(1));
    let answer = post(&host, id, "redact").await;
    assert_eq!(answer.status, 200);
    let shown = answer.json();
    assert_eq!(shown["redactedAt"], "2026-01-02T03:04:06.678Z");
    assert_eq!(
        shown["result"],
        json!({"timestamp": "2026-01-02T03:04:05.678Z"})
    );
    for erased in ["metadata", "phoneNumber"] {
        assert_eq!(shown.get(erased), None, "{erased}");
    }
    let text = String::from_utf8(answer.body.to_vec()).unwrap();
    assert!(
        !text.contains(PERSON) && !text.contains("Example Wireless"),
        "{text}"
    );

    host.clock.advance(Duration::from_secs(1));
    assert_eq!(post(&host, id, "redact").await.json(), shown);
    assert_eq!(
        post(&host, id, "redeliver").await.code(),
        "confirmation_redacted"
    );
}

#[tokio::test]
async fn redacting_waits_for_the_end_of_a_session() {
    let host = Host::new().await;
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": PERSON});
    let id = id_of(&host.post("/make-confirmation", body).await.json());
    assert_eq!(post(&host, id, "redact").await.code(), "confirmation_open");
    host.clock.advance(Duration::from_mins(5));
    let shown = post(&host, id, "redact").await.json();
    assert_eq!(shown["status"], "expired");
    assert_eq!(shown.get("phoneNumber"), None);
}

#[tokio::test]
async fn redelivering_makes_the_webhook_owed_again() {
    let host = Host::new().await;
    let id = host.verified().await;
    host.deliver(id).await;
    host.queue.take();
    host.clock.advance(Duration::from_mins(1));
    let answer = post(&host, id, "redeliver").await;
    assert_eq!(answer.status, 202);
    let delivery = &answer.json()["delivery"];
    assert_eq!(delivery["status"], "pending");
    assert_eq!(delivery["nextAttemptAt"], "2026-01-02T03:05:05.678Z");
    assert_eq!(delivery["attempts"].as_array().unwrap().len(), 1);
    let queued = host.queue.take();
    assert_eq!(queued.len(), 1);
    let (pointer, delay) = queued[0];
    assert_eq!((pointer.subject, pointer.attempts_claimed), (id.into(), 1));
    assert_eq!(delay, Duration::ZERO);

    host.claim(id).await;
    assert_eq!(
        post(&host, id, "redeliver").await.code(),
        "delivery_in_flight"
    );
    assert_eq!(host.queue.take(), []);
}

/// The webhook is owed from the write on: the sweep finds it.
#[tokio::test]
async fn a_queue_that_is_down_fails_no_redelivery() {
    let host = Host::with(|parts| parts.queue = Arc::new(BrokenQueue)).await;
    let id = host.verified().await;
    host.deliver(id).await;
    host.metrics.take();
    assert_eq!(post(&host, id, "redeliver").await.status, 202);
    assert_eq!(host.metrics.take(), ["enqueue_failed"]);
    assert_eq!(show(&host, id).await["delivery"]["status"], "pending");
}

#[tokio::test]
async fn only_a_verified_session_has_a_webhook() {
    let host = Host::new().await;
    let id = id_of(&host.acquire().await);
    assert_eq!(
        post(&host, id, "redeliver").await.code(),
        "confirmation_open"
    );
    host.clock.advance(Duration::from_mins(5));
    assert_eq!(
        post(&host, id, "redeliver").await.code(),
        "confirmation_expired"
    );
    let id = id_of(&host.acquire().await);
    cancel(&host, id).await;
    assert_eq!(
        post(&host, id, "redeliver").await.code(),
        "confirmation_cancelled"
    );
}

#[tokio::test]
async fn anothers_session_is_as_good_as_none() {
    let host = Host::new().await;
    let id = host.verified().await;
    host.deliver(id).await;
    let before = show(&host, id).await;
    let stranger = host.stranger().await;
    let none = ConfirmationId::from_bytes([7; 16]);
    for (method, action) in [
        ("GET", ""),
        ("DELETE", ""),
        ("POST", "/redact"),
        ("POST", "/redeliver"),
    ] {
        let mut answers = Vec::new();
        for (key, id) in [(&stranger, id), (&host.key, none)] {
            let path = format!("/confirmations/{id}{action}");
            let answer = host.send(keyed(key, method, &path, "")).await;
            assert_eq!(answer.code(), "confirmation_not_found", "{method} {action}");
            let mut body = answer.json();
            body["requestId"].take();
            answers.push(body);
        }
        assert_eq!(answers[0], answers[1]);
    }
    assert_eq!(show(&host, id).await, before);
}

#[tokio::test]
async fn a_malformed_id_is_an_unknown_one() {
    let host = Host::new().await;
    let id = id_of(&host.acquire().await).to_string();
    for bad in [
        "x".to_owned(),
        id[4..].to_owned(),
        id.to_uppercase(),
        format!("{id}0"),
        id.replace("cfm_", "msg_"),
        id.replacen('_', "%5F", 1) + "%00",
        "%ff".to_owned(),
        "%".to_owned(),
        "..".to_owned(),
        "%2e%2e%2f".to_owned(),
        "a".repeat(4_000),
    ] {
        for (method, action) in [("GET", ""), ("POST", "/redact"), ("POST", "/redeliver")] {
            let path = format!("/confirmations/{bad}{action}");
            let answer = host.call(method, &path, None).await;
            assert_eq!(answer.code(), "confirmation_not_found", "{path}");
        }
    }
    // The same id in another spelling of the path is the same.
    let path = format!("/confirmations/{}", id.replacen('_', "%5F", 1));
    assert_eq!(host.call("GET", &path, None).await.status, 200);
}

#[tokio::test]
async fn what_is_purged_is_gone() {
    let host = Host::new().await;
    let id = id_of(&host.acquire().await);
    host.clock.advance(Duration::from_hours(24));
    let answer = host
        .call("GET", &format!("/confirmations/{id}"), None)
        .await;
    assert_eq!(answer.code(), "confirmation_not_found");
}
