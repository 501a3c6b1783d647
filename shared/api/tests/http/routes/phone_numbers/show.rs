//! `GET /confirmations/{id}`.

use countersign_domain::delivery::AttemptResult;
use countersign_domain::delivery::FailureReason;
use countersign_domain::delivery::Settlement;
use countersign_domain::primitives::ids::ConfirmationId;
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use std::time::Duration;

use super::show;
use crate::host::{CALLBACK, Host, PERSON, id_of};

/// A number other than [`PERSON`].
const OTHER: &str = "+12025550111";

/// Checks the random ids in an answer, and replaces them so that the rest can be compared with a
/// snapshot.
fn without_ids(mut shown: Value, id: ConfirmationId) -> Value {
    assert_eq!(shown["confirmationId"], id.to_string());
    shown["confirmationId"] = json!("cfm_…");
    if let Some(delivery) = shown.get_mut("delivery") {
        assert_eq!(
            delivery["webhookId"],
            id.to_string().replace("cfm_", "msg_")
        );
        delivery["webhookId"] = json!("msg_…");
    }
    shown
}

#[tokio::test]
async fn open_acquisition_shows_every_field() {
    let host = Host::new().await;
    let id = id_of(&host.acquire().await);
    assert_json_snapshot!("open", without_ids(show(&host, id).await, id));
}

#[tokio::test]
async fn metadata_is_shown_in_canonical_form() {
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
async fn confirmation_shows_its_number() {
    let host = Host::new().await;
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": "+1 (202) 555-0100"});
    let id = id_of(&host.post("/make-confirmation", body).await.json());
    let shown = show(&host, id).await;
    assert_eq!(shown["flow"], "confirmation");
    assert_eq!(shown["phoneNumber"], PERSON);
    assert_eq!(shown["metadata"], json!({}));
}

#[tokio::test]
async fn open_or_expired_confirmation_shows_what_came_close() {
    let host = Host::new().await;
    let confirm = async || {
        let body = json!({"callbackUrl": CALLBACK, "phoneNumber": PERSON});
        host.post("/make-confirmation", body).await.json()
    };
    let (early, late, right) = (confirm().await, confirm().await, confirm().await);
    let text = async |session: &Value, from: &str, to: &str| {
        let message = session["confirmationMessage"].as_str().unwrap();
        host.text(&id_of(session).to_string(), from, to, message)
            .await
    };
    let ours = early["sendTo"].as_str().unwrap();
    assert_eq!(show(&host, id_of(&early)).await.get("lastMiss"), None);
    let missed = text(&early, OTHER, ours).await;
    let miss = json!({"reason": "wrong_sender", "at": "2026-01-02T03:04:05.678Z"});
    assert_eq!(show(&host, id_of(&early)).await["lastMiss"], miss);
    text(&right, PERSON, "+12025550000").await;
    assert_eq!(
        show(&host, id_of(&right)).await["lastMiss"]["reason"],
        "wrong_recipient"
    );
    // The provider's answer reveals nothing, and the right text still verifies.
    let verified = text(&right, PERSON, ours).await;
    assert_eq!(
        (missed.status, &missed.body),
        (verified.status, &verified.body)
    );
    let shown = show(&host, id_of(&right)).await;
    assert_eq!(
        (&shown["status"], shown.get("lastMiss")),
        (&json!("verified"), None)
    );

    host.clock.advance(Duration::from_mins(5));
    text(&late, PERSON, ours).await;
    text(&early, PERSON, ours).await;
    let shown = show(&host, id_of(&late)).await;
    assert_eq!(
        (&shown["status"], &shown["lastMiss"]["reason"]),
        (&json!("expired"), &json!("late"))
    );
    assert_eq!(
        show(&host, id_of(&early)).await["lastMiss"],
        miss,
        "the first stays"
    );
}

#[tokio::test]
async fn verified_confirmation_shows_every_attempt() {
    let host = Host::new().await;
    let id = host.verified().await;
    assert_json_snapshot!("verified", without_ids(show(&host, id).await, id));

    let at = host.clock.get().plus(Duration::from_secs(2));
    let retry = Settlement::Retry { at, due_at: at };
    host.attempt(id, AttemptResult::Answered(500), retry).await;
    host.clock.advance(Duration::from_secs(2));
    let timed_out = AttemptResult::NoAnswer(FailureReason::TimedOut);
    host.attempt(id, timed_out, retry).await;
    host.deliver(id).await;
    assert_json_snapshot!("delivered", without_ids(show(&host, id).await, id));
}

#[tokio::test]
async fn failed_delivery_has_no_next_attempt() {
    let host = Host::new().await;
    let id = host.verified().await;
    host.attempt(id, AttemptResult::Answered(410), Settlement::Failed)
        .await;
    let delivery = &show(&host, id).await["delivery"];
    assert_eq!(delivery["status"], "failed");
    assert_eq!(delivery.get("nextAttemptAt"), None);
}

#[tokio::test]
async fn purged_confirmation_is_not_found() {
    let host = Host::new().await;
    let id = id_of(&host.acquire().await);
    host.clock.advance(Duration::from_hours(24));
    let answer = host
        .call("GET", &format!("/confirmations/{id}"), None)
        .await;
    assert_eq!(answer.code(), "confirmation_not_found");
}
