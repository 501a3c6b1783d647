//! Stored items read back as they were, and malformed ones are refused.

mod logins;

use std::error::Error;

use countersign_conformance::samples::confirmations::in_every_state;
use countersign_conformance::samples::{acquisition, id};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::transitions::Owes as _;

use super::*;
use crate::store::attributes::{DUE_AT, DUE_SHARD, TTL, VERSION};
use crate::store::item::{AttributeValue, Item, number, text as string};

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
fn absent_and_mistyped_attributes_are_refused() {
    for item in items() {
        let stored = encode(&item);
        for name in stored.keys() {
            let mut spoiled = stored.clone();
            spoiled.insert(name.clone(), AttributeValue::Bool(true));
            let answer = read(&item, &spoiled);
            // Only DynamoDB and its index use these attributes.
            if [TTL, DUE_SHARD].contains(&name.as_str()) {
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
                && name == "da"
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
        ("s", string("x")),
        ("d", string("x")),
        ("f", string("x")),
        ("c", AttributeValue::N("-1".to_owned())),
        ("dn", AttributeValue::N("1.5".to_owned())),
        ("da", AttributeValue::L(vec![string("x")])),
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
