//! Tests that receivers accept only webhooks that the service signed.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use p256::ecdsa::Signature;
use p256::ecdsa::signature::Signer as _;

use crate::fake::Key;
use crate::language;
use crate::process::pair;
use crate::webhook::{Webhook, body};

/// Returns requests that the service did not send, with one for each kind of forgery.
fn forgeries(good: &Webhook, key: &Key) -> Vec<(String, Webhook)> {
    let text = String::from_utf8(good.body.clone()).unwrap();
    let mut forgeries = vec![
        (
            "another number".to_owned(),
            good.over(text.replace("5550100", "5550101")),
        ),
        (
            "an extra line feed".to_owned(),
            good.over(format!("{text}\n")),
        ),
        (
            "re-serialised with spaces".to_owned(),
            good.over(text.replace("\":", "\": ")),
        ),
        ("nothing".to_owned(), good.over("")),
    ];
    for at in (0..text.len()).step_by(7) {
        let mut flipped = good.body.clone();
        flipped[at] ^= 1;
        forgeries.push((format!("bit flipped at {at}"), good.over(flipped)));
    }

    let stranger = Key {
        id: key.id,
        ..Key::generate("stranger")
    };
    forgeries.push((
        "another key".to_owned(),
        Webhook::signed(good.body.clone(), &stranger),
    ));
    let stranger = Key::generate("stranger");
    forgeries.push((
        "an unknown key".to_owned(),
        Webhook::signed(good.body.clone(), &stranger),
    ));
    for header in ["x-signature", "x-signature-key-id"] {
        forgeries.push((format!("no {header}"), good.with(header, None)));
        forgeries.push((format!("empty {header}"), good.with(header, Some(""))));
    }
    for id in [
        "__proto__",
        "constructor",
        "toString",
        "\"'<>&",
        "first,first",
    ] {
        let forged = good.with("x-signature-key-id", Some(id));
        forgeries.push((format!("key id {id}"), forged));
    }

    let signature: Signature = key.secret.sign(&good.body);
    let der = signature.to_der().as_bytes().to_vec();
    let encode = |bytes: &[u8]| BASE64_STANDARD.encode(bytes);
    let mut other = der.clone();
    *other.last_mut().unwrap() ^= 1;
    let signatures = [
        ("not Base64", "!!!!".to_owned()),
        ("not DER", encode(b"not a signature")),
        ("P1363", encode(&signature.to_bytes())),
        ("empty DER", encode(&[0x30, 0])),
        ("zeros", encode(&[0x30, 6, 2, 1, 0, 2, 1, 0])),
        ("ones", encode(&[0x30, 6, 2, 1, 1, 2, 1, 1])),
        ("cut short", encode(&der[..der.len() - 1])),
        ("an extra byte", encode(&[der.as_slice(), &[0]].concat())),
        ("one bit flipped", encode(&other)),
        (
            "a long length",
            encode(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff]),
        ),
        (
            "of another body",
            encode(sign(key, "{}").to_der().as_bytes()),
        ),
        ("with its algorithm", format!("sha256={}", encode(&der))),
        ("much too long", encode(&[0x30; 2000])),
    ];
    for (what, signature) in signatures {
        forgeries.push((what.to_owned(), good.with("x-signature", Some(&signature))));
    }
    forgeries
}

fn sign(key: &Key, body: &str) -> Signature {
    key.secret.sign(body.as_bytes())
}

#[tokio::test]
async fn forgeries_are_refused_and_change_nothing() {
    let key = Key::generate("first");
    for language in language::available() {
        let name = language.name;
        let (_fake, receiver) = pair(language, &key).await;
        let id = receiver.begin().await;
        let good = Webhook::new(&id, &key);
        for (what, forgery) in forgeries(&good, &key) {
            let (status, text) = receiver.deliver(&forgery).await;
            assert_eq!(status, 403, "{name}: {what}: {text}");
        }
        let (_, text) = receiver.deliver(&good).await;
        assert_eq!(text, "accepted", "{name}");
        assert_eq!(receiver.stop().await.len(), 1, "{name}");
    }
}

/// The integers in a DER signature are not padded, so signatures vary in length.
#[tokio::test]
async fn signatures_of_every_length_are_accepted() {
    // A fixed key, because a random one may not produce all four lengths.
    let key = Key::fixed("first");
    let first_id = format!("cfm_{:032x}", 1);
    let mut lengths = BTreeMap::new();
    for number in 0..2000 {
        let text = body(&first_id, &number.into());
        lengths
            .entry(sign(&key, &text).to_der().as_bytes().len())
            .or_insert(text);
    }
    assert!(lengths.len() >= 4, "{lengths:?}");
    for language in language::available() {
        let name = language.name;
        let (_fake, receiver) = pair(language, &key).await;
        assert_eq!(receiver.begin().await, first_id);
        for (length, text) in &lengths {
            let (status, _) = receiver.deliver(&Webhook::signed(text.clone(), &key)).await;
            assert_eq!(status, 200, "{name}: {length} bytes");
        }
    }
}
