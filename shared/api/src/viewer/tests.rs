use countersign_domain::login::sighting::{City, Coordinates, CountryCode, NetworkClass, Place};
use http::{HeaderName, HeaderValue};

use super::*;

const SECRET: &str = "0123456789abcdef";
const PEER: &str = "192.0.2.1";

fn policy() -> ViewerPolicy {
    ViewerPolicy {
        origin_secret: SECRET.parse().ok(),
        trusted_proxies: ["192.0.2.1", "10.0.0.0/8"]
            .map(|text| text.parse().unwrap())
            .into(),
    }
}

fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in all {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        headers.append(HeaderName::from_static(name), value);
    }
    headers
}

fn seen(policy: &ViewerPolicy, peer: &str, all: &[(&'static str, &str)]) -> Viewer {
    Viewer::new(policy, peer.parse().unwrap(), &headers(all))
}

fn address(policy: &ViewerPolicy, peer: &str, all: &[(&'static str, &str)]) -> String {
    seen(policy, peer, all).address.to_string()
}

#[test]
fn cloudfront_is_trusted_with_the_secret() {
    for (value, expected) in [
        ("203.0.113.7:46532", "203.0.113.7"),
        ("2001:db8::1:46532", "2001:db8::1"),
        (
            "2001:0db8:85a3:0000:0000:8a2e:0370:7334:443",
            "2001:db8:85a3::8a2e:370:7334",
        ),
        ("[2001:db8::1]:46532", "2001:db8::1"),
        ("::ffff:203.0.113.7:46532", "203.0.113.7"),
        // Malformed, so ignored.
        ("203.0.113.7", PEER),
        ("203.0.113.7:65536", PEER),
        ("203.0.113.7:", PEER),
        ("shop.example:80", PEER),
        ("", PEER),
        ("\u{fc}", PEER),
    ] {
        let all = [
            ("x-countersign-origin-secret", SECRET),
            ("cloudfront-viewer-address", value),
        ];
        assert_eq!(address(&policy(), PEER, &all), expected, "{value}");
    }
}

#[test]
fn places_count_only_with_the_secret() {
    let place = [
        ("cloudfront-viewer-country", "DE"),
        ("cloudfront-viewer-city", "K%C3%B6ln"),
        ("cloudfront-viewer-latitude", "50.93330"),
        ("cloudfront-viewer-longitude", "6.95000"),
        ("cloudfront-viewer-asn", "64496"),
    ];
    let with = |secret: &'static str| {
        let all = [&place[..], &[("x-countersign-origin-secret", secret)]].concat();
        seen(&policy(), PEER, &all)
    };
    let located = with(SECRET).located;
    let expected = Place {
        country: "DE".parse::<CountryCode>().ok(),
        city: City::new("Köln"),
        coordinates: Coordinates::from_degrees(50.9333, 6.95).ok(),
        credit: None,
    };
    assert_eq!(located.place, expected);
    assert_eq!(located.network, NetworkClass::Unknown);
    assert_eq!(with("0123456789abcdeF").located, Located::default());
    assert_eq!(seen(&policy(), PEER, &place).located, Located::default());
    let nobody = ViewerPolicy::default();
    assert_eq!(seen(&nobody, PEER, &place).located, Located::default());
}

#[test]
fn malformed_place_is_unknown() {
    let with = |all: &[(&'static str, &str)]| {
        let all = [all, &[("x-countersign-origin-secret", SECRET)]].concat();
        seen(&policy(), PEER, &all).located.place
    };
    assert_eq!(with(&[]), Place::default());
    for all in [
        &[("cloudfront-viewer-country", "de")][..],
        &[
            ("cloudfront-viewer-country", "DE"),
            ("cloudfront-viewer-country", "FR"),
        ],
        &[("cloudfront-viewer-city", "%FF")],
        &[("cloudfront-viewer-city", "%00")],
        &[("cloudfront-viewer-latitude", "50.9")],
        &[
            ("cloudfront-viewer-latitude", "NaN"),
            ("cloudfront-viewer-longitude", "6.9"),
        ],
        &[
            ("cloudfront-viewer-latitude", "91"),
            ("cloudfront-viewer-longitude", "6.9"),
        ],
    ] {
        assert_eq!(with(all), Place::default(), "{all:?}");
    }
    let rest = with(&[
        ("cloudfront-viewer-country", "DE"),
        ("cloudfront-viewer-city", "%FF"),
    ]);
    let expected = Place {
        country: "DE".parse::<CountryCode>().ok(),
        ..Place::default()
    };
    assert_eq!(rest, expected);
}

#[test]
fn repeated_secret_is_ignored() {
    let all = [
        ("x-countersign-origin-secret", SECRET),
        ("x-countersign-origin-secret", SECRET),
        ("cloudfront-viewer-address", "203.0.113.7:1"),
    ];
    assert_eq!(address(&policy(), "198.51.100.1", &all), "198.51.100.1");
}

#[test]
fn proxies_are_followed_as_far_as_they_are_trusted() {
    for (peer, lists, expected) in [
        // The peer is not trusted: the list is ignored.
        ("198.51.100.1", &["203.0.113.7"][..], "198.51.100.1"),
        (PEER, &[], PEER),
        (PEER, &["203.0.113.7"], "203.0.113.7"),
        (PEER, &["6.6.6.6, 203.0.113.7"], "203.0.113.7"),
        (PEER, &["6.6.6.6, 203.0.113.7, 10.1.2.3"], "203.0.113.7"),
        (PEER, &["6.6.6.6", "203.0.113.7", "10.1.2.3"], "203.0.113.7"),
        (PEER, &["10.1.2.3"], "10.1.2.3"),
        (PEER, &["2001:db8::1"], "2001:db8::1"),
        (PEER, &["[2001:db8::1]:443"], "2001:db8::1"),
        (PEER, &["203.0.113.7:5000"], "203.0.113.7"),
        (PEER, &["::ffff:203.0.113.7"], "203.0.113.7"),
        ("::ffff:192.0.2.1", &["203.0.113.7"], "203.0.113.7"),
        // Malformed, so nothing before it is trusted.
        (PEER, &["203.0.113.7, unknown"], PEER),
        (PEER, &["203.0.113.7, unknown, 10.1.2.3"], "10.1.2.3"),
        (PEER, &[""], PEER),
    ] {
        let all: Vec<_> = lists
            .iter()
            .map(|list| ("x-forwarded-for", *list))
            .collect();
        assert_eq!(address(&policy(), peer, &all), expected, "{lists:?}");
    }
}

#[test]
fn cloudfront_goes_before_proxies() {
    let all = [
        ("x-countersign-origin-secret", SECRET),
        ("cloudfront-viewer-address", "203.0.113.7:1"),
        ("x-forwarded-for", "203.0.113.9"),
    ];
    assert_eq!(address(&policy(), PEER, &all), "203.0.113.7");
}

#[test]
fn firewall_may_classify_the_network() {
    let with = |class: &'static str| {
        let all = [
            ("x-amzn-waf-countersign-network", class),
            ("x-countersign-origin-secret", SECRET),
        ];
        seen(&policy(), PEER, &all).located.network
    };
    assert_eq!(with("tor"), NetworkClass::Tor);
    assert_eq!(with("attacker"), NetworkClass::Attacker);
    assert_eq!(with("Tor"), NetworkClass::Unknown);
    let bare = [("x-amzn-waf-countersign-network", "tor")];
    let unknown = seen(&policy(), PEER, &bare).located.network;
    assert_eq!(unknown, NetworkClass::Unknown);
}
