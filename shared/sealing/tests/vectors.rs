//! Ids that either language derived are derived again here, and payloads that either sealed are
//! opened here. The browser's code does the same with the same files (`clients/widget/test`).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::app::AppKey;
use countersign_domain::login::identity::{IdInputs, check, plain_id};
use countersign_domain::login::{BrowserPublicKey, BrowserToken, Encryption, Payload, Salt};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::web::origin::WebOrigin;
use countersign_sealing::{BrowserPrivateKey, Envelope};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    sealed: Vec<Sealed>,
    plain: Vec<Plain>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sealed {
    app_key: String,
    origin: String,
    context: String,
    browser_private_key: String,
    browser_public_key: String,
    session_id: String,
    salt: String,
    payload: String,
    #[serde(rename = "sealed")]
    ciphertext: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Plain {
    browser_token: String,
    session_id: String,
}

fn fits(file: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/widget/test/vectors");
    let text = fs::read_to_string(folder.join(file)).unwrap();
    let vectors: Vectors = serde_json::from_str(&text).unwrap();
    assert!(vectors.sealed.len() >= 3 && vectors.plain.len() >= 2);
    assert!(
        vectors
            .sealed
            .iter()
            .any(|vector| !vector.context.is_empty())
    );
    for (number, vector) in vectors.sealed.iter().enumerate() {
        opens(vector, &format!("{file}, case {number}"));
    }
    for vector in &vectors.plain {
        let token = vector.browser_token.parse::<BrowserToken>().unwrap();
        assert_eq!(plain_id(&token).to_string(), vector.session_id, "{file}");
    }
}

fn opens(vector: &Sealed, name: &str) {
    let private = BASE64_URL_SAFE_NO_PAD.decode(&vector.browser_private_key);
    let private = BrowserPrivateKey::from_bytes(&private.unwrap()).unwrap();
    let public = vector.browser_public_key.parse::<BrowserPublicKey>();
    let public = public.unwrap();
    assert_eq!(private.public_key(), Ok(public), "{name}");
    let id = vector.session_id.parse::<LoginId>().unwrap();
    let origin = vector.origin.parse::<WebOrigin>().unwrap();
    let inputs = IdInputs {
        app_key: &vector.app_key.parse::<AppKey>().unwrap(),
        origin: &origin,
        context: &vector.context,
    };
    let checked = check(id, inputs, Some(&public));
    assert_eq!(checked, Ok(Encryption::Sealed(public)), "{name}");
    let sealed = Payload::encrypted(vector.ciphertext.clone()).unwrap();
    let envelope = Envelope {
        payload: vector.payload.clone(),
        salt: vector.salt.parse::<Salt>().unwrap(),
    };
    assert_eq!(private.open(id, &origin, &sealed), Ok(envelope), "{name}");
}

#[test]
fn ids_and_payloads_made_by_rust_fit() {
    fits("from-rust.json");
}

#[test]
fn ids_and_payloads_made_by_typescript_fit() {
    fits("from-typescript.json");
}
