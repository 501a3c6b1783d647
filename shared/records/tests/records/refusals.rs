//! Tests that bad records are refused, and that fields of later releases are not.

use std::error::Error;
use std::fmt::Debug;

use countersign_conformance::chance::Chance;
use countersign_conformance::samples::confirmations::in_every_state;
use countersign_conformance::samples::logins::{login_id, new_login, sealed_id, sealed_login};
use countersign_conformance::samples::{acquisition, app_id, id, key};
use countersign_domain::app::api_key::ApiKeyRecord;
use countersign_domain::app::{App, InboundProfile};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::login::Login;
use countersign_records::{Entity, OLDEST_VERSION, RecordError, VERSION, compact};
use serde::Serialize;

use crate::entities::{Visitor, visit_all};

fn decode(bytes: &[u8]) -> Result<Confirmation, RecordError> {
    compact::decode(id(1), bytes)
}

/// A record with a field that a later release added.
#[derive(Serialize)]
struct Later<R> {
    later: Vec<Option<u8>>,
    #[serde(flatten)]
    record: R,
}

struct WithLaterFields;

impl Visitor for WithLaterFields {
    fn visit<E>(&mut self, name: &str, id: E::Id, entity: &E)
    where
        E: Entity + PartialEq + Debug,
        E::Id: Clone,
    {
        let later = Later {
            later: vec![Some(1), None],
            record: entity.record(),
        };
        let mut bytes = vec![VERSION];
        bytes.extend(rmp_serde::to_vec_named(&later).unwrap());
        let read: E = compact::decode(id, &bytes).unwrap();
        assert_eq!(read, *entity, "{name}");
    }
}

#[test]
fn fields_of_later_releases_are_ignored() {
    visit_all(&mut WithLaterFields);
}

#[test]
fn other_versions_and_malformed_records_give_different_errors() {
    let mut record = compact::encode(&acquisition(1)).unwrap();
    record[0] = VERSION + 1;
    let newer = u32::from(VERSION) + 1;
    assert_eq!(decode(&record), Err(RecordError::Newer(newer)));
    record[0] = OLDEST_VERSION - 1;
    let older = u32::from(OLDEST_VERSION) - 1;
    assert_eq!(decode(&record), Err(RecordError::Older(older)));
    let everything_different = [VERSION + 7, 0xc1];
    let newer = u32::from(VERSION) + 7;
    assert_eq!(
        decode(&everything_different),
        Err(RecordError::Newer(newer))
    );
    assert_eq!(decode(&[]), Err(RecordError::Malformed));
    assert_eq!(decode(&[VERSION]), Err(RecordError::Malformed));
    assert_eq!(decode(&[VERSION, 0x80]), Err(RecordError::Malformed));
}

#[test]
fn invalid_value_is_refused_and_its_field_named() {
    let confirmations = in_every_state();
    let (_, claimed) = confirmations
        .iter()
        .find(|(name, _)| *name == "claimed")
        .unwrap();
    let record = compact::encode(claimed).unwrap();
    for (from, to, field) in [
        ("\u{a1}a\u{a4}demo", "\u{a1}a\u{a4}De o", "app"),
        ("https://example.com", "nttps://example.com", "callback"),
        (r#"{"order":"17"}"#, r#"{"order": 17 }"#, "metadata"),
        ("+12025550199", "nobody-at-all", "send_to"),
        ("+12025550100", "x12025550100", "expected"),
        ("timed_out", "timed_off", "reason"),
    ] {
        let from: Vec<u8> = from.chars().map(|c| c as u8).collect();
        let to: Vec<u8> = to.chars().map(|c| c as u8).take(from.len()).collect();
        let at = record.windows(from.len()).position(|w| w == from).unwrap();
        let mut spoiled = record.clone();
        spoiled[at..at + to.len()].copy_from_slice(&to);
        assert_eq!(decode(&spoiled), Err(RecordError::Invalid(field)));
    }
}

#[test]
fn api_key_is_refused_under_another_hash() {
    let record = compact::encode(&key(1)).unwrap();
    let read = compact::decode::<ApiKeyRecord>(key(2).hash, &record);
    assert_eq!(read, Err(RecordError::Invalid("hash")));
}

#[test]
fn logins_are_refused_under_an_id_of_the_other_kind() {
    let plain = compact::encode(&new_login(1)).unwrap();
    let read = compact::decode::<Login>(sealed_id(1), &plain);
    assert_eq!(read, Err(RecordError::Missing("key")));
    let sealed = compact::encode(&sealed_login(1)).unwrap();
    let read = compact::decode::<Login>(login_id(1), &sealed);
    assert_eq!(read, Err(RecordError::Invalid("key")));
}

#[test]
fn bytes_that_are_not_a_record_are_refused() {
    for bytes in ["", "{}", "[]", r#"{"v":9}"#, "\u{2}", "\u{2}{}"] {
        let bytes = bytes.as_bytes();
        assert!(compact::decode::<App>(app_id("demo"), bytes).is_err());
        assert!(compact::decode::<ApiKeyRecord>(key(1).hash, bytes).is_err());
        assert!(compact::decode::<InboundProfile>((), bytes).is_err());
    }
}

struct Spoils(Chance);

impl Visitor for Spoils {
    fn visit<E>(&mut self, name: &str, id: E::Id, entity: &E)
    where
        E: Entity + PartialEq + Debug,
        E::Id: Clone,
    {
        let record = compact::encode(entity).unwrap();
        for end in 0..record.len() {
            let read = compact::decode::<E>(id.clone(), &record[..end]);
            assert!(read.is_err(), "{name}: {end}");
        }
        for _ in 0..500 {
            let mut spoiled = record.clone();
            for _ in 0..=self.0.below(3) {
                let at = usize::try_from(self.0.below(record.len() as u64)).unwrap();
                spoiled[at] = self.0.bytes::<1>()[0];
            }
            let Err(error) = compact::decode::<E>(id.clone(), &spoiled) else {
                continue;
            };
            assert!(error.source().is_none());
            assert!(!error.to_string().contains("2025550"), "{error}");
        }
    }
}

#[test]
fn damaged_records_never_panic_or_leak_into_errors() {
    visit_all(&mut Spoils(Chance::of(3)));
}
