//! Receivers with valid and invalid certificates.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use countersign_domain::delivery::FailureReason;
use countersign_domain::web::callback_url::CallbackUrl;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{RootCertStore, ServerConfig};
use tokio::io::AsyncWriteExt;
use tokio_rustls::TlsAcceptor;

use super::support::{Receiver, Scripted, guarded_client, post, read_request, v4_only};
use crate::client::{Failure, ReceiverResponse, tls};

/// A certificate authority for tests.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    pub(crate) fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        roots
    }

    fn acceptor(&self, params: &CertificateParams) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }

    /// Starts a receiver at 127.0.0.1 with a certificate for `name`.
    pub(crate) async fn receiver(&self, name: &str) -> Receiver {
        self.receiver_on(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), name)
            .await
    }

    /// Starts a receiver at another address.
    pub(crate) async fn receiver_on(&self, address: SocketAddr, name: &str) -> Receiver {
        self.receiver_with(
            address,
            &CertificateParams::new(vec![name.to_owned()]).unwrap(),
        )
        .await
    }

    pub(crate) async fn receiver_with(
        &self,
        address: SocketAddr,
        params: &CertificateParams,
    ) -> Receiver {
        let acceptor = self.acceptor(params);
        Receiver::on(address, move |stream| {
            let acceptor = acceptor.clone();
            async move {
                let Ok(mut stream) = acceptor.accept(stream).await else {
                    return;
                };
                while read_request(&mut stream).await.is_some() {
                    let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
                    if stream.write_all(answer).await.is_err() || stream.flush().await.is_err() {
                        return;
                    }
                }
            }
        })
        .await
    }
}

/// Posts to `name` with `authority` trusted.
async fn post_to(
    receiver: &Receiver,
    name: &str,
    roots: RootCertStore,
) -> Result<ReceiverResponse, Failure> {
    let port = receiver.address.port();
    let lookup = Scripted::new(|_, family, _| v4_only(family, &["127.0.0.1"]));
    let url = CallbackUrl::from_stored(&format!("https://{name}:{port}/hook")).unwrap();
    post(&guarded_client(port, lookup, roots), &url).await
}

#[tokio::test]
async fn valid_certificate_is_accepted() {
    let authority = Authority::new();
    let receiver = authority.receiver("hooks.example.com").await;
    let answer = post_to(&receiver, "hooks.example.com", authority.roots())
        .await
        .unwrap();
    assert_eq!(answer.status, 204);
}

#[tokio::test]
async fn certificate_for_another_name_is_refused() {
    let authority = Authority::new();
    let receiver = authority.receiver("other.example.com").await;
    let outcome = post_to(&receiver, "hooks.example.com", authority.roots()).await;
    assert_eq!(outcome, Err(Failure::Tls));
    assert_eq!(Failure::Tls.reason(), FailureReason::TlsFailed);
}

#[tokio::test]
async fn untrusted_authority_is_refused() {
    let receiver = Authority::new().receiver("hooks.example.com").await;
    let outcome = post_to(&receiver, "hooks.example.com", Authority::new().roots()).await;
    assert_eq!(outcome, Err(Failure::Tls));
}

#[tokio::test]
async fn expired_certificate_is_refused() {
    let authority = Authority::new();
    let mut params = CertificateParams::new(vec!["hooks.example.com".to_owned()]).unwrap();
    params.not_before = rcgen::date_time_ymd(2020, 1, 1);
    params.not_after = rcgen::date_time_ymd(2021, 1, 1);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let receiver = authority.receiver_with(address, &params).await;
    let outcome = post_to(&receiver, "hooks.example.com", authority.roots()).await;
    assert_eq!(outcome, Err(Failure::Tls));
}

#[tokio::test]
async fn receiver_without_tls_is_a_tls_failure() {
    let roots = || Authority::new().roots();
    let plain = Receiver::start(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    })
    .await;
    assert_eq!(
        post_to(&plain, "hooks.example.com", roots()).await,
        Err(Failure::Tls)
    );
    let hanging_up = Receiver::start(|mut stream| async move {
        let mut some = [0; 16];
        let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut some).await;
        let _ = stream.shutdown().await;
        // Read everything: unread bytes would turn the close into a reset.
        let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    })
    .await;
    assert_eq!(
        post_to(&hanging_up, "hooks.example.com", roots()).await,
        Err(Failure::Tls)
    );
}

#[test]
fn deployed_roots_are_compiled_in() {
    let config = tls::config().unwrap();
    assert_eq!(config.alpn_protocols, [b"http/1.1"]);
    assert!(webpki_roots::TLS_SERVER_ROOTS.len() > 50);
}
