//! Reading a host's certificate, whether it is valid or not.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_domain::primitives::time::Timestamp;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use thiserror::Error as ThisError;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use x509_cert::der::Decode as _;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

use crate::client::Failure;

/// Time before the end at which the renewal of any certificate is overdue.
const MAX_OVERDUE: Duration = Duration::from_hours(14 * 24);

/// Maximum number of names that are shown.
const MAX_NAMES: usize = 5;

/// A certificate that phones accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    pub not_before: Timestamp,
    pub not_after: Timestamp,
}

impl Certificate {
    /// Returns whether its renewal is overdue. Renewal is usual with a third of the lifetime left, which is two days for
    /// the shortest lifetimes.
    #[must_use]
    pub fn is_renewal_overdue(&self, now: Timestamp) -> bool {
        let lifetime = self.not_after.since(self.not_before);
        let left = self.not_after.since(now);
        left < (lifetime / 6).min(MAX_OVERDUE)
    }
}

/// Why phones do not accept a host's certificate. The messages quote at most the certificate's names.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub enum CertificateFault {
    #[error(transparent)]
    NotResolved(Failure),
    #[error("nothing accepts connections")]
    NotConnected,
    #[error("the server speaks no TLS that phones understand, or hung up")]
    NoTls,
    #[error("it expired at {0}")]
    Expired(Timestamp),
    #[error("it is valid only from {0}")]
    NotYetValid(Timestamp),
    #[error("it is for other names: {}", .0.join(", "))]
    OtherNames(Vec<String>),
    /// The server sent only its own certificate.
    #[error(
        "no authority that phones trust signed it directly, and the server sends no intermediate certificate: let it \
         send the whole chain"
    )]
    NoIntermediate,
    #[error("no authority that phones trust signed it")]
    UnknownIssuer,
    #[error("it is revoked")]
    Revoked,
    #[error("phones do not accept it")]
    Other,
}

/// The certificates of a server and what was decided about them.
#[derive(Debug)]
struct Seen {
    first: Vec<u8>,
    intermediates: usize,
    refused: Option<Error>,
}

/// Decides as usual, and remembers the certificates.
#[derive(Debug)]
struct Remembering {
    usual: Arc<WebPkiServerVerifier>,
    seen: Mutex<Option<Seen>>,
}

impl ServerCertVerifier for Remembering {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self.usual.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        let seen = Seen {
            first: end_entity.to_vec(),
            intermediates: intermediates.len(),
            refused: verified.as_ref().err().cloned(),
        };
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
        verified
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}

/// Reads the certificate at the first address that accepts a connection.
pub(super) async fn read(
    name: &str,
    addresses: &[IpAddr],
    port: u16,
    roots: Arc<RootCertStore>,
    limit: Duration,
) -> Result<Certificate, CertificateFault> {
    let ours = |_| CertificateFault::Other;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let usual = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider));
    let verifier = Arc::new(Remembering {
        usual: usual.build().map_err(|_| CertificateFault::Other)?,
        seen: Mutex::default(),
    });
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(ours)?
        .dangerous()
        .with_custom_certificate_verifier(verifier.clone())
        .with_no_client_auth();
    let host = ServerName::try_from(name.to_owned()).map_err(|_| CertificateFault::Other)?;
    let stream = connect(addresses, port, limit).await?;
    let shaken = TlsConnector::from(Arc::new(config)).connect(host, stream);
    let shaken = tokio::time::timeout(limit, shaken).await;
    let seen = verifier
        .seen
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    match (seen, shaken) {
        (Some(seen), Ok(Ok(_))) => facts(&seen).ok_or(CertificateFault::Other),
        (Some(seen), _) => Err(fault(&seen)),
        (None, _) => Err(CertificateFault::NoTls),
    }
}

async fn connect(
    addresses: &[IpAddr],
    port: u16,
    limit: Duration,
) -> Result<TcpStream, CertificateFault> {
    for address in addresses {
        let connected = TcpStream::connect((*address, port));
        if let Ok(Ok(stream)) = tokio::time::timeout(limit, connected).await {
            return Ok(stream);
        }
    }
    Err(CertificateFault::NotConnected)
}

fn facts(seen: &Seen) -> Option<Certificate> {
    let certificate = x509_cert::Certificate::from_der(&seen.first).ok()?;
    let validity = certificate.tbs_certificate().validity();
    let at = |time: x509_cert::time::Time| {
        let millis = time.to_unix_duration().as_millis();
        Timestamp::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
    };
    Some(Certificate {
        not_before: at(validity.not_before),
        not_after: at(validity.not_after),
    })
}

fn fault(seen: &Seen) -> CertificateFault {
    let Some(Error::InvalidCertificate(error)) = &seen.refused else {
        // The certificate is well, but the handshake failed after it.
        return CertificateFault::NoTls;
    };
    let facts = facts(seen);
    match (error, facts) {
        (CertificateError::Expired | CertificateError::ExpiredContext { .. }, Some(facts)) => {
            CertificateFault::Expired(facts.not_after)
        }
        (
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. },
            Some(facts),
        ) => CertificateFault::NotYetValid(facts.not_before),
        (
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            _,
        ) => CertificateFault::OtherNames(names(seen)),
        // A signature is bad if another authority has the issuer's name.
        (CertificateError::UnknownIssuer | CertificateError::BadSignature, _) => {
            if seen.intermediates == 0 {
                CertificateFault::NoIntermediate
            } else {
                CertificateFault::UnknownIssuer
            }
        }
        (CertificateError::Revoked, _) => CertificateFault::Revoked,
        _ => CertificateFault::Other,
    }
}

/// Returns the DNS names of the certificate, as far as they look like names.
fn names(seen: &Seen) -> Vec<String> {
    let Ok(certificate) = x509_cert::Certificate::from_der(&seen.first) else {
        return Vec::new();
    };
    let listed = certificate
        .tbs_certificate()
        .get_extension::<SubjectAltName>();
    let Ok(Some((_, SubjectAltName(listed)))) = listed else {
        return Vec::new();
    };
    let is_plain = |c: u8| c.is_ascii_alphanumeric() || b"-.*_".contains(&c);
    let names = listed.iter().filter_map(|name| match name {
        GeneralName::DnsName(name) => Some(name.as_str().to_owned()),
        _ => None,
    });
    names
        .filter(|name| name.len() <= 253 && name.bytes().all(is_plain))
        .take(MAX_NAMES)
        .collect()
}
