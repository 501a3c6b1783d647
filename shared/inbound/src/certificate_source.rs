//! The port through which the certificates of SNS are fetched.

use async_trait::async_trait;
use thiserror::Error;

/// The URL of a certificate on the SNS host in the topic's region.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CertificateUrl(String);

impl CertificateUrl {
    pub(crate) fn new(url: &str) -> Self {
        Self(url.to_owned())
    }

    /// Returns the URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A certificate could not be fetched. The source has logged the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the certificate of SNS could not be fetched")]
pub struct CertificateUnavailable;

/// Fetches certificates.
///
/// Every implementation MUST verify the server's TLS certificate, follow no redirect, give up after
/// a few seconds and read at most 16 KiB. The URL has already been checked to be on an SNS host.
#[async_trait]
pub trait CertificateSource: Send + Sync {
    /// Returns the certificate in PEM.
    ///
    /// # Errors
    ///
    /// Fails if the host cannot be reached or does not answer with 200.
    async fn fetch(&self, url: &CertificateUrl) -> Result<Vec<u8>, CertificateUnavailable>;
}
