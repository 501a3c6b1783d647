//! What clients learn.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use serde_json::{Value, json};

use super::world::{CALLBACK, ISSUER, World, claims};
use crate::host::PERSON;

/// Verifies an ID token with the published keys.
async fn is_signed(world: &World, token: &str) -> bool {
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let decode = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text).unwrap();
    let header: Value = serde_json::from_slice(&decode(signed.split('.').next().unwrap())).unwrap();
    assert_eq!(
        (&header["alg"], &header["typ"]),
        (&json!("ES256"), &json!("JWT"))
    );
    let keys = world.get("/openid/jwks.json").await.json();
    let keys = keys["keys"].as_array().unwrap();
    let key = keys.iter().find(|key| key["kid"] == header["kid"]).unwrap();
    assert_eq!((&key["use"], &key["alg"]), (&json!("sig"), &json!("ES256")));
    let coordinate = |name: &str| decode(key[name].as_str().unwrap());
    let point = [vec![4], coordinate("x"), coordinate("y")].concat();
    let key = VerifyingKey::from_sec1_bytes(&point).unwrap();
    let signature = Signature::from_slice(&decode(signature)).unwrap();
    key.verify(signed.as_bytes(), &signature).is_ok()
}

#[tokio::test]
async fn client_learns_who_sent_the_text() {
    let world = World::new().await;
    let now = world.host.clock.get().as_secs();
    let tokens = world.tokens().await;
    assert_eq!(
        (&tokens["token_type"], &tokens["expires_in"]),
        (&json!("Bearer"), &json!(600))
    );
    assert_eq!(tokens["scope"], "openid phone");
    assert!(is_signed(&world, tokens["id_token"].as_str().unwrap()).await);
    let claims = claims(&tokens);
    let sub = claims["sub"].as_str().unwrap();
    assert!(sub.starts_with("num_") && sub.len() == 36, "{sub}");
    let mut rest = claims.clone();
    for random in ["sub", "at_hash"] {
        rest.as_object_mut().unwrap().remove(random).unwrap();
    }
    assert_eq!(
        rest,
        json!({
            "iss": ISSUER, "aud": world.client, "iat": now - 5, "exp": now + 600, "auth_time": now - 5, "nonce": "a nonce",
            "acr": "urn:countersign:text", "amr": ["sms"], "phone_number": PERSON, "phone_number_verified": true,
        })
    );
    let info = world
        .user_info(tokens["access_token"].as_str().unwrap())
        .await;
    assert_eq!(
        info.json(),
        json!({"sub": sub, "phone_number": PERSON, "phone_number_verified": true})
    );
}

#[tokio::test]
async fn number_keeps_its_subject_and_each_number_has_its_own() {
    let world = World::new().await;
    let sub = |tokens: Value| claims(&tokens)["sub"].clone();
    let first = sub(world.tokens().await);
    assert_eq!(sub(world.tokens().await), first);
    let browser = world.open().await;
    browser.send_text("+12025550101").await;
    let other = world.exchange(&browser.code().await).await.json();
    assert_ne!(sub(other), first);
}

#[tokio::test]
async fn client_without_the_scope_learns_no_number() {
    let world = World::new().await;
    let browser = world.open_with(&world.query().replace("+phone", "")).await;
    browser.send_text(PERSON).await;
    let tokens = world.exchange(&browser.code().await).await.json();
    assert_eq!(tokens["scope"], "openid");
    assert_eq!(claims(&tokens).get("phone_number"), None);
    let info = world
        .user_info(tokens["access_token"].as_str().unwrap())
        .await;
    assert_eq!(
        info.json().as_object().unwrap().len(),
        1,
        "only the subject"
    );
}

/// A key that is added while tokens are alive signs the next one, and the former one stays published.
#[tokio::test]
async fn key_is_replaced_while_tokens_live() {
    let world = World::new().await;
    let before = world.tokens().await;
    world.signer.replace(2);
    let after = world.tokens().await;
    for tokens in [&before, &after] {
        assert!(is_signed(&world, tokens["id_token"].as_str().unwrap()).await);
    }
    let header = |tokens: &Value| {
        tokens["id_token"]
            .as_str()
            .unwrap()
            .split('.')
            .next()
            .unwrap()
            .to_owned()
    };
    assert_ne!(header(&before), header(&after));
    let webhooks = world.get("/.well-known/jwks.json").await.json();
    let own = world.get("/openid/jwks.json").await.json();
    let ids = |set: &Value| -> Vec<Value> {
        set["keys"]
            .as_array()
            .unwrap()
            .iter()
            .map(|key| key["kid"].clone())
            .collect()
    };
    assert!(ids(&own).iter().all(|id| !ids(&webhooks).contains(id)));
}

#[tokio::test]
async fn configuration_leads_to_every_endpoint() {
    let world = World::new().await;
    let answer = world.get("/.well-known/openid-configuration").await;
    assert_eq!(answer.header("cache-control"), Some("public, max-age=300"));
    let configuration = answer.json();
    assert_eq!(configuration["issuer"], ISSUER);
    for name in [
        "authorization_endpoint",
        "userinfo_endpoint",
        "jwks_uri",
        "end_session_endpoint",
    ] {
        let url = configuration[name].as_str().unwrap();
        let answer = world.get(url.strip_prefix(ISSUER).unwrap()).await;
        assert_ne!(answer.status, 404, "{name}");
    }
    assert_eq!(
        configuration["id_token_signing_alg_values_supported"],
        json!(["ES256"])
    );
    assert_eq!(
        configuration["code_challenge_methods_supported"],
        json!(["S256"])
    );
    assert_eq!(
        configuration["authorization_response_iss_parameter_supported"],
        true
    );
}

#[tokio::test]
async fn number_that_the_client_names_must_send_the_text() {
    let world = World::new().await;
    let query = format!("{}&login_hint=tel:%2B12025550100", world.query());
    let browser = world.open_with(&query).await;
    let session = browser.send_text("+12025550101").await;
    assert_eq!(session["phoneNumber"], PERSON);
    assert_eq!(browser.call("finish").await.code(), "openid_not_verified");
    browser.send_text(PERSON).await;
    let tokens = world.exchange(&browser.code().await).await.json();
    assert_eq!(claims(&tokens)["phone_number"], PERSON);
}

#[tokio::test]
async fn answer_names_state_and_issuer() {
    let world = World::new().await;
    let browser = world.open().await;
    browser.send_text(PERSON).await;
    let location = browser.finish().await;
    let rest = "&state=a+state&iss=https%3A%2F%2Fcountersign.example";
    assert!(
        location.starts_with(&format!("{CALLBACK}?code=")) && location.ends_with(rest),
        "{location}"
    );
    let cancelled = world.open().await.call("cancel").await.json();
    assert_eq!(
        cancelled["location"],
        format!("{CALLBACK}?error=access_denied&error_description=the+person+cancelled{rest}")
    );
}
