//! Requests to AWS on behalf of SNS: certificates, and confirmations of subscriptions.

use async_trait::async_trait;
use countersign_api::{Causes, Subscriber};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_inbound::SubscribeUrl;
use countersign_inbound::sns::{CertificateSource, CertificateUnavailable, CertificateUrl};
use countersign_webhook::client::WebhookClient;

/// Maximum size of an answer, in bytes.
const MAX_ANSWER: usize = 16 * 1024;

/// Makes the requests under the rules of webhooks: public addresses, no redirect, a time limit.
#[derive(Clone)]
pub(crate) struct SnsClient(pub(crate) WebhookClient);

#[async_trait]
impl CertificateSource for SnsClient {
    async fn fetch(&self, url: &CertificateUrl) -> Result<Vec<u8>, CertificateUnavailable> {
        let parsed = CallbackUrl::from_stored(url.as_str());
        let parsed = parsed.map_err(|_| CertificateUnavailable)?;
        let fetched = self.0.get(&parsed, MAX_ANSWER).await;
        fetched.map(Into::into).map_err(|error| {
            tracing::error!(cause = %Causes(&error), "cannot fetch a certificate of SNS");
            CertificateUnavailable
        })
    }
}

#[async_trait]
impl Subscriber for SnsClient {
    async fn confirm(&self, url: &SubscribeUrl) -> Result<(), Unavailable> {
        let failed = |cause: Box<dyn std::error::Error + Send + Sync>| {
            Unavailable::new("SNS: confirm subscription", cause)
        };
        let parsed = CallbackUrl::from_stored(url.as_str());
        let parsed = parsed.map_err(|error| failed(error.into()))?;
        let confirmed = self.0.get(&parsed, MAX_ANSWER).await;
        confirmed.map_err(|error| failed(error.into()))?;
        tracing::info!("confirmed a subscription of SNS");
        Ok(())
    }
}
