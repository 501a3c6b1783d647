//! Rules that apply to every provider.

use std::time::Duration;

use countersign_domain::app::senders::Recipient;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use countersign_inbound::{Call, InboundError, Outcome, ProviderResponse, TOLERANCE, read};
use futures_util::FutureExt as _;
use http::{HeaderMap, Method};
use proptest::prelude::*;

use crate::cases::{Case, NOW, Signs, all, headers, only, post, take, text};

fn ours(message: &InboundMessage) -> bool {
    let recipient: Recipient = "+12025550199".parse().unwrap();
    recipient.is_written(&message.to)
}

/// Several providers leave out the `+`.
fn bare(number: &str) -> &str {
    number.strip_prefix('+').unwrap_or(number)
}

fn each(mut check: impl FnMut(&Case, Channel)) {
    for case in all() {
        for channel in case.channels {
            check(&case, *channel);
        }
    }
}

#[test]
fn signed_call_brings_its_text() {
    each(|case, channel| {
        let given = text(channel);
        let message = only(take(&*case.provider, &(case.sign)(&given, NOW), NOW));
        assert_eq!(message.text, given.text, "{}", case.label);
        assert_eq!(bare(&message.from), bare(&given.from), "{}", case.label);
        assert_eq!(message.message_id, given.message_id, "{}", case.label);
        assert_eq!(message.channel, channel, "{}", case.label);
        assert!(ours(&message), "{}", case.label);
    });
}

#[test]
fn either_secret_is_right_during_a_rotation_and_no_other() {
    each(|case, channel| {
        let signed = (case.sign)(&text(channel), NOW);
        assert!(
            take(&*case.rotating, &signed, NOW).is_ok(),
            "{}",
            case.label
        );
        assert_eq!(
            take(&*case.stranger, &signed, NOW),
            Err(InboundError::NotAuthentic),
            "{}",
            case.label
        );
    });
}

#[test]
fn missing_and_repeated_headers_are_refused() {
    each(|case, channel| {
        let signed = (case.sign)(&text(channel), NOW);
        for (name, _) in &signed.headers {
            let mut headers = headers(&signed.headers);
            let value = headers.remove(name).unwrap();
            let read = |headers: &HeaderMap| {
                let call = Call {
                    method: &Method::POST,
                    query: None,
                    headers,
                    body: &signed.body,
                };
                read(&*case.provider, call, NOW).now_or_never().unwrap()
            };
            // A JSON body needs no type.
            if name != http::header::CONTENT_TYPE {
                assert!(read(&headers).is_err(), "{} without {name}", case.label);
            }
            headers.append(name, value.clone());
            assert!(read(&headers).is_ok(), "{} with {name}", case.label);
            headers.append(name, value);
            if name != http::header::CONTENT_TYPE {
                assert!(read(&headers).is_err(), "{} with two {name}", case.label);
            }
        }
    });
}

#[test]
fn unsigned_call_is_refused() {
    each(|case, channel| {
        let signed = (case.sign)(&text(channel), NOW);
        let expected = match case.label {
            // The signature is in the body.
            "sns" | "vonage md5" | "vonage sha1" | "vonage sha256" | "vonage sha512" => return,
            "vonage messages" => InboundError::Unsigned,
            _ => InboundError::NotAuthentic,
        };
        let taken = post(&*case.provider, &[], &signed.body, NOW);
        assert_eq!(taken, Err(expected), "{}", case.label);
    });
}

#[test]
fn signed_time_may_be_five_minutes_from_now() {
    let at = |secs: u64| Timestamp::from_millis(secs * 1000);
    each(|case, channel| {
        let signed = (case.sign)(&text(channel), NOW);
        let tolerance = TOLERANCE.as_secs();
        assert_eq!(TOLERANCE, Duration::from_mins(5));
        for (now, inside) in [
            (NOW.as_secs() - tolerance - 1, false),
            (NOW.as_secs() - tolerance, true),
            (NOW.as_secs() + tolerance, true),
            (NOW.as_secs() + tolerance + 1, false),
        ] {
            let taken = take(&*case.provider, &signed, at(now)).map(|_| ());
            let expected = if inside || !case.timed {
                Ok(())
            } else {
                Err(InboundError::TooOld)
            };
            assert_eq!(taken, expected, "{}", case.label);
        }
    });
}

#[test]
fn body_over_the_limit_is_refused_unread() {
    each(|case, channel| {
        let mut signed = (case.sign)(&text(channel), NOW);
        signed.body.resize(case.provider.max_body() + 1, b' ');
        let taken = take(&*case.provider, &signed, NOW);
        assert_eq!(taken, Err(InboundError::TooLarge), "{}", case.label);
    });
}

#[test]
fn foreign_method_is_refused() {
    each(|case, _| {
        for method in [Method::GET, Method::PUT, Method::HEAD, Method::OPTIONS] {
            if case.provider.uses(&method) {
                assert_eq!(method, Method::GET, "{}", case.label);
                continue;
            }
            let call = Call {
                method: &method,
                query: None,
                headers: &HeaderMap::new(),
                body: b"",
            };
            let taken = read(&*case.provider, call, NOW).now_or_never().unwrap();
            assert_eq!(taken, Err(InboundError::Method), "{}", case.label);
        }
    });
}

#[test]
fn debug_shows_no_secret() {
    each(|case, _| {
        let shown = format!("{:?} {:?}", case.provider, case.rotating);
        for secret in ["secret\"", "first-", "0123456789abcdef", "QUFB"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    });
}

#[test]
fn only_trouble_that_passes_asks_for_a_retry() {
    each(|case, _| {
        let answer = |outcome| case.provider.answer(outcome);
        assert_eq!(answer(Outcome::Taken).status, 200, "{}", case.label);
        assert_eq!(answer(Outcome::Unavailable), ProviderResponse::empty(503));
        for (error, status) in [
            (InboundError::Unsigned, 429),
            (InboundError::CertificateUnavailable, 429),
            // Sinch never repeats a call that was answered with another 4xx.
            (
                InboundError::NotAuthentic,
                if case.label.starts_with("sinch") {
                    429
                } else {
                    401
                },
            ),
            (InboundError::TooOld, 401),
            (InboundError::TooLarge, 413),
            (InboundError::Method, 405),
        ] {
            assert_eq!(
                answer(Outcome::Refused(error)),
                ProviderResponse::empty(status)
            );
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_arrives_as_it_was_sent(
        content in "\\PC{0,200}|[ -~\r\n\t&=%+]{0,200}",
        number in "[1-9][0-9]{6,14}",
        id in "[!-~]{1,40}",
    ) {
        each(|case, channel| {
            let given = InboundMessage {
                from: format!("+{number}"),
                message_id: id.clone(),
                text: content.clone(),
                ..text(channel)
            };
            let message = only(take(&*case.provider, &(case.sign)(&given, NOW), NOW));
            assert_eq!(&message.text, &content, "{}", case.label);
            // The module for Android phones completes numbers, and converts them to their current
            // form.
            if case.label == "sms gate" {
                assert_eq!(message.sender(), given.sender());
            } else {
                assert_eq!(bare(&message.from), number, "{}", case.label);
            }
            assert_eq!(&message.message_id, &id, "{}", case.label);
        });
    }

    #[test]
    fn any_changed_bit_of_the_body_is_noticed(at: prop::sample::Index, bit in 0..8_u32) {
        each(|case, channel| {
            let signed = (case.sign)(&text(channel), NOW);
            let before = take(&*case.provider, &signed, NOW);
            let mut changed = signed;
            let at = at.index(changed.body.len());
            changed.body[at] ^= 1 << bit;
            let after = take(&*case.provider, &changed, NOW);
            match case.body {
                Signs::Bytes => assert_eq!(after, Err(InboundError::NotAuthentic), "{}", case.label),
                // For example, another spelling of a percent-encoded character.
                Signs::Meaning => assert!(after.is_err() || after == before, "{}", case.label),
                Signs::Nothing => {}
            }
        });
    }

    #[test]
    fn any_changed_character_of_a_header_is_noticed(
        at: prop::sample::Index,
        with in b'!'..=b'~',
    ) {
        each(|case, channel| {
            let signed = (case.sign)(&text(channel), NOW);
            for index in 0..signed.headers.len() {
                let mut changed = signed.clone();
                let (name, value) = &mut changed.headers[index];
                // Schemes are case-insensitive.
                if *name == http::header::CONTENT_TYPE || *name == http::header::AUTHORIZATION {
                    continue;
                }
                let mut bytes = value.clone().into_bytes();
                let at = at.index(bytes.len());
                if bytes[at].eq_ignore_ascii_case(&with) {
                    continue;
                }
                bytes[at] = with;
                *value = String::from_utf8(bytes).unwrap();
                let after = take(&*case.provider, &changed, NOW);
                assert!(after.is_err(), "{}: {:?}", case.label, changed.headers);
            }
        });
    }

    #[test]
    fn no_body_makes_a_parser_panic(body: Vec<u8>, json in "\\PC{0,80}") {
        each(|case, channel| {
            let signed = (case.sign)(&text(channel), NOW);
            for body in [&body[..], json.as_bytes()] {
                let _ = post(&*case.provider, &signed.headers, body, NOW);
            }
        });
    }
}
