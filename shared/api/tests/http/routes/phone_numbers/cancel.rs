//! `DELETE /confirmations/{id}`.

use std::time::Duration;

use super::{cancel, show};
use crate::host::{Host, PERSON, SEND_TO, id_of};

#[tokio::test]
async fn open_confirmation_is_cancelled_once() {
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
async fn ended_confirmation_cannot_be_cancelled() {
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
