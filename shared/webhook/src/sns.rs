//! Requests to SNS: certificates, and subscription confirmations.

use std::error::Error;

use async_trait::async_trait;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_inbound::SubscribeUrl;
use countersign_inbound::sns::{CertificateSource, CertificateUnavailable, CertificateUrl};

use crate::client::WebhookClient;

/// Maximum size of an answer, in bytes.
const MAX_ANSWER: usize = 16 * 1024;

/// Sends requests under the rules of webhooks: public addresses, no redirects, a time limit.
#[derive(Clone)]
pub struct SnsClient(pub WebhookClient);

impl SnsClient {
    async fn get(&self, url: &str) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>> {
        let url = CallbackUrl::from_stored(url)?;
        Ok(self.0.get(&url, MAX_ANSWER).await?.into())
    }

    /// Confirms a subscription, so that SNS sends texts to us.
    ///
    /// # Errors
    /// Fails if the address does not answer with 200; SNS must then ask again.
    pub async fn confirm_subscription(&self, url: &SubscribeUrl) -> Result<(), Unavailable> {
        let confirmed = self.get(url.as_str()).await;
        confirmed.map_err(|cause| Unavailable::new("SNS: confirm subscription", cause))?;
        tracing::info!("confirmed a subscription of SNS");
        Ok(())
    }
}

#[async_trait]
impl CertificateSource for SnsClient {
    async fn fetch(&self, url: &CertificateUrl) -> Result<Vec<u8>, CertificateUnavailable> {
        self.get(url.as_str()).await.map_err(|cause| {
            // The caller chooses the URL.
            tracing::warn!(%cause, "cannot fetch a certificate of SNS");
            CertificateUnavailable
        })
    }
}
