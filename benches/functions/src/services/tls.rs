//! The TLS certificate of the fake services.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// A server's certificate and its certificate authority.
pub(super) struct Identity {
    /// The authority's certificate, in PEM.
    pub(super) authority: String,
    /// The TLS configuration of the servers.
    pub(super) config: Arc<ServerConfig>,
}

/// Creates a certificate authority and a certificate for loopback.
pub(super) fn identity() -> Identity {
    let mut authority = CertificateParams::new(Vec::new()).expect("there are no names");
    // Some clients consider a certificate self-signed if both names are the same.
    let own = &mut authority.distinguished_name;
    own.push(DnType::CommonName, "authority of the benchmark");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("there is randomness");
    let authority = CertifiedIssuer::self_signed(authority, key).expect("the key signs");
    let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
    let mut server = CertificateParams::new(names).expect("the names are well formed");
    let own = &mut server.distinguished_name;
    own.push(DnType::CommonName, "services of the benchmark");
    let key = KeyPair::generate().expect("there is randomness");
    let certificate = server.signed_by(&key, &authority).expect("the key signs");
    let chain = vec![certificate.der().clone(), authority.der().clone()];
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider has all of TLS 1.2 and 1.3")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("the key fits");
    Identity {
        authority: pem(authority.der()),
        config: Arc::new(config),
    }
}

/// Encodes a certificate as PEM (RFC 7468), with lines of 64 characters.
fn pem(certificate: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(certificate);
    let lines: Vec<_> = text
        .as_bytes()
        .chunks(64)
        .map(String::from_utf8_lossy)
        .collect();
    let body = lines.join("\n");
    format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n")
}
