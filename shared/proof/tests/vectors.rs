//! The committed test vectors for other languages are those that this crate generates. The
//! libraries in other languages verify the same files (`tests/interop`).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../examples/vectors/cases.rs"]
mod cases;

use std::fs;
use std::path::Path;

use countersign_domain::login::{ClaimedUserId, KeyId, Passkey};
use countersign_domain::primitives::time::Timestamp;
use countersign_proof::{Expected, ExpectedPayload, ExpectedUser, KnownKey, verify};
use serde_json::Value;

#[test]
fn vectors_are_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    for (name, vectors) in cases::files().unwrap() {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let stored: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            stored, vectors,
            "write {name} again with the example `vectors`"
        );
        assert!(stored.as_array().unwrap().len() >= 3, "{name}");
    }
}

#[test]
fn cases_of_the_libraries_are_fresh() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/vectors.json");
    let stored: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let section = cases::libraries::section().unwrap();
    assert_eq!(
        stored["passkeys"], section,
        "write clients/vectors.json again with the example `vectors`"
    );
}

#[test]
fn cases_of_the_libraries_are_judged_alike() {
    let section = cases::libraries::section().unwrap();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    for case in section["cases"].as_array().unwrap() {
        let detail = &case["detail"];
        let (payload, context) = (text(&detail["payload"]), text(&case["context"]));
        let expected = Expected {
            app: &"cs_app_0123456789abcdefABCDEF".parse().unwrap(),
            origin: &text(&section["origin"]).unwrap().parse().unwrap(),
            login: text(&detail["sessionId"]).unwrap().parse().unwrap(),
            user: ExpectedUser::Owner,
            context: context.as_deref(),
            payload: payload
                .as_deref()
                .map_or(ExpectedPayload::Sealed, |payload| ExpectedPayload::Is {
                    payload,
                    salt: &[0x5a; 16],
                }),
            now: Timestamp::from_millis(1_767_323_045_000),
        };
        let find = |id: &KeyId| {
            let keys = section["keys"].as_array().unwrap();
            let key = keys.iter().find(|key| key["keyId"] == id.to_string())?;
            let host = text(&key["rpId"]).map(|id| id.parse().unwrap());
            Some(KnownKey {
                key: text(&key["publicKey"]).unwrap().parse().unwrap(),
                owner: text(&key["userId"]).unwrap().parse().ok(),
                passkey: host.and_then(|host| Passkey::of_host(&host, true)),
            })
        };
        let proof = text(&detail["proof"]).unwrap();
        let verified = verify(&proof, &expected, find).ok();
        let user = verified.as_ref().and_then(|verified| verified.user());
        assert_eq!(
            user.map(ClaimedUserId::as_str),
            case["userId"].as_str(),
            "{}",
            case["name"]
        );
    }
}

#[test]
fn reserved_vectors_have_both_kinds() {
    let files = cases::files().unwrap();
    let (_, reserved) = &files[3];
    let refused = reserved
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["reserved"] == true);
    assert_eq!(refused.count(), 12);
}
