//! Stored items read back as they were, and malformed ones are refused.

mod logins;

use std::error::Error;

use countersign_conformance::samples::confirmations::in_every_state;
use countersign_conformance::samples::{
    NOW, acquisition, attempt, confirmation, id, missed, signature, text, verified, with_delivery,
};
use countersign_domain::confirmation::miss::MissReason;
use countersign_domain::confirmation::{Confirmation, State};
use countersign_domain::delivery::transitions::Owes as _;

use super::*;
use crate::store::attributes::{DUE_AT, DUE_SHARD, LANE, TTL, VERSION, confirmation as at};
use crate::store::item::{AttributeValue, Item, number, text as string};
use crate::store::lane;

/// One of every kind of item.
fn items() -> Vec<Confirmation> {
    let named = in_every_state().into_iter();
    named.map(|(_, item)| item).collect()
}

fn encode(item: &Confirmation) -> Item {
    encode_confirmation(item).unwrap()
}

fn read(item: &Confirmation, stored: &Item) -> Result<Confirmation, RecordError> {
    from_item(item.id, stored)
}

#[test]
fn every_kind_of_confirmation_reads_back() {
    for item in items() {
        let stored = encode(&item);
        assert_eq!(read(&item, &stored).unwrap(), item);
        let owed = item.due_at().is_some();
        assert_eq!(stored.contains_key(DUE_AT), owed);
        assert_eq!(stored.contains_key(DUE_SHARD), owed);
    }
}

#[test]
fn ttl_is_in_whole_seconds_and_never_early() {
    let mut item = acquisition(1);
    for (millis, seconds) in [(0, 0_u64), (1, 1), (999, 1), (1000, 1), (1001, 2)] {
        item.purge_at = countersign_domain::primitives::time::Timestamp::from_millis(millis);
        assert_eq!(encode(&item)[TTL], number(seconds));
    }
}

#[test]
fn confirmation_has_the_attributes_that_expressions_name() {
    let mut stored = Item::new();
    for (name, value) in [
        ("v", "2"),
        ("ttl", "1768028646"),
        ("c", "1767323045678"),
        ("x", "1767323345678"),
        ("p", "1768028645678"),
        ("vt", "1767323045678"),
        ("dn", "1"),
        ("db", "0"),
        ("dx", "1767323045678"),
        ("due_at", "1767323105678"),
        ("due_shard", "1"),
    ] {
        stored.insert(name.to_owned(), AttributeValue::N(value.to_owned()));
    }
    for (name, value) in [
        ("a", "demo"),
        ("f", "c"),
        ("e", "+12025550100"),
        ("u", "https://example.com/hook?a=b"),
        ("m", r#"{"order":"17"}"#),
        ("to", "+12025550199"),
        ("s", "v"),
        ("n", "+12025550100"),
        ("nc", "Example Mobile"),
        ("d", "p"),
        ("gk", "key-1"),
    ] {
        stored.insert(name.to_owned(), string(value));
    }
    let expected = with_delivery(&verified(&confirmation(1), &text(1), NOW), |delivery| {
        delivery.attempts_claimed = 1;
        delivery.attempts.push(attempt(1, 200));
        delivery.signature = Some(signature(1));
    });
    let State::Verified(kept) = &expected.state else {
        panic!("it is verified");
    };
    let made = Item::from([
        ("n".to_owned(), number(1_u32)),
        (
            "t".to_owned(),
            AttributeValue::N("1767323045678".to_owned()),
        ),
        ("d".to_owned(), number(42_u32)),
        ("s".to_owned(), number(200_u32)),
    ]);
    let bytes = |bytes: &[u8]| crate::store::item::bytes(bytes);
    stored.extend([
        (
            "da".to_owned(),
            AttributeValue::L(vec![AttributeValue::M(made)]),
        ),
        ("vx".to_owned(), bytes(kept.text.as_bytes())),
        ("gh".to_owned(), bytes(&[1; 32])),
        ("gs".to_owned(), bytes(&[0x30, 6, 2, 1, 1, 2, 1, 1])),
    ]);
    assert_eq!(read(&expected, &stored).unwrap(), expected);
    // Writing it again adds its lane.
    let due_at = expected.due_at().unwrap();
    stored.insert(LANE.to_owned(), lane::base(expected.lane()));
    stored.insert(DUE_AT.to_owned(), lane::sort_key(expected.lane(), due_at));
    assert_eq!(encode(&expected), stored);
}

#[test]
fn miss_has_the_attributes_that_expressions_name() {
    for (reason, tag) in [
        (MissReason::WrongSender, "s"),
        (MissReason::Late, "l"),
        (MissReason::WrongRecipient, "r"),
    ] {
        let open = confirmation(1);
        let item = missed(&open, reason, NOW);
        let mut stored = encode(&open);
        stored.insert(at::MISS.to_owned(), string(tag));
        let when = AttributeValue::N("1767323045678".to_owned());
        stored.insert(at::MISSED_AT.to_owned(), when);
        assert_eq!(encode(&item), stored);
        assert_eq!(read(&item, &stored).unwrap(), item);
        for name in [at::MISS, at::MISSED_AT] {
            let mut half = stored.clone();
            half.remove(name);
            let error = read(&item, &half).unwrap_err();
            assert!(matches!(error, RecordError::Missing(_)), "{error}");
        }
    }
}

#[test]
fn absent_and_mistyped_attributes_are_refused() {
    for item in items() {
        let stored = encode(&item);
        for name in stored.keys() {
            let mut spoiled = stored.clone();
            spoiled.insert(name.clone(), AttributeValue::Bool(true));
            let answer = read(&item, &spoiled);
            // Only DynamoDB and its index use these attributes.
            if [TTL, DUE_SHARD, LANE].contains(&name.as_str()) {
                answer.unwrap();
                continue;
            }
            let error = answer.unwrap_err();
            assert!(
                matches!(error, RecordError::Malformed | RecordError::Invalid(_)),
                "{name}: {error}"
            );
            assert!(error.source().is_none());
            spoiled.remove(name);
            if item
                .verified()
                .is_some_and(|v| v.delivery.attempts.is_empty())
                && name == at::ATTEMPTS
            {
                continue;
            }
            // An absent attribute is refused or counts as erased. It never reads as another value.
            if let Ok(other) = read(&item, &spoiled) {
                assert_ne!(other, item, "{name}");
            }
        }
    }
}

#[test]
fn values_that_the_domain_refuses_are_refused() {
    let mut all = in_every_state().into_iter();
    let (_, delivered) = all.find(|(name, _)| *name == "delivered").unwrap();
    let stored = encode(&delivered);
    for (name, value, field) in [
        ("a", string("Not a name"), "app"),
        ("u", string("ftp://example.com"), "callback"),
        ("m", string(r#"{ "order": "17" }"#), "metadata"),
        ("to", string("nobody"), "send_to"),
        ("n", string("2025550100"), "phone_number"),
        ("vx", crate::store::item::bytes([1; 15]), "text"),
        ("gh", crate::store::item::bytes([1; 31]), "body_hash"),
        ("due_at", string("x"), DUE_AT),
    ] {
        let mut spoiled = stored.clone();
        assert!(name == DUE_AT || spoiled.contains_key(name), "{name}");
        spoiled.insert(name.to_owned(), value);
        let error = from_item::<Confirmation>(id(1), &spoiled).unwrap_err();
        assert_eq!(error, RecordError::Invalid(field));
    }
    for (name, value) in [
        (at::STATE, string("x")),
        (at::PROGRESS, string("x")),
        (at::FLOW, string("x")),
        (at::CREATED_AT, AttributeValue::N("-1".to_owned())),
        (at::CLAIMS, AttributeValue::N("1.5".to_owned())),
        (at::ATTEMPTS, AttributeValue::L(vec![string("x")])),
    ] {
        let mut spoiled = stored.clone();
        spoiled.insert(name.to_owned(), value);
        let error = from_item::<Confirmation>(id(1), &spoiled).unwrap_err();
        assert_eq!(error, RecordError::Malformed, "{name}");
    }
}

#[test]
fn later_attributes_are_ignored_and_other_versions_are_refused() {
    let mut stored = encode(&acquisition(1));
    stored.insert("later".to_owned(), AttributeValue::Bool(true));
    assert_eq!(read(&acquisition(1), &stored).unwrap(), acquisition(1));
    stored.insert(VERSION.to_owned(), number(3_u32));
    let error = read(&acquisition(1), &stored).unwrap_err();
    assert_eq!(error, RecordError::Newer(3));
    stored.insert(VERSION.to_owned(), number(1_u32));
    let error = read(&acquisition(1), &stored).unwrap_err();
    assert_eq!(error, RecordError::Older(1));
    let other = Item::from([(VERSION.to_owned(), number(300_u32))]);
    let error = read(&acquisition(1), &other).unwrap_err();
    assert_eq!(error, RecordError::Newer(300));
}
