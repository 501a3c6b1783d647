//! The core with the service's own routers, over the model of its store.

mod host;

use countersign_proof::{
    AssociationPublicKey, Expected, ExpectedPayload, ExpectedUser, KnownKey, verify,
};
use countersign_sdk::{Confirmed, SdkError};
use serde_json::Value;

use crate::support::{APP_KEY, CONTEXT};
use host::{Browser, Host, Losses, SITE};

/// Lets a process open and confirm the login and die after some polls, and another one continue,
/// while answers are lost. Returns whether the first process died.
fn confirm_through(losses: Losses, polls: usize) -> bool {
    let host = Host::new();
    let browser = host.open_login(None);
    let world = host.phone(losses);
    let key = world.client().keys().generate_association_key(Some("zoe"));
    let confirm = || {
        let client = world.client();
        let id = browser.id.to_string();
        async move {
            let opened = client
                .initialize_qr_session(APP_KEY, &id, Some("zoe"))
                .await;
            let session = match opened {
                Err(SdkError::AlreadyAnswered { .. }) => return Ok(true),
                opened => opened?,
            };
            assert_eq!((session.origin(), session.app_name()), (SITE, "shop"));
            let confirmed = session.confirm("a token").await;
            confirmed.map(|Confirmed { proven }| proven)
        }
    };
    let first = world.run_for(polls, confirm());
    let second = world.run(confirm());
    // If the first process survived, the second one finds its result.
    assert_eq!(second, Ok(true), "after {polls} polls");
    assert_proven(&browser, &browser.redeem(&host), &key.unwrap(), None);
    first.is_none()
}

/// Verifies the data that the page sends to the app's server, as that server does.
fn assert_proven(browser: &Browser, redeemed: &Value, key: &str, context: Option<&str>) {
    let envelope = browser.open(redeemed);
    assert_eq!(envelope.payload, "a token");
    let zoe = "zoe".parse().unwrap();
    let expected = Expected {
        app: &APP_KEY.parse().unwrap(),
        origin: &SITE.parse().unwrap(),
        login: browser.id,
        user: ExpectedUser::Exactly(Some(&zoe)),
        context,
        payload: ExpectedPayload::Is {
            payload: &envelope.payload,
            salt: envelope.salt.as_bytes(),
        },
        now: host::START,
    };
    let known = KnownKey {
        key: key.parse::<AssociationPublicKey>().unwrap(),
        owner: Some(zoe.clone()),
        passkey: None,
    };
    let proof = redeemed["proof"].as_str().unwrap();
    verify(proof, &expected, |_| Some(known)).unwrap();
}

#[test]
fn login_is_confirmed_once_whatever_is_lost() {
    for losses in [
        Losses::None,
        Losses::EverySecondAnswer,
        Losses::EverySecondRequest,
    ] {
        let mut deaths = 0;
        while confirm_through(losses, deaths) {
            deaths += 1;
        }
        assert!(deaths >= 4, "{deaths} deaths");
    }
}

#[test]
fn context_is_shown_and_signed() {
    let host = Host::new();
    let browser = host.open_login(Some(CONTEXT));
    let world = host.phone(Losses::None);
    let (client, id) = (world.client(), browser.id.to_string());
    let open = || world.run(client.initialize_qr_session(APP_KEY, &id, Some("zoe")));
    let session = open().unwrap();
    assert_eq!(session.context(), Some(CONTEXT));
    let refused = world.run(session.confirm("a token")).unwrap_err();
    assert!(matches!(refused, SdkError::ProofRequired(_)), "{refused}");
    let key = client.keys().generate_association_key(Some("zoe")).unwrap();
    let confirmed = world.run(session.confirm("a token"));
    assert_eq!(confirmed, Ok(Confirmed { proven: true }));
    assert_proven(&browser, &browser.redeem(&host), &key, Some(CONTEXT));
    // The browser has the payload, and the same answer is still accepted.
    assert!(world.run(session.confirm("a token")).is_ok());
}

#[test]
fn denial_ends_the_login() {
    let host = Host::new();
    let browser = host.open_login(None);
    let world = host.phone(Losses::EverySecondAnswer);
    let (client, id) = (world.client(), browser.id.to_string());
    let session = world.run(client.initialize_qr_session(APP_KEY, &id, None));
    let session = session.unwrap();
    assert_eq!(world.run(session.deny("")), Ok(()));
    assert_eq!(world.run(session.deny("")), Ok(()));
    assert_eq!(browser.state(&host), "denied");
}

#[test]
fn second_phone_is_blocked_and_a_lost_login_is_not_found() {
    let host = Host::new();
    let browser = host.open_login(None);
    let id = browser.id.to_string();
    for (expected, world) in [
        ("", host.phone(Losses::None)),
        ("blocked", host.phone(Losses::None)),
    ] {
        let opened = world.run(world.client().initialize_qr_session(APP_KEY, &id, None));
        let code = opened.as_ref().err().map_or("", SdkError::code);
        assert_eq!(code, expected);
    }
    let world = host.phone(Losses::None);
    let nowhere = format!("qrs_{}", "0".repeat(32));
    let opened = world.run(
        world
            .client()
            .initialize_qr_session(APP_KEY, &nowhere, None),
    );
    assert_eq!(opened.unwrap_err().code(), "not_found");
}

#[test]
fn user_id_of_another_request_is_refused_and_changes_nothing() {
    let host = Host::new();
    let browser = host.open_login(None);
    let world = host.phone(Losses::None);
    let (client, id) = (world.client(), browser.id.to_string());
    let open = |user| world.run(client.initialize_qr_session(APP_KEY, &id, user));
    open(Some("zoe")).unwrap();
    let refused = open(Some("mallory")).unwrap_err();
    assert_eq!(
        refused.problem().unwrap().code,
        "session_initiated_differently"
    );
    assert!(open(Some("zoe")).is_ok());
    assert_eq!(browser.state(&host), "scanned");
}
