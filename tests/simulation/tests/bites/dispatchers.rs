//! Dispatchers that skip a step, made by replacing the port that the step calls. (Those that do not claim
//! or do not settle are among the stores.)

use async_trait::async_trait;
use countersign_domain::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender};
use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_simulation::ports::{ReceiversLink, SignerLink};

/// Returns an empty signature.
pub(super) struct NotSigned(pub(super) SignerLink);

#[async_trait]
impl Signer for NotSigned {
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        let signature = self.0.sign(digest).await?;
        Ok(Signature {
            der: Vec::new(),
            ..signature
        })
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        self.0.public_keys().await
    }
}

/// Reports success without posting.
pub(super) struct NotPosted;

#[async_trait]
impl WebhookSender for NotPosted {
    async fn send(&self, _: &CallbackUrl, _: &WebhookRequest) -> SendOutcome {
        SendOutcome::Answered {
            status: 204,
            retry_after: None,
            beginning: String::new(),
        }
    }
}

/// Sends a different body for each attempt.
pub(super) struct AnotherBody(pub(super) ReceiversLink);

#[async_trait]
impl WebhookSender for AnotherBody {
    async fn send(&self, url: &CallbackUrl, request: &WebhookRequest) -> SendOutcome {
        let at = format!(r#""attemptedAt":"{}"}}"#, request.attempted_at);
        let body = request.body.replacen('}', &at, 1).into();
        let request = WebhookRequest {
            body,
            ..request.clone()
        };
        self.0.send(url, &request).await
    }
}

/// Does not say whom a login verified.
pub(super) struct HidesTheVerifiedUser(pub(super) ReceiversLink);

#[async_trait]
impl WebhookSender for HidesTheVerifiedUser {
    async fn send(&self, url: &CallbackUrl, request: &WebhookRequest) -> SendOutcome {
        let verified = request.body.split_once(r#","verifiedPublicUserId""#);
        let body = verified.map(|(before, _)| format!("{before}}}").into());
        let request = WebhookRequest {
            body: body.unwrap_or_else(|| request.body.clone()),
            ..request.clone()
        };
        self.0.send(url, &request).await
    }
}
