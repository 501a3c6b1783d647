//! Records read back, and what is not one is refused.

use std::error::Error;

use countersign_conformance::chance::Chance;
use countersign_conformance::samples::{
    NOW, acquisition, app, app_id, attempt, confirmation, id, key, senders, signature, text,
    verified, with_delivery,
};
use countersign_domain::app::InboundProfile;
use countersign_domain::app::api_key::ApiKeyRecord;
use countersign_domain::confirmation::{Confirmation, Flow, Idempotency, Redactable};
use countersign_domain::delivery::Progress;
use countersign_domain::primitives::idempotency::RequestHash;

use super::*;

/// One of every kind of item.
fn items() -> Vec<Confirmation> {
    let open = acquisition(1);
    let mut keyed = confirmation(1);
    keyed.idempotency = Some(Idempotency {
        request: RequestHash::of("/make-confirmation", b"{}"),
        message: "Shop: CS-{code}".to_owned(),
    });
    let pending = verified(&keyed, &text(1), NOW);
    let delivered = with_delivery(&pending, |delivery| {
        delivery.attempts_claimed = 1;
        delivery.attempts.push(attempt(1, 200));
        delivery.signature = Some(signature(1));
        delivery.progress = Progress::Delivered { at: NOW };
    });
    let mut redacted = delivered.clone();
    redacted.metadata = Redactable::Redacted;
    redacted.redacted_at = Some(NOW);
    redacted.flow = Flow::Confirmation {
        expected: Redactable::Redacted,
    };
    vec![open, keyed, pending, delivered, redacted]
}

#[test]
fn every_kind_of_item_reads_back() {
    for item in items() {
        let record = encode_confirmation(&item).unwrap();
        assert_eq!(decode_confirmation(item.id, &record).unwrap(), item);
    }
}

#[test]
fn a_good_session_stays_small() {
    let record = encode_confirmation(&acquisition(1)).unwrap();
    assert!(record.len() < 256, "{}", record.len());
    let record = encode_confirmation(&items()[3]).unwrap();
    assert!(record.len() < 1024, "{}", record.len());
}

/// What this release wrote must be read by every later one: never change these texts.
#[test]
fn records_of_the_first_version_are_read() {
    let record = br#"{"v":1,"a":"demo","f":{"c":{"n":"+12025550100"}},
        "u":"https://example.com/hook?a=b","m":"{\"order\":\"17\"}","t":"+12025550199",
        "c":1767323045678,"x":1767323345678,"s":{"v":{"n":"+12025550100","c":"Example Mobile",
        "t":1767323045678,"f":"QwfLNKepgJ0R28sj+Ebmdg","d":{"n":1,"b":0,"a":[{"n":1,
        "t":1767323045678,"d":42,"r":{"s":200}}],"s":{
        "h":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE","k":"key-1","s":"MAYCAQECAQE"},
        "p":{"d":{"t":1767323045678}}}}},"p":1768028645678}"#;
    let expected = with_delivery(&verified(&confirmation(1), &text(1), NOW), |delivery| {
        delivery.attempts_claimed = 1;
        delivery.attempts.push(attempt(1, 200));
        delivery.signature = Some(signature(1));
        delivery.progress = Progress::Delivered { at: NOW };
    });
    assert_eq!(decode_confirmation(id(1), record).unwrap(), expected);
    let open = br#"{"v":1,"a":"demo","f":"a","u":"https://example.com/hook?a=b",
        "m":"{\"order\":\"17\"}","t":"+12025550199","c":1767323045678,"x":1767323345678,
        "s":"o","p":1767409445678}"#;
    assert_eq!(decode_confirmation(id(1), open).unwrap(), acquisition(1));
}

#[test]
fn members_that_came_later_are_ignored() {
    let text = String::from_utf8(encode_confirmation(&acquisition(1)).unwrap()).unwrap();
    let text = text.replacen('{', r#"{"later":{"x":[1,null]},"#, 1);
    let item = decode_confirmation(id(1), text.as_bytes()).unwrap();
    assert_eq!(item, acquisition(1));
}

#[test]
fn a_later_version_is_told_from_a_broken_record() {
    let text = String::from_utf8(encode_confirmation(&acquisition(1)).unwrap()).unwrap();
    let later = text.replacen(r#""v":1"#, r#""v":2"#, 1);
    let error = decode_confirmation(id(1), later.as_bytes()).unwrap_err();
    assert_eq!(error, RecordError::Newer(2));
    let other = br#"{"v":3,"everything":"different"}"#;
    let error = decode_confirmation(id(1), other).unwrap_err();
    assert_eq!(error, RecordError::Newer(3));
    let broken = br#"{"v":1,"a":"demo"}"#;
    let error = decode_confirmation(id(1), broken).unwrap_err();
    assert!(matches!(error, RecordError::Malformed { .. }), "{error:?}");
}

#[test]
fn values_that_the_domain_does_not_allow_are_refused() {
    let text = String::from_utf8(encode_confirmation(&items()[3]).unwrap()).unwrap();
    for (from, to) in [
        (r#""a":"demo""#, r#""a":"Not a name""#),
        ("https://example.com", "ftp://example.com"),
        (r#"{\"order\":\"17\"}"#, r#"{ \"order\": \"17\" }"#),
        (r#""t":"+12025550199""#, r#""t":"nobody""#),
        ("+12025550100", "2025550100"),
        (r#""s":200"#, r#""e":"no such reason""#),
        ("AQEBAQEB", "!!!!!!!!"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = decode_confirmation(id(1), text.replace(from, to).as_bytes()).unwrap_err();
        assert!(matches!(error, RecordError::Member(_)), "{to}: {error:?}");
    }
}

#[test]
fn no_bytes_make_it_panic_and_no_error_repeats_them() {
    let mut luck = Chance::of(3);
    for item in items() {
        let record = encode_confirmation(&item).unwrap();
        for end in 0..record.len() {
            assert!(decode_confirmation(item.id, &record[..end]).is_err());
        }
        for _ in 0..2000 {
            let mut spoiled = record.clone();
            for _ in 0..=luck.below(3) {
                let at = usize::try_from(luck.below(record.len() as u64)).unwrap();
                spoiled[at] = luck.bytes::<1>()[0];
            }
            let Err(error) = decode_confirmation(item.id, &spoiled) else {
                continue;
            };
            assert!(error.source().is_none());
            assert!(!error.to_string().contains("2025550"), "{error}");
        }
    }
}

#[test]
fn apps_keys_and_profile_read_back() {
    let mut full = app("demo");
    full.senders = senders(&[(None, "12345"), (Some("GB"), "+447700900001")]);
    for app in [app("demo"), full] {
        let record = encode_app(&app).unwrap();
        assert_eq!(decode_app(app_id("demo"), &record).unwrap(), app);
        let profile = InboundProfile::of([&app]);
        let record = encode_profile(&profile).unwrap();
        assert_eq!(decode_profile(&record).unwrap(), profile);
    }
    let revoked = ApiKeyRecord {
        revoked_at: Some(NOW),
        ..key(2)
    };
    for key in [key(1), revoked] {
        let record = encode_key(&key).unwrap();
        assert_eq!(decode_key(key.hash, &record).unwrap(), key);
    }
    for bytes in ["", "{}", "[]", r#"{"v":9}"#] {
        assert!(decode_app(app_id("demo"), bytes.as_bytes()).is_err());
        assert!(decode_key(key(1).hash, bytes.as_bytes()).is_err());
        assert!(decode_profile(bytes.as_bytes()).is_err());
    }
}
