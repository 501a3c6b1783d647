//! Payloads that either language sealed open here. The browser's code opens the same files
//! (`clients/widget/test`).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::{BrowserPublicKey, Payload};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::web::origin::WebOrigin;
use countersign_sealing::BrowserPrivateKey;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vector {
    recipient_private_key: String,
    recipient_public_key: String,
    session_id: String,
    origin: String,
    payload: String,
    sealed: String,
}

fn opens(file: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/widget/test/vectors");
    let text = fs::read_to_string(folder.join(file)).unwrap();
    let vectors: Vec<Vector> = serde_json::from_str(&text).unwrap();
    assert!(vectors.len() >= 3, "{file} has {} cases", vectors.len());
    for (number, vector) in vectors.iter().enumerate() {
        let private = BASE64_URL_SAFE_NO_PAD.decode(&vector.recipient_private_key);
        let private = BrowserPrivateKey::from_bytes(&private.unwrap()).unwrap();
        let public = vector
            .recipient_public_key
            .parse::<BrowserPublicKey>()
            .unwrap();
        assert_eq!(private.public_key(), Ok(public), "{file}, case {number}");
        let id = vector.session_id.parse::<LoginId>().unwrap();
        let origin = vector.origin.parse::<WebOrigin>().unwrap();
        let sealed = Payload::encrypted(vector.sealed.clone()).unwrap();
        let opened = private.open(id, &origin, &sealed);
        assert_eq!(
            opened.as_ref(),
            Ok(&vector.payload),
            "{file}, case {number}"
        );
    }
}

#[test]
fn payloads_sealed_by_rust_open() {
    opens("from-rust.json");
}

#[test]
fn payloads_sealed_by_typescript_open() {
    opens("from-typescript.json");
}
