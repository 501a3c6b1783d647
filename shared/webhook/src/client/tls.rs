//! The client's TLS configuration.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

/// Returns TLS 1.2 and 1.3 with ring and Mozilla's compiled-in roots.
///
/// The crypto provider is specified here rather than installed for the process, so it does not
/// matter who installs one first. Compiled-in roots are the same in a function, in a container
/// without a certificate store and on a laptop, and need not be read during a cold start; they are
/// as recent as the release.
pub(super) fn config() -> Result<ClientConfig, rustls::Error> {
    trusting(public_roots())
}

/// Returns Mozilla's roots.
pub(crate) fn public_roots() -> RootCertStore {
    RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    }
}

/// Returns the same configuration with only `roots` trusted.
pub(crate) fn trusting(roots: RootCertStore) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
