//! Names and the addresses that they resolve to.

use std::net::IpAddr;
use std::sync::Arc;

use countersign_domain::delivery::FailureReason;
use countersign_domain::web::callback_url::{CallbackPolicy, CallbackUrl, CallbackUrlError};
use rustls::RootCertStore;

use super::support::{
    FixedClock, Receiver, Scripted, guarded_client, local_client, local_url, post, v4_only,
};
use super::tls::Authority;
use crate::client::{Failure, Limits, WebhookClient};
use crate::resolver::{Family, LookupError, NameLookup};

fn named(port: u16) -> CallbackUrl {
    CallbackUrl::from_stored(&format!("https://hooks.example.com:{port}/hook")).unwrap()
}

#[tokio::test]
async fn name_is_looked_up_as_written_and_reached() {
    let authority = Authority::new();
    let receiver = authority.receiver("hooks.example.com").await;
    let port = receiver.address.port();
    let lookup = Scripted::new(|_, family, _| v4_only(family, &["127.0.0.1"]));
    let client = guarded_client(
        port,
        Arc::clone(&lookup) as Arc<dyn NameLookup>,
        authority.roots(),
    );
    let url = CallbackUrl::from_stored(&format!("https://HOOKS.Example.com.:{port}/hook")).unwrap();
    assert_eq!(post(&client, &url).await.unwrap().status, 204);
    let asked = lookup.asked.lock().unwrap().clone();
    let name = "hooks.example.com".to_owned();
    assert_eq!(asked, [(name.clone(), Family::V4), (name, Family::V6)]);
}

#[tokio::test]
async fn one_forbidden_address_among_public_ones_refuses_the_name() {
    let authority = Authority::new();
    let receiver = authority.receiver("hooks.example.com").await;
    let port = receiver.address.port();
    for (v4, v6) in [
        (vec!["127.0.0.1", "10.0.0.1"], vec![]),
        (vec!["10.0.0.1", "127.0.0.1"], vec![]),
        (vec!["127.0.0.1"], vec!["::1"]),
        (vec!["127.0.0.1"], vec!["2606:4700::1111", "fd00:ec2::254"]),
        (
            vec!["127.0.0.1"; 40]
                .into_iter()
                .chain(["169.254.169.254"])
                .collect(),
            vec![],
        ),
        // Spellings that other address guards have missed.
        (vec!["127.0.0.1"], vec!["::7f00:1"]),
        (vec!["127.0.0.1"], vec!["::ffff:0:7f00:1"]),
        (vec!["127.0.0.1"], vec!["fec0::1"]),
        (vec!["127.0.0.1"], vec!["2001::1"]),
        (vec!["127.0.0.1"], vec!["::ffff:127.0.0.1"]),
        (vec!["127.0.0.1"], vec!["64:ff9b::a00:1"]),
    ] {
        let shown = format!("{v4:?} {v6:?}");
        let read = |texts: &[&str]| -> Vec<IpAddr> {
            texts.iter().map(|text| text.parse().unwrap()).collect()
        };
        let (v4, v6) = (read(&v4), read(&v6));
        let lookup = Scripted::new(move |_, family, _| match family {
            Family::V4 => Ok(v4.clone()),
            Family::V6 => Ok(v6.clone()),
        });
        let outcome = post(
            &guarded_client(port, lookup, authority.roots()),
            &named(port),
        )
        .await;
        assert!(
            matches!(outcome, Err(Failure::RefusedAddress(_))),
            "{shown}: {outcome:?}"
        );
        assert_eq!(
            outcome.unwrap_err().reason(),
            FailureReason::DnsAddressRefused
        );
    }
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn name_with_internal_addresses_is_refused_in_every_mode() {
    for policy in [CallbackPolicy::deployed(), CallbackPolicy::local()] {
        for inside in [
            "127.0.0.1",
            "10.0.0.1",
            "169.254.169.254",
            "168.63.129.16",
            "0.0.0.0",
        ] {
            let lookup = Scripted::new(move |_, family, _| v4_only(family, &[inside]));
            let clock = Arc::new(FixedClock);
            let client = WebhookClient::with(policy.clone(), clock, Limits::default(), lookup);
            let url = CallbackUrl::from_stored("https://hooks.example.com/").unwrap();
            let outcome = post(&client.unwrap(), &url).await;
            assert!(
                matches!(outcome, Err(Failure::RefusedAddress(_))),
                "{inside}: {outcome:?}"
            );
        }
    }
}

/// The name resolves to a public address during the check, and to an internal one a moment later. Two
/// receivers on one port show which answer the client connected to.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn answer_that_changes_after_the_check_is_not_used() {
    use std::net::{Ipv4Addr, SocketAddr};

    let authority = Authority::new();
    let judged = authority.receiver("hooks.example.com").await;
    let port = judged.address.port();
    let inside = SocketAddr::from((Ipv4Addr::new(127, 0, 0, 2), port));
    let inside = authority.receiver_on(inside, "hooks.example.com").await;

    let lookup = Scripted::new(|_, family, before| {
        v4_only(
            family,
            if before == 0 {
                &["127.0.0.1"]
            } else {
                &["127.0.0.2"]
            },
        )
    });
    let client = guarded_client(
        port,
        Arc::clone(&lookup) as Arc<dyn NameLookup>,
        authority.roots(),
    );
    // Every webhook needs a new connection, and therefore a new lookup.
    let unpooled = client.unpooled.clone();
    let client = WebhookClient {
        pooled: unpooled,
        ..client
    };

    assert_eq!(post(&client, &named(port)).await.unwrap().status, 204);
    assert_eq!(
        lookup.count(),
        2,
        "one lookup per family, and no second one for connecting"
    );
    assert_eq!((judged.connections(), inside.connections()), (1, 0));

    let outcome = post(&client, &named(port)).await;
    assert!(
        matches!(outcome, Err(Failure::RefusedAddress(_))),
        "{outcome:?}"
    );
    assert_eq!((judged.connections(), inside.connections()), (1, 0));
}

#[tokio::test]
async fn localhost_in_local_mode_needs_no_lookup() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let url = local_url(&format!(
        "http://localhost:{}/hook",
        receiver.address.port()
    ));
    // This client's lookup panics if it is used.
    assert_eq!(post(&local_client(), &url).await.unwrap().status, 200);
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn missing_name_is_reported_as_the_receivers_fault() {
    for error in [
        LookupError::NotFound,
        LookupError::Failed,
        LookupError::Unavailable,
    ] {
        let lookup = Scripted::new(move |_, _, _| Err(error));
        let client = guarded_client(443, lookup, RootCertStore::empty());
        let outcome = post(&client, &named(443)).await;
        assert_eq!(outcome, Err(Failure::Dns(error)));
        assert_eq!(
            outcome.unwrap_err().reason(),
            FailureReason::NameNotResolved
        );
    }
}

#[test]
fn refusal_by_name_is_reported() {
    let refused = Failure::RefusedUrl(CallbackUrlError::HostForbidden);
    assert_eq!(refused.reason(), FailureReason::AddressRefused);
}
