//! Tests that bad documents are refused, and that fields of later releases are not.

use std::error::Error as _;

use countersign_conformance::chance::Chance;
use countersign_conformance::samples::confirmations::in_every_state;
use countersign_conformance::samples::logins::{login_id, new_login, sealed_id, sealed_login};
use countersign_conformance::samples::{acquisition, id};
use countersign_domain::store::{Document, Entity as _, Key};
use countersign_records::document::{Written, from_json, read, to_json};
use countersign_records::{OLDEST_VERSION, RecordError, VERSION};

use countersign_conformance::samples::documents::documents;

const KEY: Key = Key::Confirmation(id(1));

#[test]
fn every_document_reads_back_from_attributes() {
    for (name, key, document) in documents() {
        let item: serde_dynamo::Item = serde_dynamo::to_item(Written(&document)).unwrap();
        let value = serde_dynamo::AttributeValue::M(item.into_inner());
        let found = read(
            &key,
            serde_dynamo::Deserializer::from_attribute_value(value),
        );
        assert_eq!(found, Ok(document), "{name}");
    }
}

#[test]
fn fields_of_later_releases_are_ignored() {
    for (name, key, document) in documents() {
        let json = to_json(&document).unwrap();
        let later = format!("{},\"later\":[1,null]}}", json.strip_suffix('}').unwrap());
        assert_eq!(from_json(&key, &later), Ok(document), "{name}");
    }
}

#[test]
fn other_versions_and_malformed_documents_give_different_errors() {
    let json = to_json(&acquisition(1).into_document()).unwrap();
    let ours = format!("\"v\":{VERSION}");
    assert!(json.contains(&ours));
    let of = |version: u8| json.replace(&ours, &format!("\"v\":{version}"));
    let newer = u32::from(VERSION) + 1;
    assert_eq!(
        from_json(&KEY, &of(VERSION + 1)),
        Err(RecordError::Newer(newer))
    );
    let older = u32::from(OLDEST_VERSION) - 1;
    assert_eq!(
        from_json(&KEY, &of(OLDEST_VERSION - 1)),
        Err(RecordError::Older(older))
    );
    assert_eq!(
        from_json(&KEY, r#"{"v":9,"x":[}"#),
        Err(RecordError::Malformed)
    );
    for text in ["", "{}", "[]", "7", &format!("{{{ours}}}")] {
        assert_eq!(from_json(&KEY, text), Err(RecordError::Malformed), "{text}");
    }
}

#[test]
fn invalid_value_is_refused_and_its_field_named() {
    let mut confirmations = in_every_state().into_iter();
    let (_, claimed) = confirmations.find(|(name, _)| *name == "claimed").unwrap();
    let json = to_json(&claimed.into_document()).unwrap();
    for (from, to, field) in [
        (r#""a":"demo""#, r#""a":"De o""#, "app"),
        ("https://example.com", "nttps://example.com", "callback"),
        (r#"{\"order\":\"17\"}"#, r#"{\"order\": 17 }"#, "metadata"),
        ("+12025550199", "nobody-at-all", "send_to"),
        (r#""e":"+12025550100""#, r#""e":"x12025550100""#, "expected"),
        ("timed_out", "timed_off", "reason"),
    ] {
        assert!(json.contains(from), "{from}: {json}");
        let spoiled = json.replace(from, to);
        assert_eq!(from_json(&KEY, &spoiled), Err(RecordError::Invalid(field)));
    }
}

#[test]
fn logins_are_refused_under_an_id_of_the_other_kind() {
    let plain = to_json(&new_login(1).into_document()).unwrap();
    let read = from_json(&Key::Login(sealed_id(1)), &plain);
    assert_eq!(read, Err(RecordError::Missing("key")));
    let sealed = to_json(&sealed_login(1).into_document()).unwrap();
    let read = from_json(&Key::Login(login_id(1)), &sealed);
    assert_eq!(read, Err(RecordError::Invalid("key")));
}

#[test]
fn damaged_documents_never_panic_or_leak_into_errors() {
    let mut chance = Chance::of(3);
    for (name, key, document) in documents() {
        let json = to_json(&document).unwrap();
        for end in (0..json.len()).filter(|end| json.is_char_boundary(*end)) {
            assert!(from_json(&key, &json[..end]).is_err(), "{name}: {end}");
        }
        for _ in 0..200 {
            let mut spoiled = json.clone().into_bytes();
            for _ in 0..=chance.below(3) {
                let at = usize::try_from(chance.below(spoiled.len() as u64)).unwrap();
                spoiled[at] = b' ' + chance.bytes::<1>()[0] % 95;
            }
            let Ok(spoiled) = String::from_utf8(spoiled) else {
                continue;
            };
            let read: Result<Document, _> = from_json(&key, &spoiled);
            let Err(error) = read else { continue };
            assert!(error.source().is_none());
            assert!(!error.to_string().contains("2025550"), "{error}");
        }
    }
}

#[test]
fn successful_confirmations_stay_small() {
    let bytes = |document: &Document| to_json(document).unwrap().len();
    assert!(bytes(&acquisition(1).into_document()) < 320);
    let mut confirmations = in_every_state().into_iter();
    let (_, delivered) = confirmations
        .find(|(name, _)| *name == "delivered")
        .unwrap();
    assert!(bytes(&delivered.into_document()) < 800);
}
