//! Ids, receipts, and what the phone learns.

use countersign_conformance::samples::logins::{browser_key, browser_token, mobile_token, sealed};
use countersign_domain::app::login::PayloadEncryption;
use countersign_domain::login::Refusal;
use countersign_domain::login::identity::{Vouched, sealed_id};
use countersign_domain::login::{DenyReason, PhonePayload, REDEEMABLE, Status, UNSCANNED};
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::LoginError::Refused;
use countersign_domain::use_cases::logins::{CreateError, CreateRequest, Created};

use super::host::{Logins, Opened, RECEIPT};
use super::proofs::{private_key, sign};

/// Creates a login of browser 1, which has a key.
fn create_sealed(logins: &Logins) -> Created {
    let token = browser_token(1);
    let request = CreateRequest {
        browser_key: Some(browser_key()),
        ..logins.request(&token)
    };
    logins.send(request).unwrap()
}

#[test]
fn id_vouches_for_app_page_and_key_whatever_the_setting() {
    let mut logins = Logins::new();
    for setting in PayloadEncryption::ALL {
        logins.app.login.payload_encryption = setting;
        let Created { login, link } = create_sealed(&logins);
        let vouched = Vouched {
            app_key: &logins.app.app_key,
            origin: &login.origin,
            context: "",
        };
        assert_eq!(login.id, sealed_id(vouched, &browser_key()));
        let text = format!("https://login.shop.example?sessionId={}", login.id);
        assert_eq!(link.to_string(), text);
    }
}

#[test]
fn browser_with_a_key_gets_only_sealed_payloads() {
    let logins = Logins::new();
    let id = create_sealed(&logins).login.id;
    logins.initiate(id).unwrap();
    let clear = logins.confirm(id, 1, "yes");
    assert!(matches!(clear, Err(Refused(Refusal::Readable))));
    let token = mobile_token(1);
    let confirmed = logins.with(async |ports| logins::confirm(ports, id, &token, sealed()).await);
    confirmed.unwrap();
}

#[test]
fn sealed_payload_is_answered_again_to_the_same_receipt() {
    let logins = Logins::new();
    let login = create_sealed(&logins).login;
    let id = login.id;
    logins.initiate(id).unwrap();
    let token = mobile_token(1);
    let proof = sign(&private_key(1), &logins.claims(&login))
        .proof()
        .cloned();
    let payload = PhonePayload::new(sealed().payload().clone(), None, proof).unwrap();
    let confirmed =
        logins.with(async |ports| logins::confirm(ports, id, &token, payload.clone()).await);
    confirmed.unwrap();
    let redeem = |receipt: &str| logins.redeem_with(id, &browser_token(1), receipt);
    for _ in 0..2 {
        assert_eq!(redeem(RECEIPT).unwrap(), payload);
    }
    let other = redeem("BAAAAAAAAAAAAAAAAAAAAA");
    assert!(matches!(other, Err(Refused(Refusal::Redeemed))));
    logins.world.pass(REDEEMABLE);
    assert!(matches!(redeem(RECEIPT), Err(Refused(Refusal::Redeemed))));
    assert_eq!(logins.world.count("qr_redeemed"), 1);
}

#[test]
fn repeated_creation_returns_the_same_login() {
    let logins = Logins::new();
    let token = browser_token(1);
    let first = logins.send(logins.request(&token)).unwrap();
    logins.world.pass(UNSCANNED / 2);
    let again = logins.send(logins.request(&token)).unwrap();
    assert_eq!((again.login, again.link), (first.login, first.link));
    assert_eq!(logins.world.count("qr_created"), 1);
    assert_eq!(logins.world.count("qr_replayed"), 1);
    logins.world.pass(UNSCANNED / 2);
    let late = logins.send(logins.request(&token));
    assert!(matches!(late, Err(CreateError::Ended(Status::Expired))));
}

#[test]
fn id_of_another_browser_or_page_cannot_be_created() {
    let logins = Logins::new();
    create_sealed(&logins);
    let thief = browser_token(2);
    let stolen = logins.send(CreateRequest {
        browser_key: Some(browser_key()),
        ..logins.request(&thief)
    });
    assert!(matches!(stolen, Err(CreateError::Taken)));
    let token = browser_token(3);
    logins.send(logins.request(&token)).unwrap();
    let elsewhere = logins.send(CreateRequest {
        origin: Some("http://localhost:3000"),
        ..logins.request(&token)
    });
    assert!(matches!(elsewhere, Err(CreateError::Taken)));
}

#[test]
fn phone_watches_the_login_that_it_opened() {
    let logins = Logins::new();
    let Opened { login, token, .. } = logins.create();
    let phone = mobile_token(1);
    let unknown = logins.status(login.id, &phone);
    assert!(matches!(unknown, Err(Refused(Refusal::Unknown))));
    logins.initiate(login.id).unwrap();
    assert_eq!(logins.status(login.id, &phone).unwrap(), Status::Scanned);
    assert_eq!(logins.watch(login.id, &phone, 1).unwrap(), Status::Scanned);
    assert_eq!(logins.watch(login.id, &token, 2).unwrap(), Status::Scanned);
    logins.cancel(login.id, &token).unwrap();
    assert_eq!(logins.pokes(), 2, "both devices are notified");
    assert_eq!(logins.status(login.id, &phone).unwrap(), Status::Cancelled);
    let other = logins.status(login.id, &mobile_token(2));
    assert!(matches!(other, Err(Refused(Refusal::Unknown))));
}

#[test]
fn repeated_initiate_with_another_user_is_refused() {
    let logins = Logins::new();
    let id = logins.create().login.id;
    logins
        .initiate_as(id, &mobile_token(1), Some("zoe"))
        .unwrap();
    logins
        .initiate_as(id, &mobile_token(1), Some("zoe"))
        .unwrap();
    let other = logins.initiate_as(id, &mobile_token(1), Some("max"));
    assert!(matches!(other, Err(Refused(Refusal::Different))));
}

#[test]
fn key_mismatch_blocks_the_login_and_is_counted() {
    let logins = Logins::new();
    for _ in 0..3 {
        let Opened { login, token, .. } = logins.create();
        logins.watch(login.id, &token, 1).unwrap();
        logins.initiate(login.id).unwrap();
        logins.pokes();
        for _ in 0..2 {
            let denied = logins.deny_for(login.id, 1, Some(DenyReason::KeyMismatch));
            denied.unwrap();
        }
        assert_eq!(logins.pokes(), 1, "the browser need not wait");
        assert_eq!(logins.status(login.id, &token).unwrap(), Status::Blocked);
    }
    assert_eq!(logins.world.count("qr_key_mismatch"), 3);
    assert_eq!(logins.world.count("qr_denied"), 0);
    let id = logins.create().login.id;
    let opened = logins
        .initiate_as(id, &mobile_token(1), Some("me"))
        .unwrap();
    let flags = opened.phone().unwrap().risk.flags().to_vec();
    assert_eq!(flags, [], "the browser's address did nothing");
}
