//! Proofs that cannot be valid, by a key that the service does not know.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::app::AppKey;
use countersign_domain::login::ClaimedUserId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::origin::WebOrigin;
use countersign_proof::ProofClaims;
use serde_json::json;

use super::server::{CONTEXT, confirm_with, opened, proof_of};
use crate::host::{Host, Opened, SHOP, START};
use crate::routes::association_keys::private_key;

const TYPE: &str = "countersign-login+jwt";

/// Creates a login with a context that a phone opened as `zoe`.
async fn scanned(host: &Host) -> Opened {
    let opened = opened(host).await;
    let body = json!({"publicUserId": "zoe"});
    host.initiate(&opened, 1, body).await;
    opened
}

async fn is_refused(host: &Host, opened: &Opened, how: &str, proof: &str, code: &str) {
    let answer = confirm_with(host, opened, proof).await;
    assert_eq!(answer.status, 403, "{how}: {answer:?}");
    assert_eq!(answer.code(), code, "{how}");
    assert_eq!(host.state_of(opened).await, "scanned", "{how}");
}

#[tokio::test]
async fn proof_of_another_form_is_refused() {
    let host = Host::new().await;
    let opened = scanned(&host).await;
    let good = proof_of(&opened);
    let parts: Vec<_> = good.split('.').collect();
    let under = |header: &str, signature: &str| {
        let header = BASE64_URL_SAFE_NO_PAD.encode(header);
        format!("{header}.{}.{signature}", parts[1])
    };
    let kid = private_key(1).public_key().key_id();
    let header = |alg: &str, typ: &str, more: &str| {
        let header = format!(r#"{{"alg":"{alg}","kid":"{kid}","typ":"{typ}"{more}}}"#);
        under(&header, parts[2])
    };
    let whole = format!(r#"{{"alg":"ES256","kid":"{kid}","typ":"{TYPE}"}}"#);
    let keyless = format!(r#"{{"alg":"ES256","typ":"{TYPE}"}}"#);
    for (how, proof) in [
        ("three letters", "a.b.c".to_owned()),
        ("empty objects", "e30.e30.c2ln".to_owned()),
        ("no algorithm", header("none", TYPE, "")),
        ("an HMAC", header("HS256", TYPE, "")),
        ("another type", header("ES256", "JWT", "")),
        (
            "a critical member",
            header("ES256", TYPE, r#","crit":["b64"],"b64":false"#),
        ),
        ("a key in the header", header("ES256", TYPE, r#","jwk":{}"#)),
        ("no key", under(&keyless, parts[2])),
        ("no claims", format!("{}.e30.{}", parts[0], parts[2])),
        ("a short signature", under(&whole, "AAAA")),
        ("a signature of zeros", under(&whole, &"A".repeat(86))),
    ] {
        is_refused(&host, &opened, how, &proof, "proof_invalid").await;
    }
    assert_eq!(
        confirm_with(&host, &opened, &good).await.json(),
        json!(true)
    );
}

#[tokio::test]
async fn proof_of_something_else_is_refused() {
    let host = Host::new().await;
    let (opened, other) = (scanned(&host).await, scanned(&host).await);
    let (app, page) = (Host::app_key(), SHOP.parse().unwrap());
    let right = ProofClaims {
        app: &app,
        origin: &page,
        login: opened.id,
        user: None,
        context: Some(CONTEXT),
        payload: "yes",
        salt: &[7; 16],
        at: START,
    };
    let stranger: AppKey = "cs_app_zZ9000000000000000000a".parse().unwrap();
    let evil: WebOrigin = "https://evil.example".parse().unwrap();
    let max: ClaimedUserId = "max".parse().unwrap();
    let (soon, login) = (START.plus(Duration::from_mins(2)), other.id);
    let (at, context) = (Timestamp::from_millis(0), Some("Pay 2 EUR to Zoë"));
    for (how, claims, code) in [
        (
            "another login",
            ProofClaims { login, ..right },
            "proof_invalid",
        ),
        (
            "no context",
            ProofClaims {
                context: None,
                ..right
            },
            "proof_invalid",
        ),
        (
            "another context",
            ProofClaims { context, ..right },
            "proof_invalid",
        ),
        (
            "another app",
            ProofClaims {
                app: &stranger,
                ..right
            },
            "proof_invalid",
        ),
        (
            "another page",
            ProofClaims {
                origin: &evil,
                ..right
            },
            "proof_invalid",
        ),
        (
            "from the future",
            ProofClaims { at: soon, ..right },
            "proof_invalid",
        ),
        ("long ago", ProofClaims { at, ..right }, "proof_invalid"),
        (
            "another user",
            ProofClaims {
                user: Some(&max),
                ..right
            },
            "proof_mismatch",
        ),
    ] {
        let proof = private_key(1).sign_proof(&claims).unwrap();
        is_refused(&host, &opened, how, &proof, code).await;
    }
    let proof = private_key(1).sign_proof(&right).unwrap();
    assert_eq!(
        confirm_with(&host, &opened, &proof).await.json(),
        json!(true)
    );
}
