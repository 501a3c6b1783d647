//! Proofs: the phone's keys, a confirmed login, and verification by hand.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use countersign_domain::primitives::time::Timestamp;
use countersign_proof::{AssociationPrivateKey, AssociationPublicKey, ProofClaims, registration};
use serde_json::Value;

use crate::support::{Browser, Server, countersign, data_dir};

const APP: &str = "cs_app_0123456789abcdefABCDEF";
const SESSION: &str = "qrs_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e";

/// Runs `phone keys` with the phone's directory inside `data`, and returns its JSON.
fn keys(data: &Path, args: &[&str]) -> Value {
    let phone = data.join("phone");
    let always = [
        "phone",
        "--phone",
        phone.to_str().unwrap(),
        "keys",
        "--json",
    ];
    let output = countersign(data, &[&always, args].concat());
    assert!(output.status.success(), "{args:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn phone_keeps_keys_and_registers_them() {
    let data = data_dir();
    assert_eq!(keys(data.path(), &["list"]), Value::Array(vec![]));
    let zoe = ["--public-user-id", "zoe@example.com"];
    let created = keys(data.path(), &[&["create"][..], &zoe].concat());
    assert_eq!(keys(data.path(), &[&["show"][..], &zoe].concat()), created);
    keys(data.path(), &["create"]);
    let listed = keys(data.path(), &["list"]);
    assert_eq!(listed[0]["publicUserId"], "ANON");
    assert_eq!(listed[1], created);

    let shown = keys(
        data.path(),
        &[&["show", "--app-key", APP][..], &zoe].concat(),
    );
    let key: AssociationPublicKey = shown["publicKey"].as_str().unwrap().parse().unwrap();
    assert_eq!(key.key_id().to_string(), shown["keyId"].as_str().unwrap());
    let signature = shown["signature"].as_str().unwrap();
    let (app, user) = (APP.parse().unwrap(), zoe[1].parse().unwrap());
    assert!(registration::verify(&key, &app, &user, signature));

    let phone = data.path().join("phone");
    let again = [
        "phone",
        "--phone",
        phone.to_str().unwrap(),
        "keys",
        "create",
    ];
    let refused = countersign(data.path(), &again);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("--replace"), "{said}");
    assert!(!data.path().join(".countersign-phone").exists());
}

#[test]
fn proof_is_verified_by_hand() {
    let data = data_dir();
    let key = AssociationPrivateKey::from_bytes(&[7; 32]).unwrap();
    let file = data.path().join("zoe.pub");
    fs::write(&file, key.public_key().to_string()).unwrap();
    let user = "zoe@example.com".parse().unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let proof = key.sign_proof(&ProofClaims {
        app: &APP.parse().unwrap(),
        origin: &"https://shop.example".parse().unwrap(),
        login: SESSION.parse().unwrap(),
        user: Some(&user),
        context: None,
        payload: "a token",
        salt: &[7; 16],
        at: Timestamp::from_millis(u64::try_from(now.as_millis()).unwrap()),
    });
    let proof = proof.unwrap();
    let verify = |payload: &str| {
        let args = [
            ["--proof", &proof],
            ["--payload", payload],
            ["--salt", "BwcHBwcHBwcHBwcHBwcHBw"],
            ["--app-key", APP],
            ["--origin", "https://shop.example"],
            ["--session-id", SESSION],
            ["--key", file.to_str().unwrap()],
            ["--public-user-id", "zoe@example.com"],
        ];
        let output = countersign(
            data.path(),
            &[&["login", "verify"], args.as_flattened()].concat(),
        );
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (code, said) = verify("a token");
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.starts_with("verified: zoe@example.com confirmed qrs_"),
        "{said}"
    );
    let (code, said) = verify("another token");
    assert_eq!(code, Some(1));
    assert_eq!(
        said,
        "refused: the proof is for another payload or salt (payload)\n"
    );
    let usage = countersign(data.path(), &["login", "verify", "--proof", &proof]);
    assert_eq!(usage.status.code(), Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn page_gets_a_proof_of_who_confirmed() {
    let data = data_dir();
    let server = Server::start(data.path());
    let user = ["--public-user-id", "zoe@example.com"];
    let key = keys(data.path(), &[&["create"][..], &user].concat());
    let file = data.path().join("zoe.pub");
    fs::write(&file, key["publicKey"].as_str().unwrap()).unwrap();

    let browser = Browser::open(&server).await;
    let phone = data.path().join("phone");
    let phone = ["phone", "--phone", phone.to_str().unwrap(), "open"];
    let words = [&browser.url, "--confirm", "--payload", "a token"];
    let confirmed = countersign(data.path(), &[&phone[..], &words, &user].concat());
    assert!(confirmed.status.success(), "{confirmed:?}");
    let said = String::from_utf8(confirmed.stdout).unwrap();
    assert!(said.contains("Confirmed, with a proof."), "{said}");

    let (envelope, proof) = browser.proven().await;
    assert_eq!(envelope.payload, "a token");
    let salt = envelope.salt.to_string();
    let verify = |session: &str| {
        let args = [
            ["--proof", &proof],
            ["--payload", "a token"],
            ["--salt", &salt],
            ["--app-key", &server.facts.app_key],
            ["--origin", &server.facts.url],
            ["--session-id", session],
            ["--key", file.to_str().unwrap()],
            user,
        ];
        let line = [&["login", "verify"], args.as_flattened()].concat();
        countersign(data.path(), &line).status.code()
    };
    assert_eq!(verify(&browser.id), Some(0));
    assert_eq!(verify("qrs_00000000000000000000000000000000"), Some(1));

    // The user has no key on this phone.
    let browser = Browser::open(&server).await;
    let words = [&browser.url, "--confirm", "--public-user-id", "mallory"];
    let confirmed = countersign(data.path(), &[&phone[..], &words].concat());
    assert!(confirmed.status.success(), "{confirmed:?}");
    assert!(browser.redeem().await.ok().get("proof").is_none());
}
