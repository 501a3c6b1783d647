//! Properties that every text must satisfy.

use std::net::{IpAddr, Ipv4Addr};

use proptest::prelude::*;

use super::{AddressForbidden, CallbackHost, CallbackPolicy, CallbackUrl, deployed, local};
use crate::web::address::is_public;

/// Writes a part of an address as C's `inet_aton` reads it: decimal, octal or hexadecimal.
fn part(value: u32, radix: u8) -> String {
    match radix % 3 {
        0 => value.to_string(),
        1 => format!("0{value:o}"),
        _ => format!("0x{value:x}"),
    }
}

/// Writes an address in one to four parts, each in its own radix.
fn spell(address: Ipv4Addr, parts: u8, radixes: [u8; 4]) -> String {
    let bits = address.to_bits();
    let [a, b, c, d] = address.octets().map(u32::from);
    match parts % 4 {
        0 => part(bits, radixes[0]),
        1 => [part(a, radixes[0]), part(bits & 0x00ff_ffff, radixes[1])].join("."),
        2 => [
            part(a, radixes[0]),
            part(b, radixes[1]),
            part(bits & 0xffff, radixes[2]),
        ]
        .join("."),
        _ => [
            part(a, radixes[0]),
            part(b, radixes[1]),
            part(c, radixes[2]),
            part(d, radixes[3]),
        ]
        .join("."),
    }
}

/// Replaces digits by full-width ones where a bit of `dress` is set.
fn dress(text: &str, dress: u64) -> String {
    let characters = text.chars().enumerate();
    characters
        .map(|(at, c)| match c {
            '0'..='9' if dress >> (at % 64) & 1 == 1 => {
                char::from_u32(u32::from(c) - u32::from('0') + 0xff10).unwrap_or(c)
            }
            '.' if dress >> (at % 64) & 1 == 1 => '。',
            other => other,
        })
        .collect()
}

/// Texts that look like URLs, with the characters on which parsers differ.
fn url_like() -> impl Strategy<Value = String> {
    let scheme = prop_oneof![4 => Just("https://"), 1 => Just("http://"), 1 => Just("HTTPS://")];
    let authority = prop_oneof![
        "[a-z0-9]{1,5}[.。][a-z0-9_-]{1,6}[.](com|dev)[.]?(:443|:8443)?",
        "[a-z0-9.-]{1,20}",
        "[a-zA-Z0-9.%@:_\\[\\]-]{1,20}",
        "[0-9a-fx.]{1,16}",
        "\\[[0-9a-f:.]{2,20}\\]",
        "[a-z0-9.０-９。é]{1,12}",
        "\\PC{1,12}",
    ];
    let tail = prop_oneof![Just(String::new()), "[/?][ -~]{0,20}", "/\\PC{0,10}"];
    (scheme, authority, tail).prop_map(|(scheme, host, tail)| format!("{scheme}{host}{tail}"))
}

/// Checks an accepted URL with a parser that shares no code with ours.
fn assert_sound(url: &CallbackUrl, policy: &CallbackPolicy) -> Result<(), TestCaseError> {
    let text = url.as_str();
    prop_assert_eq!(&CallbackUrl::parse(text, policy), &Ok(url.clone()));
    prop_assert!(text.is_ascii() && !text.contains(['\\', '#', ' ']));
    let rest = text.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or("");
    prop_assert!(!authority.contains(['@', '%', '\\']));
    let host = authority
        .rsplit_once(':')
        .map_or(authority, |(host, port)| {
            if port.bytes().all(|byte| byte.is_ascii_digit()) {
                host
            } else {
                authority
            }
        });
    let literal = host.trim_matches(['[', ']']).parse::<IpAddr>();
    match (url.host(), literal) {
        (CallbackHost::Address(judged), Ok(read)) => prop_assert_eq!(judged, read),
        (CallbackHost::Name(judged), Err(_)) => {
            prop_assert_eq!(judged, host);
            prop_assert!(!judged.starts_with('.') && !judged.ends_with('.'));
            // Resolvers must not be able to read the last label as a number.
            let last = judged.rsplit('.').next().unwrap_or("");
            prop_assert!(!last.starts_with(|c: char| c.is_ascii_digit()) || judged.contains('.'));
            prop_assert!(!last.bytes().all(|byte| byte.is_ascii_digit()));
        }
        (judged, read) => prop_assert!(false, "{judged:?} is not {read:?}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn ipv4_literal_is_accepted_exactly_when_its_address_is_public(
        bits: u32, parts: u8, radixes: [u8; 4], full_width: u64, dot: bool,
    ) {
        let address = Ipv4Addr::from_bits(bits);
        let dot = if dot { "." } else { "" };
        let host = dress(&spell(address, parts, radixes), full_width);
        let url = deployed(&format!("https://{host}{dot}/"));
        if is_public(address.into()) {
            prop_assert_eq!(url.map(|url| url.origin()), Ok(format!("https://{address}:443")));
        } else {
            prop_assert!(matches!(url, Err(AddressForbidden(_))), "{}: {:?}", host, url);
        }
    }

    #[test]
    fn ipv6_literal_is_accepted_exactly_when_its_address_is_public(bits: u128, unicast: bool) {
        let bits = if unicast { bits >> 3 | 1 << 125 } else { bits };
        let address = std::net::Ipv6Addr::from_bits(bits);
        let url = deployed(&format!("https://[{address}]/"));
        prop_assert_eq!(url.is_ok(), is_public(address.into()));
    }

    #[test]
    fn accepted_url_points_outside_and_parses_back_to_itself(text in url_like()) {
        if let Ok(url) = deployed(&text) {
            assert_sound(&url, &CallbackPolicy::deployed())?;
            prop_assert!(url.as_str().starts_with("https://"));
            match url.host() {
                CallbackHost::Address(address) => prop_assert!(is_public(address)),
                CallbackHost::Name(name) => prop_assert!(name.contains('.')),
            }
        }
    }

    #[test]
    fn local_mode_adds_only_loopback(text in url_like()) {
        if let Ok(url) = local(&text) {
            assert_sound(&url, &CallbackPolicy::local())?;
            let loopback = match url.host() {
                CallbackHost::Address(address) => address.is_loopback(),
                CallbackHost::Name(name) => name == "localhost",
            };
            prop_assert!(loopback || deployed(&text).is_ok());
        }
    }

    #[test]
    fn parsing_never_panics(text in "\\PC*") {
        let _ = CallbackUrl::from_stored(&text);
        let _ = CallbackUrl::from_stored(&format!("https://{text}"));
    }
}
