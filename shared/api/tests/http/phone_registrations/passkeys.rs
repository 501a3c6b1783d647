//! Passkeys of the page on the link host.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_conformance::passkey::{Ceremony, SoftwarePasskey, VERIFIED, to_json};
use countersign_domain::app::login::WebPhoneKey;
use countersign_domain::login::PasskeyAssertion;
use countersign_domain::primitives::ids::PhoneRegistrationId;
use countersign_domain::primitives::time::Clock as _;
use countersign_proof::passkey::{identification_challenge, registration_challenge};
use serde_json::{Value, json};

use super::world::{Setup, host, on, test_key};
use crate::host::{Answer, Host, LINK_HOST, asked};

const CREDENTIAL: &str = "q7sXmOJ0vC2m3yY0bq0u3g";

pub(crate) fn passkey(n: u8) -> SoftwarePasskey {
    SoftwarePasskey::new(n, LINK_HOST)
}

/// Returns the body with which a passkey is proved.
fn body(passkey: &SoftwarePasskey, assertion: &PasskeyAssertion) -> Value {
    let mut body = to_json(assertion);
    body["publicKey"] = json!(passkey.point().spki());
    body["credentialId"] = json!(CREDENTIAL);
    body
}

/// Returns the body with which a passkey is proved for a user, after a change of what it says.
pub(crate) fn proved(
    passkey: &SoftwarePasskey,
    setup: &Setup,
    user: &str,
    change: impl FnOnce(&mut Ceremony),
) -> Value {
    let id = setup.id.parse::<PhoneRegistrationId>().unwrap();
    let user = user.parse().unwrap();
    let challenge = registration_challenge(&id.to_string(), &Host::app_key(), &user);
    body(
        passkey,
        &passkey.assert_with(&BASE64_URL_SAFE_NO_PAD.encode(challenge), change),
    )
}

/// Asks whose passkey this is.
pub(crate) async fn identify(host: &Host, passkey: &SoftwarePasskey, ahead: u64) -> Answer {
    let at = host
        .clock
        .now()
        .plus(std::time::Duration::from_millis(ahead));
    let challenge = identification_challenge(&Host::app_key(), at);
    let mut body = to_json(&passkey.assert(&BASE64_URL_SAFE_NO_PAD.encode(challenge)));
    body["at"] = json!(at.as_millis());
    let key = Host::app_key();
    let headers = [("x-app-key", key.as_str())];
    host.send(asked("POST", "/passkeys/identify", &headers, Some(&body)))
        .await
}

async fn registered(host: &Host, passkey: &SoftwarePasskey) -> Setup {
    let setup = host.set_up().await;
    complete(host, &setup, passkey).await;
    setup
}

async fn complete(host: &Host, setup: &Setup, passkey: &SoftwarePasskey) {
    host.open_link(setup, 1).await;
    let signed = host
        .sign(setup, 1, &proved(passkey, setup, "zoe", |_| ()))
        .await;
    assert_eq!(signed.status, 200, "{signed:?}");
    let digits = signed.json()["digits"].as_str().unwrap().to_owned();
    assert_eq!(host.type_digits(setup, &digits).await.status, 204);
}

#[tokio::test]
async fn passkey_is_registered_and_identified() {
    let host = host().await;
    host.change_app(|app| {
        on(app);
        app.login.web_phone_key = WebPhoneKey::Passkey;
    })
    .await;
    let setup = registered(&host, &passkey(1)).await;
    assert_eq!(host.seen(&setup).await["kind"], "passkey");
    let keys = host.keys_of("zoe").await;
    let key = &keys[0];
    let expected = (
        "passkey",
        "login.shop.example",
        "https://login.shop.example",
        true,
    );
    let text = |name: &str| key[name].as_str().unwrap();
    let found = (
        text("kind"),
        text("rpId"),
        text("origin"),
        key["synced"] == true,
    );
    assert_eq!(found, expected);
    let next = host.set_up().await;
    let opened = host.open_link(&next, 1).await.json();
    assert_eq!(opened["key"], "passkey");
    assert_eq!(opened["excludeCredentials"], json!([CREDENTIAL]));
    let known = identify(&host, &passkey(1), 0).await.json();
    let expected = json!({
        "publicUserId": "zoe", "keyId": key["keyId"], "publicKey": key["publicKey"],
    });
    assert_eq!(known, expected);
    let unknown = identify(&host, &passkey(2), 0).await;
    assert_eq!(
        (unknown.status.as_u16(), unknown.code()),
        (404, "passkey_unknown".to_owned())
    );
    let early = identify(&host, &passkey(1), 61_000).await;
    assert_eq!(
        (early.status.as_u16(), early.code()),
        (422, "passkey_false".to_owned())
    );
    let path = format!("/association-keys/{}", text("keyId"));
    host.call("DELETE", &path, None).await;
    assert_eq!(
        identify(&host, &passkey(1), 0).await.code(),
        "passkey_unknown"
    );
}

#[tokio::test]
async fn passkey_of_tests_is_identified() {
    let host = host().await;
    let test = test_key(&host).await;
    let body = json!({"publicUserId": "zoe"});
    let setup = Setup::from_answer(&host.create_with(&test, &body).await);
    complete(&host, &setup, &passkey(1)).await;
    let known = identify(&host, &passkey(1), 0).await.json();
    assert_eq!(known["publicUserId"], "zoe");
}

#[tokio::test]
async fn false_assertions_are_refused() {
    let host = host().await;
    let setup = host.set_up().await;
    let other = host.set_up().await;
    host.open_link(&setup, 1).await;
    let own = passkey(1);
    let framed = |ceremony: &mut Ceremony| {
        ceremony.client_data = ceremony.client_data.replace("false", "true");
    };
    let elsewhere = SoftwarePasskey::new(1, "login.other.example");
    let mut foreign_key = proved(&own, &setup, "zoe", |_| ());
    foreign_key["publicKey"] = json!(passkey(2).point().spki());
    for (what, body) in [
        ("another registration", proved(&own, &other, "zoe", |_| ())),
        ("another user", proved(&own, &setup, "max", |_| ())),
        ("another page", proved(&elsewhere, &setup, "zoe", |_| ())),
        ("another key", foreign_key),
        ("a frame", proved(&own, &setup, "zoe", framed)),
        (
            "nobody verified",
            proved(&own, &setup, "zoe", |it| it.flags &= !VERIFIED),
        ),
    ] {
        let refused = host.sign(&setup, 1, &body).await;
        let expected = (422, "passkey_false".to_owned());
        assert_eq!(
            (refused.status.as_u16(), refused.code()),
            expected,
            "{what}"
        );
    }
    let mut malformed = proved(&own, &setup, "zoe", |_| ());
    malformed["authenticatorData"] = json!("a b");
    let refused = host.sign(&setup, 1, &malformed).await;
    assert_eq!(
        (refused.status.as_u16(), refused.code()),
        (422, "passkey_malformed".to_owned())
    );
    assert_eq!(
        host.sign(&setup, 1, &proved(&own, &setup, "zoe", |_| ()))
            .await
            .status,
        200
    );
}

/// The domain is the same, so the assertion could be by a page on another port, and a phone could not make a new passkey
/// beside the former one.
#[tokio::test]
async fn passkey_of_a_former_link_host_is_neither_identified_nor_excluded() {
    let host = host().await;
    registered(&host, &passkey(1)).await;
    assert_eq!(identify(&host, &passkey(1), 0).await.status, 200);
    let moved = "login.shop.example:8443";
    host.change_app(|app| {
        on(app);
        app.login.link_host = moved.parse().ok();
    })
    .await;
    let moved = identify(&host, &SoftwarePasskey::new(1, moved), 0).await;
    assert_eq!(moved.code(), "passkey_unknown");
    let next = host.set_up().await;
    let opened = host.open_link(&next, 1).await.json();
    assert_eq!(opened["excludeCredentials"], json!([]));
}
