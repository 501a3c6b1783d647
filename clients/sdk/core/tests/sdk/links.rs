//! Links.

use countersign_sdk::{Client, Configuration, InvalidLinkReason, LinkError, SdkError};
use proptest::prelude::*;

use crate::support::{SERVICE, World};

const ID: &str = "qrs_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e";

fn client(hosts: &[&str]) -> Client {
    let hosts: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
    let configuration = Configuration::new(SERVICE, &hosts).unwrap();
    Client::new(configuration, World::new().platform)
}

fn reason(client: &Client, link: &str) -> InvalidLinkReason {
    match client.session_id(link) {
        Err(SdkError::InvalidLink(reason)) => reason,
        other => panic!("{link}: {other:?}"),
    }
}

#[test]
fn first_session_id_of_a_link_is_taken() {
    let client = client(&["Login.Shop.Example", "login.other.example:8443"]);
    for link in [
        format!("https://login.shop.example?sessionId={ID}"),
        format!("https://login.shop.example/?sessionId={ID}"),
        format!("HTTPS://LOGIN.shop.example?sessionId={ID}"),
        format!("https://login.shop.example:443?sessionId={ID}"),
        format!("https://login.other.example:8443?sessionId={ID}"),
        format!("https://login.shop.example?utm=1&sessionId={ID}&sessionId=qrs_x#top"),
    ] {
        assert_eq!(client.session_id(&link).as_deref(), Ok(ID), "{link}");
    }
}

#[test]
fn other_hosts_and_ports_are_refused() {
    let client = client(&["login.shop.example", "login.other.example:8443"]);
    for host in [
        "evil.example",
        "shop.example",
        "login.shop.example.evil.example",
        "xlogin.shop.example",
        "login.shop.example:8443",
        "login.other.example",
        "login.other.example:443",
    ] {
        let refused = reason(&client, &format!("https://{host}?sessionId={ID}"));
        assert_eq!(refused, InvalidLinkReason::HostNotAllowed, "{host}");
    }
}

#[test]
fn http_is_only_for_configured_loopback_hosts() {
    let hosts = [
        "localhost:8787",
        "127.0.0.1:8787",
        "[::1]:8787",
        "login.shop.example",
    ];
    let client = client(&hosts);
    for host in &hosts[..3] {
        let link = format!("http://{host}?sessionId={ID}");
        assert_eq!(client.session_id(&link).as_deref(), Ok(ID), "{link}");
        let secure = reason(&client, &link.replace("http://", "https://"));
        let expected = InvalidLinkReason::Malformed(LinkError::WrongScheme);
        assert_eq!(secure, expected, "{link}");
    }
    for host in ["localhost:8788", "localhost"] {
        let refused = reason(&client, &format!("http://{host}?sessionId={ID}"));
        assert_eq!(refused, InvalidLinkReason::HostNotAllowed, "{host}");
    }
}

#[test]
fn no_link_is_opened_without_allowed_hosts() {
    let link = format!("https://login.shop.example?sessionId={ID}");
    let refused = reason(&client(&[]), &link);
    assert_eq!(refused, InvalidLinkReason::HostNotAllowed);
}

#[test]
fn missing_session_id_is_a_reason_of_its_own() {
    let client = client(&["login.shop.example"]);
    for link in [
        "https://login.shop.example",
        "https://login.shop.example/?session=1",
        "https://login.shop.example#sessionId=1",
    ] {
        assert_eq!(reason(&client, link), InvalidLinkReason::SessionIdMissing);
    }
    for (link, error) in [
        (
            format!("http://login.shop.example?sessionId={ID}"),
            LinkError::WrongScheme,
        ),
        (
            format!("https://u@login.shop.example?sessionId={ID}"),
            LinkError::UserInfo,
        ),
        (
            format!("https://login.shop.example/a?sessionId={ID}"),
            LinkError::Path,
        ),
        (
            format!("https://login.shop.example?sessionId=&sessionId={ID}"),
            LinkError::SessionIdMalformed,
        ),
        (ID.to_owned(), LinkError::NotALink),
    ] {
        let refused = reason(&client, &link);
        assert_eq!(refused, InvalidLinkReason::Malformed(error), "{link}");
    }
}

/// Texts that are almost valid links.
fn nearly_links() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("https://".to_owned()),
        Just("login.shop.example".to_owned()),
        Just(":443".to_owned()),
        Just("/".to_owned()),
        Just("?".to_owned()),
        Just("&".to_owned()),
        Just("#".to_owned()),
        Just("sessionId=".to_owned()),
        Just("session%49d=".to_owned()),
        Just("qrp_".to_owned()),
        "qrs_[0-9a-f]{32}",
        "[a-zA-Z0-9%@:.+=-]{0,6}",
        ".{0,4}",
    ];
    proptest::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_makes_the_parser_panic(text in prop_oneof![nearly_links(), ".{0,200}"]) {
        let client = client(&["login.shop.example"]);
        if let Ok(id) = client.session_id(&text) {
            let start = text.to_ascii_lowercase();
            let start = start.strip_prefix("https://login.shop.example").unwrap();
            prop_assert!(start.starts_with(['?', '/', ':']), "{text}");
            prop_assert!(text.contains(&id));
        }
    }

    #[test]
    fn id_that_comes_out_is_the_first(
        before in proptest::collection::vec("[a-z]{1,5}=[a-z]{0,5}", 0..3),
        ids in proptest::collection::vec("qr[sp]_[0-9a-f]{32}", 1..4),
        slash in "/?",
    ) {
        let ids_in_query = ids.iter().map(|id| format!("sessionId={id}"));
        let query: Vec<String> = before.into_iter().chain(ids_in_query).collect();
        let link = format!("https://login.shop.example{slash}?{}", query.join("&"));
        let client = client(&["login.shop.example"]);
        prop_assert_eq!(client.session_id(&link), Ok(ids[0].clone()));
    }
}
