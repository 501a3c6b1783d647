use std::fs;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use clap::Parser as _;
use countersign_conformance::passkey::SoftwarePasskey;
use countersign_proof::{AssociationPrivateKey, ProofClaims};

use super::*;
use crate::args::{Cli, LoginCommand, Subcommand};

const APP: &str = "cs_app_0123456789abcdefABCDEF";
const SESSION: &str = "qrs_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e";
const SALT: &str = "BwcHBwcHBwcHBwcHBwcHBw";

fn key() -> AssociationPrivateKey {
    AssociationPrivateKey::from_bytes(&[7; 32]).unwrap()
}

/// A proof made at 2026-01-02T03:04:05Z.
fn proof(user: Option<&str>, context: Option<&str>) -> String {
    let user = user.map(|id| id.parse().unwrap());
    let signed = key().sign_proof(&ProofClaims {
        app: &APP.parse().unwrap(),
        origin: &"https://shop.example".parse().unwrap(),
        login: SESSION.parse().unwrap(),
        user: user.as_ref(),
        context,
        payload: "a token",
        salt: &[7; 16],
        at: Timestamp::from_millis(1_767_323_045_000),
    });
    signed.unwrap()
}

/// Parses the command line with the usual options plus `more`.
fn args(proof: &str, more: &[&str]) -> LoginVerifyArgs {
    let usual = [
        "countersign",
        "login",
        "verify",
        "--proof",
        proof,
        "--payload",
        "a token",
        "--salt",
        SALT,
        "--app-key",
        APP,
        "--origin",
        "https://shop.example",
        "--session-id",
        SESSION,
        "--key",
        "key.txt",
    ];
    let cli = Cli::try_parse_from([&usual, more].concat()).unwrap();
    let Subcommand::Login(login) = cli.command else {
        panic!()
    };
    let LoginCommand::Verify(verify) = login.command else {
        panic!("another command")
    };
    verify
}

fn checked(proof: &str, more: &[&str]) -> Result<VerifiedProof, ProofError> {
    let args = args(proof, more);
    check(&args, key().public_key(), args.at.unwrap())
}

const THEN: [&str; 2] = ["--at", "2026-01-02T03:05:00Z"];

#[test]
fn verified_proof_says_who_confirmed() {
    let zoe = [&THEN[..], &["--public-user-id", "zoe"]].concat();
    let checked = checked(&proof(Some("zoe"), None), &zoe);
    let id = key().public_key().key_id();
    assert_eq!(
        to_text(&checked),
        format!("verified: zoe confirmed {SESSION} at 2026-01-02T03:04:05.000Z\nby the key {id}")
    );
    let expected = json!({
        "valid": true,
        "sessionId": SESSION,
        "publicUserId": "zoe",
        "keyId": id.to_string(),
        "confirmedAt": "2026-01-02T03:04:05.000Z",
    });
    assert_eq!(to_json(&checked), expected);
}

#[test]
fn user_and_context_are_optional() {
    assert!(checked(&proof(None, None), &THEN).is_ok());
    let paid = [&THEN[..], &["--context", "Pay 20 EUR"]].concat();
    assert!(checked(&proof(None, Some("Pay 20 EUR")), &paid).is_ok());
    assert_eq!(
        checked(&proof(Some("zoe"), None), &THEN),
        Err(ProofError::User)
    );
    assert_eq!(
        checked(&proof(None, Some("Pay 20 EUR")), &THEN),
        Err(ProofError::Context)
    );
}

#[test]
fn passkeys_proof_is_checked_against_its_page() {
    let passkey = SoftwarePasskey::new(7, "login.shop.example");
    let claims = ProofClaims {
        app: &APP.parse().unwrap(),
        origin: &"https://shop.example".parse().unwrap(),
        login: SESSION.parse().unwrap(),
        user: None,
        context: None,
        payload: "a token",
        salt: &[7; 16],
        at: Timestamp::from_millis(1_767_323_045_000),
    };
    let unsigned = claims.unsigned_by_passkey(&key().public_key()).unwrap();
    let assertion = passkey.assert(&BASE64_URL_SAFE_NO_PAD.encode(unsigned.challenge()));
    let proof = unsigned.assemble(&passkey.passkey, &assertion).unwrap();
    let at = |host: &str| checked(&proof, &[&THEN[..], &["--passkey", host]].concat());
    assert!(at("login.shop.example").is_ok());
    assert_eq!(at("shop.example"), Err(ProofError::Page));
    assert_eq!(checked(&proof, &THEN), Err(ProofError::KeyKind));
}

#[test]
fn refusal_names_the_rule() {
    let late = checked(&proof(None, None), &["--at", "2026-01-02T04:00:00Z"]);
    assert_eq!(to_text(&late), "refused: the proof has expired (expired)");
    let expected = json!({ "valid": false, "rule": "expired", "verdict": "the proof has expired" });
    assert_eq!(to_json(&late), expected);
}

#[test]
fn key_is_read_from_base64_and_pem() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key.txt");
    let text = key().public_key().to_string();
    let (head, tail) = text.split_at(64);
    for content in [
        text.clone(),
        format!("{text}\n"),
        format!("-----BEGIN PUBLIC KEY-----\r\n{head}\r\n{tail}\r\n-----END PUBLIC KEY-----\r\n"),
    ] {
        fs::write(&file, content).unwrap();
        assert_eq!(read_key(&file).unwrap(), key().public_key());
    }
    for bad in [String::new(), text[1..].to_owned(), format!("{text}{text}")] {
        fs::write(&file, bad).unwrap();
        assert!(read_key(&file).is_err());
    }
    assert!(read_key(&folder.path().join("none")).is_err());
}

#[test]
fn outcome_is_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key.txt");
    fs::write(&file, key().public_key().to_string()).unwrap();
    let run = |more: &[&str]| {
        let mut args = args(&proof(None, None), more);
        args.key.clone_from(&file);
        verify(&args, Output { json: true }).unwrap()
    };
    assert_eq!(run(&THEN), ExitCode::SUCCESS);
    assert_eq!(run(&[]), ExitCode::FAILURE, "it expired long ago");
}
