//! Logins that a phone confirms with a passkey.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_conformance::passkey::{Ceremony, PRESENT, SoftwarePasskey};
use countersign_conformance::samples::association_keys::user;
use countersign_domain::app::login::WebPhoneKey;
use countersign_domain::app::quota::Allowance;
use countersign_domain::login::association_key::transitions::Registration;
use countersign_domain::login::{AssociationKey, KeyKind};
use countersign_domain::primitives::ids::AppId;
use countersign_proof::{AssociationPublicKey, ProofClaims};

use super::server::{CONTEXT, confirm_with, opened, proof_of};
use crate::host::{Host, Opened, SHOP, START};

/// Returns a passkey with the key pair that signs [`proof_of`].
fn passkey() -> SoftwarePasskey {
    SoftwarePasskey::new(1, "login.shop.example")
}

async fn register(host: &Host, kind: KeyKind) {
    let app = "demo".parse::<AppId>().unwrap();
    let key = AssociationKey::new(app, passkey().point(), user("zoe"), START, kind, None);
    let registered = host
        .store
        .register_association_key(key, Allowance::Unlimited, START);
    assert_eq!(registered.await.unwrap(), Ok(Registration::New));
}

/// Creates a login with a context that a phone opened as `zoe`.
async fn scanned(host: &Host) -> Opened {
    let opened = opened(host).await;
    let body = serde_json::json!({"publicUserId": "zoe"});
    host.initiate(&opened, 1, body).await;
    opened
}

fn proof_by_passkey(opened: &Opened, change: impl FnOnce(&mut Ceremony)) -> String {
    let claims = ProofClaims {
        app: &Host::app_key(),
        origin: &SHOP.parse().unwrap(),
        login: opened.id,
        user: None,
        context: Some(CONTEXT),
        payload: "yes",
        salt: &[7; 16],
        at: START,
    };
    let key = AssociationPublicKey::from_point(&passkey().point()).unwrap();
    let unsigned = claims.unsigned_by_passkey(&key).unwrap();
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(unsigned.challenge());
    let assertion = passkey().assert_with(&challenge, change);
    let parts = assertion.to_base64url().join(".");
    format!("{}.{parts}", unsigned.signing_input())
}

async fn is_refused(host: &Host, opened: &Opened, how: &str, proof: &str) {
    let answer = confirm_with(host, opened, proof).await;
    assert_eq!(
        (answer.status.as_u16(), answer.code()),
        (403, "proof_invalid".to_owned()),
        "{how}"
    );
    assert_eq!(host.state_of(opened).await, "scanned", "{how}");
}

#[tokio::test]
async fn passkey_verifies_who_confirmed() {
    let host = Host::new().await;
    register(&host, KeyKind::Passkey(passkey().passkey)).await;
    let opened = scanned(&host).await;
    for (how, proof) in [
        ("a JWT by the same key pair", proof_of(&opened)),
        (
            "another page",
            proof_by_passkey(&opened, |it| {
                it.client_data = it.client_data.replace("login.shop", "evil.shop");
            }),
        ),
        (
            "another domain",
            proof_by_passkey(&opened, |it| "shop.example".clone_into(&mut it.rp_id)),
        ),
        (
            "a framed page",
            proof_by_passkey(&opened, |it| {
                it.client_data = it.client_data.replace("false", "true");
            }),
        ),
        (
            "an unverified user",
            proof_by_passkey(&opened, |it| it.flags = PRESENT),
        ),
    ] {
        is_refused(&host, &opened, how, &proof).await;
    }
    let proof = proof_by_passkey(&opened, |_| ());
    assert_eq!(confirm_with(&host, &opened, &proof).await.json(), true);
    let seen = host.call("GET", &opened.path(""), None).await.json();
    assert_eq!(seen["verifiedPublicUserId"], "zoe");
    assert_eq!(seen["proof"], proof);
}

/// Whoever has the former host now can ask its visitors for their passkeys.
#[tokio::test]
async fn passkey_of_a_former_link_host_is_refused() {
    let host = Host::new().await;
    register(&host, KeyKind::Passkey(passkey().passkey)).await;
    host.change_app(|app| app.login.link_host = "new.shop.example".parse().ok())
        .await;
    let opened = scanned(&host).await;
    let proof = proof_by_passkey(&opened, |_| ());
    is_refused(&host, &opened, "a former host", &proof).await;
}

#[tokio::test]
async fn key_of_another_kind_signs_no_passkeys_proof() {
    for kind in [KeyKind::App, KeyKind::Browser] {
        let host = Host::new().await;
        host.change_app(|app| app.login.web_phone_key = WebPhoneKey::Any)
            .await;
        register(&host, kind).await;
        let opened = scanned(&host).await;
        let by_passkey = proof_by_passkey(&opened, |_| ());
        is_refused(&host, &opened, "a passkey's proof", &by_passkey).await;
        let jwt = proof_of(&opened);
        assert_eq!(confirm_with(&host, &opened, &jwt).await.json(), true);
        let seen = host.call("GET", &opened.path(""), None).await.json();
        assert_eq!(seen["verifiedPublicUserId"], "zoe");
    }
}

#[tokio::test]
async fn unknown_passkeys_proof_is_passed_on_if_nothing_else_is_wrong() {
    let host = Host::new().await;
    let opened = scanned(&host).await;
    let unverified = proof_by_passkey(&opened, |it| it.flags = PRESENT);
    is_refused(&host, &opened, "an unverified user", &unverified).await;
    let other = proof_by_passkey(&opened, |it| {
        it.client_data = it.client_data.replace("get", "create");
    });
    is_refused(&host, &opened, "a creation", &other).await;
    let proof = proof_by_passkey(&opened, |_| ());
    assert_eq!(confirm_with(&host, &opened, &proof).await.json(), true);
    let seen = host.call("GET", &opened.path(""), None).await.json();
    assert_eq!(seen["verifiedPublicUserId"], serde_json::Value::Null);
}
