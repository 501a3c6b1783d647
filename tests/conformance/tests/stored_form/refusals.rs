//! Tests that malformed documents are refused, but fields of later releases are accepted.

use std::error::Error as _;

use countersign_conformance::chance::Chance;
use countersign_conformance::samples::confirmations::in_every_state;
use countersign_conformance::samples::logins::{login_id, new_login, sealed_id, sealed_login};
use countersign_conformance::samples::{acquisition, id};
use countersign_domain::store::form::{FormError, OLDEST_VERSION, VERSION, from_json, to_json};
use countersign_domain::store::{Document, Entity as _, Key};

use countersign_conformance::samples::documents::documents;

const KEY: Key = Key::Confirmation(id(1));

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
        Err(FormError::Newer(newer))
    );
    let older = u32::from(OLDEST_VERSION) - 1;
    assert_eq!(
        from_json(&KEY, &of(OLDEST_VERSION - 1)),
        Err(FormError::Older(older))
    );
    assert_eq!(
        from_json(&KEY, r#"{"v":9,"x":[}"#),
        Err(FormError::Malformed)
    );
    for text in ["", "{}", "[]", "7", &format!("{{{ours}}}")] {
        assert_eq!(from_json(&KEY, text), Err(FormError::Malformed), "{text}");
    }
}

#[test]
fn invalid_values_are_refused() {
    let json = to_json(&acquisition(1).into_document()).unwrap();
    for (from, to) in [
        (r#""app":"demo""#, r#""app":"De o""#),
        ("https://example.com", "nttps://example.com"),
        (r#"{\"order\":\"17\"}"#, r#"{\"order\": 17 }"#),
        ("+12025550199", "nobody-at-all"),
        (r#""state":{"open""#, r#""state":{"ajar""#),
    ] {
        assert!(json.contains(from), "{from}: {json}");
        let spoiled = json.replace(from, to);
        assert_eq!(from_json(&KEY, &spoiled), Err(FormError::Malformed), "{to}");
    }
}

#[test]
fn documents_are_refused_under_another_id() {
    let confirmation = to_json(&acquisition(2).into_document()).unwrap();
    assert_eq!(from_json(&KEY, &confirmation), Err(FormError::Malformed));
    let plain = to_json(&new_login(1).into_document()).unwrap();
    let read = from_json(&Key::Login(sealed_id(1)), &plain);
    assert_eq!(read, Err(FormError::Malformed));
    let sealed = to_json(&sealed_login(1).into_document()).unwrap();
    let read = from_json(&Key::Login(login_id(1)), &sealed);
    assert_eq!(read, Err(FormError::Malformed));
}

#[test]
fn damaged_documents_never_panic_or_leak_into_errors() {
    let mut chance = Chance::from_seed(3);
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
