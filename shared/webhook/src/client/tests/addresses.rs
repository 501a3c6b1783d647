//! Addresses in the URL itself, checked when sending.

use std::sync::Arc;

use countersign_domain::web::callback_url::{CallbackPolicy, CallbackUrl, CallbackUrlError};
use http::Uri;
use proptest::prelude::*;

use super::support::{FixedClock, Receiver, no_lookup, post};
use crate::client::{Failure, Limits, WebhookClient};

/// Spellings of forbidden addresses that a store may contain: some could never have been accepted, and
/// others may have been accepted under a different policy.
const LITERALS: &[&str] = &[
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "0177.0.0.1",
    "127.0x1",
    "１２７.0.0.1",
    "１２７。０。０。１",
    "127%2e0%2e0%2e1",
    "0",
    "0.0.0.0",
    "0x0",
    "10.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "168.63.129.16",
    "172.16.0.1",
    "192.168.0.1",
    "255.255.255.255",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[::7f00:1]",
    "[::ffff:0:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2001::1]",
    "[2002:7f00:1::]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
];

fn deployed_client(port: u16) -> WebhookClient {
    let policy = CallbackPolicy {
        extra_ports: vec![port],
        ..CallbackPolicy::deployed()
    };
    WebhookClient::with(policy, Arc::new(FixedClock), Limits::default(), no_lookup()).unwrap()
}

#[tokio::test]
async fn no_spelling_of_a_forbidden_address_is_connected_to() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let port = receiver.address.port();
    let client = deployed_client(port);
    for scheme in ["https", "http"] {
        for host in LITERALS {
            let url = CallbackUrl::from_stored(&format!("{scheme}://{host}:{port}/")).unwrap();
            let outcome = post(&client, &url).await;
            assert!(
                matches!(
                    outcome,
                    Err(Failure::RefusedUrl(CallbackUrlError::AddressForbidden(_)))
                ),
                "{host}: {outcome:?}"
            );
        }
    }
    assert_eq!(receiver.connections(), 0);
}

/// The HTTP client calls the resolver only for names, so checking there is not enough.
#[tokio::test]
async fn http_client_without_the_guard_connects() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let port = receiver.address.port();
    let policy = CallbackPolicy::local();
    let client = WebhookClient::with(policy, Arc::new(FixedClock), Limits::default(), no_lookup());
    let http = client.unwrap().unpooled;
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "１２７.0.0.1",
    ] {
        assert!(
            http.get(format!("http://{host}:{port}/"))
                .send()
                .await
                .is_ok(),
            "{host}"
        );
    }
    assert_eq!(receiver.connections(), 5);
}

#[tokio::test]
async fn current_policy_applies_to_stored_urls() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let port = receiver.address.port();
    let client = deployed_client(443);
    for (text, refusal) in [
        (
            format!("https://example.com:{port}/"),
            CallbackUrlError::Port(port),
        ),
        ("http://example.com/".to_owned(), CallbackUrlError::NotHttps),
        (
            format!("http://localhost:{port}/"),
            CallbackUrlError::HostForbidden,
        ),
        (
            "https://app.internal/".to_owned(),
            CallbackUrlError::HostForbidden,
        ),
    ] {
        let url = CallbackUrl::from_stored(&text).unwrap();
        assert_eq!(
            post(&client, &url).await,
            Err(Failure::RefusedUrl(refusal)),
            "{text}"
        );
    }
    assert_eq!(receiver.connections(), 0);
}

/// Returns hosts in many formats, for the guard and for the HTTP client's own parser.
fn hosts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9_-]{1,8}(\\.[a-z0-9-]{1,8}){1,3}\\.?",
        "[0-9]{1,3}(\\.[0-9]{1,3}){3}",
        "\\[[0-9a-f]{1,4}(:[0-9a-f]{1,4}){7}\\]",
        "[a-zé０-９.。%@:]{1,16}",
    ]
}

proptest! {
    #[test]
    fn checked_host_is_the_host_that_is_connected_to(
        host in hosts(),
        port in prop_oneof![Just(""), Just(":443"), Just(":8443")],
        tail in "(/[ -~é]{0,12})?(\\?[ -~]{0,12})?",
    ) {
        let text = format!("https://{host}{port}{tail}");
        if let Ok(url) = CallbackUrl::parse(&text, &CallbackPolicy::deployed()) {
            let uri: Uri = url.as_str().parse().expect("the HTTP client parses it too");
            let origin = format!(
                "{}://{}:{}",
                uri.scheme_str().unwrap_or(""),
                uri.host().unwrap_or(""),
                uri.port_u16().unwrap_or(443)
            );
            prop_assert_eq!(url.origin(), origin);
        }
    }
}
