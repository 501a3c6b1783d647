//! Sending test webhooks, which show the owner of a receiver whether they arrive and their
//! signatures are valid.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::app::App;
use crate::confirmation::webhook::test_webhook_body;
use crate::delivery::master_secret::MasterSecrets;
use crate::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender, app_signature};
use crate::delivery::signing::Signer;
use crate::primitives::canonical_json::CanonicalObject;
use crate::primitives::entropy::Entropy;
use crate::primitives::ids::WebhookId;
use crate::primitives::time::Clock;
use crate::primitives::unavailable::Unavailable;
use crate::web::callback_url::CallbackUrl;

/// The ports of this use case.
#[derive(Clone, Copy)]
pub struct TestPorts<'a> {
    /// Signer of webhooks.
    pub signer: &'a dyn Signer,
    /// The master secrets from which the apps' secrets are derived.
    pub secrets: &'a MasterSecrets,
    /// Client that sends webhooks.
    pub sender: &'a dyn WebhookSender,
    /// Wall clock, for the timestamp and the duration.
    pub clock: &'a dyn Clock,
    /// Source of randomness for the webhook's id.
    pub entropy: &'a dyn Entropy,
}

/// The reason why no test webhook was sent.
#[derive(Debug, Error)]
pub enum TestWebhookError {
    /// Neither the call nor the app specifies a callback URL.
    #[error("the app has no default callback URL; specify one")]
    NoCallback,
    /// The app's list of callback origins does not contain this one.
    #[error("the app does not allow callbacks to this origin")]
    CallbackOriginNotAllowed,
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// A test webhook that was sent.
#[derive(Clone, Debug)]
pub struct TestSent {
    /// Id of the webhook, which starts with `msg_test_`.
    pub webhook_id: WebhookId,
    /// Result of the request.
    pub outcome: SendOutcome,
    /// Duration of the request.
    pub duration: Duration,
}

/// Sends one test webhook, signed like any other, to `callback` or to the app's default. The
/// webhook is sent once, without retries. Its metadata is `{"test":"true"}`, and its
/// `confirmationId` does not exist.
///
/// # Errors
///
/// Fails if there is no callback URL, if the app does not allow its origin, or if the signer fails.
pub async fn send(
    ports: TestPorts<'_>,
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
    let metadata = CanonicalObject::from_body(&json!({"test": "true"}));
    let body: Arc<str> = test_webhook_body(app, metadata, now).into_string().into();
    let digest: [u8; 32] = Sha256::digest(body.as_bytes()).into();
    let signature = ports.signer.sign(&digest).await?;
    let webhook_id = WebhookId::for_test(ports.entropy);
    let request = WebhookRequest {
        webhook_id: webhook_id.clone(),
        attempted_at: now,
        signature,
        app_signature: Some(app_signature(ports.secrets, app, &webhook_id, now, &body)),
        body,
    };
    let outcome = ports.sender.send(&callback, &request).await;
    Ok(TestSent {
        webhook_id,
        outcome,
        duration: ports.clock.now().since(now),
    })
}
