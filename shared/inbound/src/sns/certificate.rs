//! The certificates with which SNS signs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use countersign_domain::primitives::time::Timestamp;
use ring::signature::{
    RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey,
};
use x509_cert::Certificate;

use super::SignatureVersion;
use crate::certificate_source::{CertificateSource, CertificateUnavailable, CertificateUrl};
use crate::error::InboundError;

/// Maximum number of certificates in the cache. SNS uses one at a time per region.
const MAX_KEPT: usize = 4;
/// Maximum size of a certificate, in bytes.
const MAX_PEM: usize = 16 * 1024;

/// A certificate's public key and validity period.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct SigningCertificate {
    /// `RSAPublicKey` in DER.
    key: Vec<u8>,
    /// Start of the validity period, in seconds since the Unix epoch.
    from: u64,
    /// Last second of the validity period, since the Unix epoch.
    until: u64,
}

impl SigningCertificate {
    fn parse(pem: &[u8]) -> Option<Self> {
        if pem.len() > MAX_PEM {
            return None;
        }
        let chain = Certificate::load_pem_chain(pem).ok()?;
        let certificate = chain.first()?.tbs_certificate();
        let validity = certificate.validity();
        let key = certificate.subject_public_key_info();
        Some(Self {
            key: key.subject_public_key.as_bytes()?.to_vec(),
            from: validity.not_before.to_unix_duration().as_secs(),
            until: validity.not_after.to_unix_duration().as_secs(),
        })
    }

    /// Returns whether a signature is valid and the certificate is valid now.
    pub(super) fn verifies(
        &self,
        version: SignatureVersion,
        signed: &[u8],
        signature: &[u8],
        now: Timestamp,
    ) -> bool {
        let algorithm = match version {
            SignatureVersion::V1 => &RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY,
            SignatureVersion::V2 => &RSA_PKCS1_2048_8192_SHA256,
        };
        let right = UnparsedPublicKey::new(algorithm, &self.key).verify(signed, signature);
        self.is_valid(now) && right.is_ok()
    }

    fn is_valid(&self, now: Timestamp) -> bool {
        (self.from..=self.until).contains(&now.as_secs())
    }
}

/// Cache of fetched certificates, by their address.
pub(super) struct Certificates {
    source: Arc<dyn CertificateSource>,
    kept: Mutex<BTreeMap<CertificateUrl, SigningCertificate>>,
}

impl Certificates {
    pub(super) fn new(source: Arc<dyn CertificateSource>) -> Self {
        Self {
            source,
            kept: Mutex::default(),
        }
    }

    /// Returns the certificate at an address, and fetches it if it is not cached.
    pub(super) async fn get(
        &self,
        url: &CertificateUrl,
        now: Timestamp,
    ) -> Result<SigningCertificate, InboundError> {
        let kept = self.lock().get(url).cloned();
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let pem = self.source.fetch(url).await;
        let pem = pem.map_err(|CertificateUnavailable| InboundError::CertificateUnavailable)?;
        let fetched = SigningCertificate::parse(&pem).ok_or(InboundError::NotAuthentic)?;
        let mut kept = self.lock();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        if fetched.is_valid(now) {
            kept.insert(url.clone(), fetched.clone());
        }
        Ok(fetched)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<CertificateUrl, SigningCertificate>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Certificates({})", self.lock().len())
    }
}
