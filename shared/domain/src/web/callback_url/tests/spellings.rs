//! Every spelling of a forbidden address must be refused.

use super::{AddressForbidden, CallbackPolicy, CallbackUrl, deployed};

/// Spellings of loopback addresses that have deceived resolvers and parsers.
const LOOPBACK: &[&str] = &[
    "127.0.0.1",
    "127.0.0.1.",
    "127.255.255.254",
    "127.1",
    "127.0.1",
    "2130706433",
    "2130706433.",
    "0x7f000001",
    "0X7F000001",
    "0x7f.1",
    "0x7f.0x0.0x0.0x1",
    "017700000001",
    "0177.0.0.1",
    "0177.0x0.1",
    "00000000177.0.0.1",
    "127.0x1",
    "127.0.0.0x1",
    "１２７.0.0.1",
    "１２７。０。０。１",
    "127｡0｡0｡1",
    "①②⑦.0.0.1",
    "𝟏𝟐𝟕.0.0.1",
    "127%2e0%2e0%2e1",
    "%31%32%37.0.0.1",
    "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::0.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::FFFF:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[::7f00:1]",
    "[::ffff:0:7f00:1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2002:7f00:0001::1]",
];

/// Spellings of other forbidden addresses.
const ELSEWHERE: &[&str] = &[
    "0",
    "0.",
    "0.0.0.0",
    "00",
    "0x0",
    "0x",
    "0.1",
    "10.0.0.1",
    "10.1",
    "012.1",
    "167772161",
    "100.64.0.1",
    "100.100.100.200",
    "169.254.169.254",
    "169.254.43518",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.170.2",
    "168.63.129.16",
    "0xa83f8110",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "255.255.255.255",
    "4294967295",
    "037777777777",
    "[::]",
    "[fec0::1]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[100::1]",
    "[2001::1]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[5f00::1]",
    "[::ffff:169.254.169.254]",
    "[::a9fe:a9fe]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::8.8.8.8]",
];

#[test]
fn no_spelling_of_a_forbidden_address_is_accepted() {
    for host in LOOPBACK.iter().chain(ELSEWHERE) {
        for port in ["", ":443", ":8443"] {
            let text = format!("https://{host}{port}/hook");
            assert!(
                matches!(deployed(&text), Err(AddressForbidden(_))),
                "{text}"
            );
        }
    }
}

#[test]
fn stored_spelling_of_a_forbidden_address_is_refused_before_sending() {
    let policy = CallbackPolicy::deployed();
    for host in LOOPBACK.iter().chain(ELSEWHERE) {
        let stored = CallbackUrl::from_stored(&format!("https://{host}/hook"));
        let judged = stored.and_then(|url| url.check(&policy));
        assert!(matches!(judged, Err(AddressForbidden(_))), "{host}");
    }
}

#[test]
fn nat64_spelling_is_judged_by_the_address_inside() {
    let policy = CallbackPolicy {
        nat64: true,
        ..CallbackPolicy::deployed()
    };
    assert!(CallbackUrl::parse("https://[64:ff9b::8.8.8.8]/", &policy).is_ok());
    for inside in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "168.63.129.16"] {
        let refused = CallbackUrl::parse(&format!("https://[64:ff9b::{inside}]/"), &policy);
        assert!(matches!(refused, Err(AddressForbidden(_))), "{inside}");
    }
    for host in LOOPBACK
        .iter()
        .chain(ELSEWHERE)
        .filter(|host| **host != "[64:ff9b::8.8.8.8]")
    {
        assert!(
            CallbackUrl::parse(&format!("https://{host}/"), &policy).is_err(),
            "{host}"
        );
    }
}
