//! The TLS side of the client.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

/// TLS 1.2 and 1.3 by ring, trusting Mozilla's roots as compiled in.
///
/// The provider is named here rather than installed for the process, so nothing depends on who
/// installs one first. Compiled-in roots are the same in a function, in a container without a
/// certificate store and on a laptop, and cost no reading at a cold start; they are as new as the
/// release.
pub(super) fn config() -> Result<ClientConfig, rustls::Error> {
    let roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    trusting(roots)
}

/// The same, trusting `roots` alone.
pub(super) fn trusting(roots: RootCertStore) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
