//! Every single-bit change of signed data is refused.

use countersign_inbound::{InboundError, PublicUrl, Reading, SignedCall};
use http::HeaderValue;
use http::header::{AUTHORIZATION, CONTENT_TYPE};

use crate::cases::{Case, NOW, Signs, all, take, text};
use crate::proxies::{SIGNERS, URLS, incoming};

fn is_authentic(taken: &Result<Reading, InboundError>) -> bool {
    matches!(taken, Ok(_) | Err(InboundError::Malformed(_)))
}

/// Calls a function with each copy of the bytes that differs by one bit.
fn each_changed_bit(bytes: &[u8], mut check: impl FnMut(usize, &[u8])) {
    let mut changed = bytes.to_vec();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            changed[at] ^= 1 << bit;
            check(at, &changed);
            changed[at] ^= 1 << bit;
        }
    }
}

fn each(mut check: impl FnMut(&Case, &SignedCall)) {
    for case in all() {
        for channel in case.channels {
            let signed = (case.sign)(&text(*channel), NOW);
            assert!(
                take(&*case.provider, &signed, NOW).is_ok(),
                "{}",
                case.label
            );
            check(&case, &signed);
        }
    }
}

#[test]
fn no_changed_bit_of_a_body_passes() {
    each(|case, signed| {
        if case.body == Signs::Nothing {
            return;
        }
        let before = take(&*case.provider, signed, NOW);
        each_changed_bit(&signed.body, |at, body| {
            let changed = SignedCall {
                body: body.to_vec(),
                ..signed.clone()
            };
            let after = take(&*case.provider, &changed, NOW);
            // For example, another spelling of a percent-encoded character, or an unsigned member.
            let same = case.body == Signs::Meaning && after == before;
            assert!(!is_authentic(&after) || same, "{} at {at}", case.label);
        });
    });
}

#[test]
fn no_changed_bit_of_a_header_passes() {
    each(|case, signed| {
        for (index, (name, value)) in signed.headers.iter().enumerate() {
            if name == CONTENT_TYPE {
                continue;
            }
            each_changed_bit(value.as_bytes(), |at, bytes| {
                let Ok(text) = std::str::from_utf8(bytes) else {
                    return;
                };
                if HeaderValue::from_str(text).is_err() {
                    return;
                }
                let mut changed = signed.clone();
                text.clone_into(&mut changed.headers[index].1);
                let after = take(&*case.provider, &changed, NOW);
                // Hexadecimal digits and the scheme of Basic authentication are case-insensitive.
                let spelt_in_any_case = ["whatsapp", "infobip sha1", "infobip sha256"]
                    .contains(&case.label)
                    || case.label == "infobip sha512"
                    || (name == AUTHORIZATION && at < "Basic".len());
                let same = spelt_in_any_case && text.eq_ignore_ascii_case(value);
                let label = case.label;
                assert!(
                    !is_authentic(&after) || same,
                    "{label}: {name} at {at}: {text}"
                );
            });
        }
    });
}

#[test]
fn no_changed_bit_of_a_signed_address_passes() {
    for url in URLS {
        for query in [None, Some("a=b"), Some("z=1&a=%20&a=x+y")] {
            for signer in SIGNERS {
                let call = incoming(signer, url, query);
                assert!(call.take_at(url, query).is_ok(), "{} {url}", call.label);
                each_changed_bit(url.as_bytes(), |at, bytes| {
                    let changed = std::str::from_utf8(bytes).ok();
                    let changed = changed.filter(|url| url.parse::<PublicUrl>().is_ok());
                    if let Some(changed) = changed {
                        let taken = call.take_at(changed, query);
                        assert!(!is_authentic(&taken), "{} {changed} at {at}", call.label);
                    }
                });
                let Some(query) = query.filter(|_| signer.signs_query) else {
                    continue;
                };
                each_changed_bit(query.as_bytes(), |at, bytes| {
                    // Servers refuse other characters in a query.
                    let changed = std::str::from_utf8(bytes).ok();
                    let changed = changed.filter(|text| text.bytes().all(|c| c.is_ascii_graphic()));
                    if let Some(changed) = changed {
                        let taken = call.take_at(url, Some(changed));
                        let same = signer.decodes_query && means_the_same(query, changed);
                        let label = call.label;
                        assert!(!is_authentic(&taken) || same, "{label} ?{changed} at {at}");
                    }
                });
            }
        }
    }
}

/// Returns whether two queries have the same parameters.
fn means_the_same(one: &str, other: &str) -> bool {
    let pairs = |text: &str| {
        let mut pairs: Vec<_> = url::form_urlencoded::parse(text.as_bytes())
            .into_owned()
            .collect();
        pairs.sort();
        pairs
    };
    pairs(one) == pairs(other)
}
