#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::{Ipv4Addr, SocketAddr};

use rcgen::CertificateParams;
use tokio::io::AsyncWriteExt as _;

use countersign_domain::primitives::time::Timestamp;

use super::*;
use crate::client::tests::support::{FixedClock, Receiver, Scripted, guarded_resolver, v4_only};
use crate::client::tests::tls::Authority;

const NAME: &str = "login.example.com";

/// Returns a probe that trusts `roots`, with every name at 127.0.0.1.
fn probe(port: u16, roots: RootCertStore) -> SiteProbe {
    let lookup = Scripted::new(|_, family, _| v4_only(family, &["127.0.0.1"]));
    let limits = Limits::default();
    let resolver = guarded_resolver(lookup, &limits);
    let policy = CallbackPolicy {
        extra_ports: vec![port],
        ..CallbackPolicy::deployed()
    };
    let tls = tls::trusting(roots.clone()).unwrap();
    let clock = Arc::new(FixedClock);
    let client = WebhookClient::assemble(policy.clone(), clock, limits.clone(), &resolver, &tls);
    SiteProbe {
        policy,
        client: client.unwrap(),
        resolver,
        roots: Arc::new(roots),
        limits,
    }
}

fn url(host: &str, port: u16) -> CallbackUrl {
    CallbackUrl::from_stored(&format!("https://{host}:{port}/x")).unwrap()
}

async fn certificate_of(params: CertificateParams) -> Result<Certificate, CertificateFault> {
    let authority = Authority::new();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let receiver = authority.receiver_with(address, &params).await;
    let port = receiver.address.port();
    let probe = probe(port, authority.roots());
    probe.certificate(&url(NAME, port)).await
}

fn params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.not_before = rcgen::date_time_ymd(2026, 1, 1);
    params.not_after = rcgen::date_time_ymd(2199, 1, 1);
    params
}

fn year(year: i32) -> String {
    format!("{year}-01-01T00:00:00.000Z")
}

#[tokio::test]
async fn valid_certificate_is_read() {
    let read = certificate_of(params(NAME)).await.unwrap();
    assert_eq!(read.not_before.to_string(), year(2026));
    assert_eq!(read.not_after.to_string(), year(2199));
}

#[tokio::test]
async fn every_fault_is_named() {
    let mut expired = params(NAME);
    expired.not_before = rcgen::date_time_ymd(2020, 1, 1);
    expired.not_after = rcgen::date_time_ymd(2021, 1, 1);
    let fault = certificate_of(expired).await.unwrap_err();
    assert_eq!(fault.to_string(), format!("it expired at {}", year(2021)));

    let mut early = params(NAME);
    early.not_before = rcgen::date_time_ymd(2198, 1, 1);
    let fault = certificate_of(early).await.unwrap_err();
    assert_eq!(
        fault.to_string(),
        format!("it is valid only from {}", year(2198))
    );

    let other = certificate_of(params("www.example.com")).await;
    let names = vec!["www.example.com".to_owned()];
    assert_eq!(other, Err(CertificateFault::OtherNames(names)));
}

#[tokio::test]
async fn missing_intermediate_and_silence_are_told_apart() {
    let receiver = Authority::new().receiver(NAME).await;
    let port = receiver.address.port();
    let stranger = probe(port, Authority::new().roots());
    assert_eq!(
        stranger.certificate(&url(NAME, port)).await,
        Err(CertificateFault::NoIntermediate)
    );
    let plain = Receiver::start(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    })
    .await;
    let port = plain.address.port();
    let no_tls = probe(port, Authority::new().roots());
    assert_eq!(
        no_tls.certificate(&url(NAME, port)).await,
        Err(CertificateFault::NoTls)
    );
}

#[tokio::test]
async fn answer_is_seen_as_it_is_and_no_redirect_is_followed() {
    let elsewhere = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let client = crate::client::tests::support::local_client();
    let html = Receiver::answering(
        "HTTP/1.1 404 Not Found\r\ncontent-type: Text/HTML; charset=utf-8\r\ncontent-length: 5\r\n\r\nhello",
    )
    .await;
    let mut seen = SeenFile {
        status: 404,
        media_type: Some("text/html".to_owned()),
        body: Some("hello".into()),
    };
    assert_eq!(client.look(&html.url(), 5).await, Ok(seen.clone()));
    seen.body = None;
    assert_eq!(client.look(&html.url(), 4).await, Ok(seen));
    let location = format!("http://{}/", elsewhere.address);
    let redirect = Receiver::start(move |mut stream| {
        let location = location.clone();
        async move {
            let answer = format!(
                "HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
            let _ = crate::client::tests::support::read_request(&mut stream).await;
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    })
    .await;
    let seen = client.look(&redirect.url(), 5).await.unwrap();
    assert_eq!((seen.status, elsewhere.connections()), (302, 0));
}

#[test]
fn renewal_is_overdue_shortly_before_the_end() {
    let at = |day: u64| Timestamp::from_millis(1_767_225_600_000 + day * 86_400_000);
    let lasting = |days| Certificate {
        not_before: at(0),
        not_after: at(days),
    };
    for (days, overdue_from) in [(90, 77), (398, 385), (6, 6)] {
        let certificate = lasting(days);
        assert!(
            !certificate.is_renewal_overdue(at(overdue_from - 1)),
            "{days}"
        );
        assert!(certificate.is_renewal_overdue(at(overdue_from)), "{days}");
    }
}

#[tokio::test]
async fn inside_of_the_network_gets_no_connection() {
    let inside = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let port = inside.address.port();
    for (host, address) in [
        (NAME, "127.0.0.1"),
        (NAME, "10.0.0.1"),
        (NAME, "169.254.169.254"),
        ("db.internal", "127.0.0.1"),
        ("intranet", "127.0.0.1"),
        ("localhost", "127.0.0.1"),
        ("127.0.0.1", ""),
        ("[::1]", ""),
    ] {
        let lookup = Scripted::new(move |_, family, _| v4_only(family, &[address]));
        let policy = CallbackPolicy {
            extra_ports: vec![port],
            ..CallbackPolicy::deployed()
        };
        let limits = Limits::default();
        let probe = SiteProbe {
            resolver: GuardedResolver::new(lookup, &policy, limits.dns),
            ..probe(port, Authority::new().roots())
        };
        let at = url(host, port);
        assert!(probe.addresses(&at).await.is_err(), "{host} {address}");
        let read = probe.certificate(&at).await;
        assert!(
            matches!(read, Err(CertificateFault::NotResolved(_))),
            "{host} {address}: {read:?}"
        );
        // The client's own resolver is that of `probe`, which allows 127.0.0.1 for names.
        if host != NAME {
            let file = probe.file(&at, 100).await;
            assert!(matches!(file, Err(Failure::RefusedUrl(_))), "{file:?}");
        }
    }
    assert_eq!(inside.connections(), 0);
}
