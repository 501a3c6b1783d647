//! The proof that the phone sends when it confirms.

use countersign_domain::login::Salt;
use countersign_domain::primitives::time::Timestamp;
use countersign_proof::{
    AssociationPublicKey, Expected, ExpectedPayload, ExpectedUser, KnownKey, verify,
};

use super::*;

/// Opens the login on a phone that has a key for Zoe, and returns the key and what the phone sent.
async fn confirmed_by_zoes_phone(
    service: FakeService,
    more: &[&str],
) -> (AssociationPublicKey, Value) {
    let (url, service) = service.start().await;
    let phone = tempfile::tempdir().unwrap();
    let keys = super::super::super::keys::at(phone.path());
    let key = keys.generate("zoe".to_owned()).unwrap();
    let key = AssociationPublicKey::from_der(&key).unwrap();
    let person = Person {
        input: None,
        print: &mut |_| Ok(()),
        complain: &mut |_| (),
    };
    let link = link(&service);
    let usual = [&link, "--service", &url, "--app-key", APP_KEY, "--confirm"];
    let words = [&usual[..], &["--payload", "a token"], more].concat();
    open_before(
        person,
        Path::new(NOWHERE),
        at_service_time(Arc::new(keys)),
        &args(&words),
    )
    .await
    .unwrap();
    (key, service.calls()[1].body.clone())
}

#[tokio::test]
async fn confirmation_is_proven_with_the_key_of_its_user() {
    let service = FakeService::plain();
    let (id, origin) = (service.id, ORIGIN.parse().unwrap());
    let more = ["--public-user-id", "zoe", "--allow-unencrypted"];
    let (key, body) = confirmed_by_zoes_phone(service, &more).await;
    let zoe = "zoe".parse::<ClaimedUserId>().unwrap();
    let salt = body["salt"].as_str().unwrap().parse::<Salt>().unwrap();
    let expected = Expected {
        app: &APP_KEY.parse().unwrap(),
        origin: &origin,
        login: id,
        user: ExpectedUser::Exactly(Some(&zoe)),
        context: None,
        payload: ExpectedPayload::Is {
            payload: body["payload"].as_str().unwrap(),
            salt: salt.as_bytes(),
        },
        // The service's time: the phone corrects its own clock.
        now: Timestamp::from_millis(1_767_323_045_678),
    };
    let known = KnownKey {
        key,
        owner: Some(zoe.clone()),
        passkey: None,
    };
    let verified = verify(body["proof"].as_str().unwrap(), &expected, |_| Some(known));
    assert_eq!(verified.unwrap().user(), Some(&zoe));
}

#[tokio::test]
async fn proof_travels_beside_an_encrypted_payload_and_its_salt_inside() {
    let more = ["--public-user-id", "zoe"];
    let (_, body) = confirmed_by_zoes_phone(FakeService::new(), &more).await;
    let names: Vec<_> = body.as_object().unwrap().keys().collect();
    assert_eq!(names, ["encrypted", "payload", "proof"]);
}

#[tokio::test]
async fn confirmation_without_a_key_for_its_user_has_no_proof() {
    let more = ["--allow-unencrypted", "--public-user-id", "mallory"];
    let (_, body) = confirmed_by_zoes_phone(FakeService::plain(), &more).await;
    assert_eq!(body, json!({ "payload": "a token" }));
    let (_, body) = confirmed_by_zoes_phone(FakeService::plain(), &more[..1]).await;
    assert_eq!(body, json!({ "payload": "a token" }));
}
