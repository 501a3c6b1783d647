//! Requests at the same moment, and calls that fail in the middle.

use std::sync::Arc;

use countersign_conformance::failing::Access;
use countersign_domain::store::Key;
use futures_util::future::join_all;

use super::world::{host, shared, wrong};
use crate::host::START;

#[tokio::test]
async fn one_of_many_phones_opens_the_link() {
    let host = shared().await;
    let setup = host.set_up().await;
    let opened = join_all((1..9).map(|n| {
        let (host, setup) = (Arc::clone(&host), setup.clone());
        async move { host.open_link(&setup, n).await.status.as_u16() }
    }))
    .await;
    let first = opened.iter().filter(|status| **status == 200).count();
    let later = opened.iter().filter(|status| **status == 409).count();
    assert_eq!((first, later), (1, 7));
}

#[tokio::test]
async fn digits_sent_twice_at_once_register_one_key() {
    let host = shared().await;
    let setup = host.set_up().await;
    let digits = host.digits_of(&setup, 1).await;
    let done = join_all((0..4).map(|_| {
        let (host, setup, digits) = (Arc::clone(&host), setup.clone(), digits.clone());
        async move { host.type_digits(&setup, &digits).await.status.as_u16() }
    }))
    .await;
    assert_eq!(done, [204; 4]);
    assert_eq!(host.keys_of("zoe").await.len(), 1);
}

#[tokio::test]
async fn wrong_digits_at_once_do_not_gain_tries() {
    let host = shared().await;
    let setup = host.set_up().await;
    let digits = host.digits_of(&setup, 1).await;
    let tries = join_all((0..9).map(|n| {
        let (host, setup, typed) = (Arc::clone(&host), setup.clone(), wrong(&digits, n));
        async move { host.type_digits(&setup, &typed).await.status.as_u16() }
    }))
    .await;
    assert_eq!(tries.iter().filter(|status| **status == 403).count(), 2);
    assert_eq!(host.seen(&setup).await["failure"], "wrong_digits");
}

/// The digits are accepted, then the store fails. Whoever asks next completes the registration.
#[tokio::test]
async fn interrupted_completion_is_repeated_by_the_next_request() {
    let host = host().await;
    let setup = host.set_up().await;
    let digits = host.digits_of(&setup, 1).await;
    let is_key = |access: Access<'_>| matches!(access, Access::Write(Key::AssociationKey(..)));
    host.items.fail(is_key);
    let failed = host.type_digits(&setup, &digits).await;
    assert_eq!(failed.status, 503, "{failed:?}");
    host.items.fail(|_| false);
    let late = host.call("DELETE", &setup.path(""), None).await;
    assert_eq!(late.code(), "registration_completed", "it is decided");
    assert_eq!(host.seen(&setup).await["state"], "completed");
    assert_eq!(host.keys_of("zoe").await.len(), 1);
}

#[tokio::test]
async fn digits_do_not_succeed_once_the_app_is_deleted() {
    let host = host().await;
    let setup = host.set_up().await;
    let digits = host.digits_of(&setup, 1).await;
    let is_key = |access: Access<'_>| matches!(access, Access::Write(Key::AssociationKey(..)));
    host.items.fail(is_key);
    assert_eq!(host.type_digits(&setup, &digits).await.status, 503);
    host.items.fail(|_| false);
    let app = "demo".parse().unwrap();
    host.store.delete_app(&app, START).await.unwrap();
    let late = host.type_digits(&setup, &digits).await;
    assert_eq!(
        (late.status.as_u16(), late.code()),
        (409, "web_phone_off".to_owned())
    );
}
