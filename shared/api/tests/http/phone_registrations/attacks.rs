//! Strangers who see a link, and keys that are someone else's.

use serde_json::json;

use super::world::{Setup, host, phone, signature, software_key};
use crate::host::asked;
use crate::routes::association_keys::private_key;

#[tokio::test]
async fn second_phone_is_refused_and_changes_nothing() {
    let host = host().await;
    let setup = host.set_up().await;
    assert_eq!(host.open_link(&setup, 1).await.status, 200);
    let second = host.open_link(&setup, 2).await;
    assert_eq!(
        (second.status.as_u16(), second.code()),
        (409, "registration_opened".to_owned())
    );
    let stolen = host.sign(&setup, 2, &software_key(2, "zoe")).await;
    assert_eq!(
        (stolen.status.as_u16(), stolen.code()),
        (404, "registration_not_found".to_owned())
    );
    let signed = host.sign(&setup, 1, &software_key(1, "zoe")).await.json();
    let digits = signed["digits"].as_str().unwrap();
    assert_eq!(host.type_digits(&setup, digits).await.status, 204);
}

/// Previews of messengers and scanners of mail fetch links, without the part after `#`.
#[tokio::test]
async fn fetching_the_link_changes_nothing() {
    let host = host().await;
    let setup = host.set_up().await;
    for method in ["GET", "HEAD"] {
        for path in ["/phone-setup", &setup.path(""), &setup.path("/open")] {
            host.send(asked(method, path, &[], None)).await;
        }
    }
    assert_eq!(host.seen(&setup).await["state"], "created");
    let wrong = json!({"secret": "AAAAAAAAAAAAAAAAAAAAAA"});
    let guess = host
        .device(&phone(2), "POST", &setup.path("/open"), Some(&wrong))
        .await;
    assert_eq!(guess.code(), "registration_not_found");
    assert_eq!(host.open_link(&setup, 1).await.status, 200);
}

#[tokio::test]
async fn key_belongs_to_the_registration_of_its_user() {
    let host = host().await;
    let setup = host.set_up().await;
    host.open_link(&setup, 1).await;
    // A signature that was made for another user's registration.
    let moved = host.sign(&setup, 1, &software_key(1, "max")).await;
    let expected = (
        "key_signature_false".to_owned(),
        Some("/signature".to_owned()),
    );
    assert_eq!((moved.status.as_u16(), moved.code_at()), (422, expected));
    // Another phone's key, with a signature by one's own.
    let body = json!({
        "publicKey": private_key(2).public_key().to_string(),
        "signature": signature(&private_key(1), "zoe"),
    });
    assert_eq!(
        host.sign(&setup, 1, &body).await.code(),
        "key_signature_false"
    );
}

#[tokio::test]
async fn known_and_revoked_keys_are_refused() {
    let host = host().await;
    let first = host.set_up().await;
    let digits = host.digits_of(&first, 1).await;
    let replayed = host.type_digits(&first, &digits).await;
    assert_eq!(replayed.status, 204);
    // The request of the first registration, sent in a second one.
    let second = host.set_up().await;
    host.open_link(&second, 1).await;
    let known = host.sign(&second, 1, &software_key(1, "zoe")).await;
    assert_eq!(
        (known.status.as_u16(), known.code()),
        (409, "association_key_taken".to_owned())
    );
    let body = json!({"publicUserId": "max"});
    let others = Setup::from_answer(&host.create_with(&host.key, &body).await);
    host.open_link(&others, 1).await;
    let taken = host.sign(&others, 1, &software_key(1, "max")).await;
    assert_eq!(taken.code(), "association_key_taken");
    let id = private_key(1).public_key().key_id();
    host.call("DELETE", &format!("/association-keys/{id}"), None)
        .await;
    let revoked = host.sign(&second, 1, &software_key(1, "zoe")).await;
    assert_eq!(
        (revoked.status.as_u16(), revoked.code()),
        (409, "association_key_revoked".to_owned())
    );
}

#[tokio::test]
async fn key_that_was_taken_meanwhile_ends_the_registration() {
    let host = host().await;
    let setup = host.set_up().await;
    let digits = host.digits_of(&setup, 1).await;
    let key = private_key(1).public_key().to_string();
    let body = json!({"publicUserId": "max", "publicKey": key});
    assert_eq!(host.post("/association-keys", body).await.status, 200);
    let late = host.type_digits(&setup, &digits).await;
    assert_eq!(
        (late.status.as_u16(), late.code()),
        (409, "association_key_taken".to_owned())
    );
    assert_eq!(host.seen(&setup).await["failure"], "key_refused");
    assert_eq!(host.keys_of("zoe").await.len(), 0);
}

#[tokio::test]
async fn phone_proves_one_key() {
    let host = host().await;
    let setup = host.set_up().await;
    host.digits_of(&setup, 1).await;
    let other = host.sign(&setup, 1, &software_key(2, "zoe")).await;
    let expected = (409, "registration_signed_differently".to_owned());
    assert_eq!((other.status.as_u16(), other.code()), expected);
}

#[tokio::test]
async fn app_may_demand_passkeys() {
    let host = host().await;
    let setup = host.set_up().await;
    host.open_link(&setup, 1).await;
    host.change_app(|app| {
        super::world::on(app);
        app.login.web_phone_key = countersign_domain::app::login::WebPhoneKey::Passkey;
    })
    .await;
    let software = host.sign(&setup, 1, &software_key(1, "zoe")).await;
    assert_eq!(
        (software.status.as_u16(), software.code()),
        (403, "passkey_required".to_owned())
    );
}

#[tokio::test]
async fn guesses_are_limited() {
    let host = host().await;
    let setup = host.set_up().await;
    let mut refused = 0;
    for _ in 0..40 {
        let answer = host.device(&phone(3), "GET", &setup.path(""), None).await;
        refused += u32::from(answer.status == 429);
    }
    assert!(refused > 0, "misses are counted");
    assert_eq!(
        host.open_link(&setup, 1).await.status,
        200,
        "its own phone is not"
    );
}
