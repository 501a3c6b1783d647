//! Sending a test webhook: a receiver's owner sees at once whether it is reached and verifies.

use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::app::App;
use crate::confirmation::body::test_webhook_body;
use crate::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender};
use crate::delivery::signing::Signer;
use crate::primitives::canonical_json::ObjectWriter;
use crate::primitives::entropy::Entropy;
use crate::primitives::ids::WebhookId;
use crate::primitives::time::Clock;
use crate::primitives::unavailable::Unavailable;
use crate::web::callback_url::CallbackUrl;

/// What sending a test needs.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// Where signatures come from.
    pub signer: &'a dyn Signer,
    /// What posts.
    pub sender: &'a dyn WebhookSender,
    /// Time.
    pub clock: &'a dyn Clock,
    /// Chance, for the webhook's id.
    pub entropy: &'a dyn Entropy,
}

/// Why no test was sent.
#[derive(Debug, Error)]
pub enum TestWebhookError {
    /// Neither the call nor the app says where to.
    #[error("the app has no default callback URL; name one")]
    NoCallback,
    /// The app's list of callback origins does not hold this one.
    #[error("the app does not allow callbacks to this origin")]
    CallbackOriginNotAllowed,
    /// Ours.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// A test that was sent.
#[derive(Clone, Debug)]
pub struct TestSent {
    /// Its id, which begins with `msg_test_`.
    pub webhook_id: WebhookId,
    /// How it ended.
    pub outcome: SendOutcome,
    /// How long that took.
    pub duration: Duration,
}

/// Posts one test webhook, signed like any other, to `callback` or to the app's default. It is
/// tried once; its metadata says `{"test":"true"}`, and its `confirmationId` is one that no session
/// has.
pub async fn send(
    ports: Ports<'_>,
    app: &App,
    callback: Option<CallbackUrl>,
) -> Result<TestSent, TestWebhookError> {
    let callback = callback
        .or_else(|| app.default_callback.clone())
        .ok_or(TestWebhookError::NoCallback)?;
    if !app.allows_callback(&callback) {
        return Err(TestWebhookError::CallbackOriginNotAllowed);
    }
    let now = ports.clock.now();
    let metadata = ObjectWriter::new().string("test", "true").finish();
    let body: Arc<str> = test_webhook_body(&metadata, now).into_string().into();
    let digest: [u8; 32] = Sha256::digest(body.as_bytes()).into();
    let signature = ports.signer.sign(&digest).await?;
    let webhook_id = WebhookId::for_test(ports.entropy);
    let request = WebhookRequest {
        webhook_id: webhook_id.clone(),
        attempted_at: now,
        signature,
        body,
    };
    let outcome = ports.sender.send(&callback, &request).await;
    Ok(TestSent {
        webhook_id,
        outcome,
        duration: ports.clock.now().since(now),
    })
}
