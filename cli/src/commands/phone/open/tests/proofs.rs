//! The proof that the phone sends when it confirms.

use countersign_domain::login::Salt;
use countersign_proof::{Expected, ExpectedPayload, ExpectedUser, KnownKey, verify};

use super::*;
use crate::phone::association_keys::AssociationKey;

/// Opens the login on a phone that keeps a key for Zoe, and returns the key and what it sent.
async fn confirmed_by_zoes_phone(service: FakeService, more: &[&str]) -> (AssociationKey, Value) {
    let (url, service) = service.start().await;
    let phone = tempfile::tempdir().unwrap();
    let keys = AssociationKeys::at(phone.path());
    let key = keys
        .create(&"zoe".parse().unwrap(), false, &OsEntropy)
        .unwrap();
    let person = Person {
        input: None,
        say: &mut |_| Ok(()),
        complain: &mut |_| (),
    };
    let link = link(&service);
    let usual = [&link, "--service", &url, "--app-key", APP_KEY, "--confirm"];
    let words = [&usual[..], &["--payload", "a token"], more].concat();
    open_before(person, Path::new(NOWHERE), &keys, &args(&words))
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
    let salt = body["salt"].as_str().unwrap().parse::<Salt>().unwrap();
    let expected = Expected {
        app: &APP_KEY.parse().unwrap(),
        origin: &origin,
        login: id,
        user: ExpectedUser::Exactly(Some(&key.user)),
        context: None,
        payload: ExpectedPayload::Is {
            payload: body["payload"].as_str().unwrap(),
            salt: salt.as_bytes(),
        },
        // The service's time: the phone corrects its own.
        now: Timestamp::from_millis(1_767_323_045_678),
    };
    let known = KnownKey {
        key: key.key.public_key(),
        owner: Some(key.user.clone()),
    };
    let verified = verify(body["proof"].as_str().unwrap(), &expected, |_| Some(known));
    assert_eq!(verified.unwrap().user(), Some(&key.user));
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
