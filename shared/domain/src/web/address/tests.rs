#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::{check, check_through_nat64, is_public};

/// First and last address of every refused IPv4 block, written by hand so that the test does not
/// use the table's arithmetic.
const REFUSED_V4: &[(&str, &str)] = &[
    ("0.0.0.0", "0.255.255.255"),
    ("10.0.0.0", "10.255.255.255"),
    ("100.64.0.0", "100.127.255.255"),
    ("127.0.0.0", "127.255.255.255"),
    ("168.63.129.16", "168.63.129.16"),
    ("169.254.0.0", "169.254.255.255"),
    ("172.16.0.0", "172.31.255.255"),
    ("192.0.0.0", "192.0.0.255"),
    ("192.0.2.0", "192.0.2.255"),
    ("192.88.99.0", "192.88.99.255"),
    ("192.168.0.0", "192.168.255.255"),
    ("198.18.0.0", "198.19.255.255"),
    ("198.51.100.0", "198.51.100.255"),
    ("203.0.113.0", "203.0.113.255"),
    ("224.0.0.0", "255.255.255.255"),
];

/// First and last address of every refused IPv6 range, in order; adjacent ranges are merged.
const REFUSED_V6: &[(&str, &str)] = &[
    ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
];

fn v4(text: &str) -> Ipv4Addr {
    text.parse().unwrap()
}

fn v6(text: &str) -> Ipv6Addr {
    text.parse().unwrap()
}

fn refused_by_hand_v4(address: Ipv4Addr) -> bool {
    REFUSED_V4
        .iter()
        .any(|(first, last)| (v4(first)..=v4(last)).contains(&address))
}

fn refused_by_hand_v6(address: Ipv6Addr) -> bool {
    REFUSED_V6
        .iter()
        .any(|(first, last)| (v6(first)..=v6(last)).contains(&address))
}

#[test]
fn every_refused_ipv4_block_has_exact_bounds() {
    for (first, last) in REFUSED_V4 {
        let (first, last) = (v4(first).to_bits(), v4(last).to_bits());
        for edge in [first, last, first.midpoint(last)] {
            assert!(
                !is_public(Ipv4Addr::from_bits(edge).into()),
                "{}",
                Ipv4Addr::from_bits(edge)
            );
        }
        for outside in [first.wrapping_sub(1), last.wrapping_add(1)].map(Ipv4Addr::from_bits) {
            assert_eq!(
                is_public(outside.into()),
                !refused_by_hand_v4(outside),
                "{outside}"
            );
        }
    }
}

#[test]
fn ipv6_is_refused_outside_global_unicast_and_in_four_blocks_inside_it() {
    for (first, last) in REFUSED_V6 {
        let (first, last) = (v6(first).to_bits(), v6(last).to_bits());
        for edge in [first, last, first.midpoint(last)] {
            assert!(
                !is_public(Ipv6Addr::from_bits(edge).into()),
                "{}",
                Ipv6Addr::from_bits(edge)
            );
        }
        for outside in [first.wrapping_sub(1), last.wrapping_add(1)].map(Ipv6Addr::from_bits) {
            assert_eq!(
                is_public(outside.into()),
                !refused_by_hand_v6(outside),
                "{outside}"
            );
        }
    }
}

#[test]
fn ipv6_forms_that_wrap_ipv4_or_are_local_are_refused() {
    for text in [
        "::",
        "::1",
        "::7f00:1",          // compatible
        "::ffff:127.0.0.1",  // mapped
        "::ffff:8.8.8.8",    // mapped, though the address inside is public
        "::ffff:0:7f00:1",   // SIIT
        "64:ff9b::7f00:1",   // NAT64
        "64:ff9b::808:808",  // NAT64 around a public address, where there is no NAT64
        "64:ff9b:1::7f00:1", // local-use NAT64
        "100::1",            // discard
        "2001::1",           // Teredo
        "2001:0:7f00:1::",   // Teredo with a server inside
        "2001:20::1",        // ORCHIDv2
        "2002:7f00:1::",     // 6to4
        "2002:808:808::",    // 6to4 around a public address
        "3fff::1",           // documentation
        "5f00::1",           // SRv6
        "fc00::1",           // unique local
        "fd00:ec2::254",     // a cloud's metadata service
        "fe80::1",           // link local
        "fec0::1",           // site local
        "ff02::1",           // multicast
    ] {
        assert!(check(v6(text).into()).is_err(), "{text}");
    }
}

#[test]
fn metadata_services_are_refused() {
    for text in [
        "169.254.169.254",
        "169.254.170.2",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd20:ce::254",
    ] {
        assert!(!is_public(text.parse().unwrap()), "{text}");
    }
}

#[test]
fn ordinary_addresses_are_public() {
    for text in [
        "1.1.1.1",
        "8.8.8.8",
        "93.184.216.34",
        "168.63.129.17",
        "223.255.255.255",
    ] {
        assert_eq!(check(text.parse().unwrap()), Ok(()), "{text}");
    }
    for text in [
        "2606:4700::1111",
        "2001:4860:4860::8888",
        "2620:fe::fe",
        "2a00:1450::1",
    ] {
        assert_eq!(check(text.parse().unwrap()), Ok(()), "{text}");
        assert_eq!(check_through_nat64(text.parse().unwrap()), Ok(()), "{text}");
    }
}

#[test]
fn refusal_names_the_purpose_of_the_block() {
    let refusal = check("127.0.0.1".parse().unwrap()).unwrap_err();
    assert_eq!(refusal.purpose(), "loopback");
    assert_eq!(refusal.to_string(), "the address is not public: loopback");
}

#[test]
fn nat64_prefix_has_exact_bounds() {
    for text in [
        "64:ff9b:0:0:0:1:808:808",
        "64:ff9b:1::808:808",
        "64:ff9a:ffff::808:808",
    ] {
        assert!(
            check_through_nat64(text.parse().unwrap()).is_err(),
            "{text}"
        );
    }
}

proptest! {
    #[test]
    fn ipv4_judgement_agrees_with_the_handwritten_ranges(bits: u32) {
        let address = Ipv4Addr::from_bits(bits);
        prop_assert_eq!(is_public(address.into()), !refused_by_hand_v4(address));
    }

    #[test]
    fn ipv6_judgement_agrees_with_the_handwritten_ranges(bits: u128, unicast: bool) {
        // Half of the addresses are moved into global unicast, where a few small blocks are
        // refused.
        let bits = if unicast { bits >> 3 | 1 << 125 } else { bits };
        let address = Ipv6Addr::from_bits(bits);
        prop_assert_eq!(is_public(address.into()), !refused_by_hand_v6(address));
    }

    #[test]
    fn no_ipv6_form_of_a_refused_ipv4_address_is_public(bits: u32) {
        let inner = Ipv4Addr::from_bits(bits);
        let [a, b, c, d] = inner.octets();
        let high = u16::from_be_bytes([a, b]);
        let low = u16::from_be_bytes([c, d]);
        for wrapped in [
            inner.to_ipv6_mapped(),
            Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low),
            Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, high, low),
            Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
            Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, high, low),
            Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 0),
            Ipv6Addr::new(0x2001, 0, high, low, 0, 0, 0, 0),
        ] {
            prop_assert!(!is_public(wrapped.into()), "{}", wrapped);
        }
    }

    #[test]
    fn nat64_address_is_judged_by_the_address_inside(bits: u32) {
        let inner = Ipv4Addr::from_bits(bits);
        let wrapped = Ipv6Addr::from_bits(v6("64:ff9b::").to_bits() | u128::from(bits));
        prop_assert_eq!(check_through_nat64(wrapped.into()), check(inner.into()));
        prop_assert_eq!(check_through_nat64(inner.into()), check(IpAddr::V4(inner)));
    }
}
