//! Processes that die at any time, and others that continue.

use std::time::Duration;

use countersign_sdk::{Client, Decision, SdkError};

use crate::support::{APP_KEY, Call, Fate, ORIGIN, Service, World};

/// Handles a link as an app does: opens the login, and sends the user's decision unless it was sent
/// before. Returns whether the user was asked.
async fn flow(client: &Client, id: &str, decision: Decision) -> Result<bool, SdkError> {
    let session = match client.initialize_qr_session(APP_KEY, id, None).await {
        Err(SdkError::AlreadyAnswered {
            decision: known, ..
        }) => {
            assert_eq!(known, decision);
            return Ok(false);
        }
        opened => opened?,
    };
    match decision {
        Decision::Confirm => session.confirm("a token").await.map(|_| ())?,
        Decision::Deny => session.deny("").await?,
    }
    Ok(true)
}

fn world(fates: &[Fate]) -> World {
    let mut service = Service::new();
    service.pauses = 2;
    let world = World::with(service);
    world
        .client()
        .keys()
        .generate_association_key(None)
        .unwrap();
    world.service.fates(fates.iter().cloned());
    world
}

/// Expects a single decision, however often it was sent, and a single phone.
fn assert_decided_once(world: &World, decision: Decision, what: &str) {
    let calls = world.service.calls();
    let token = |call: &Call| call.header("authorization").unwrap().to_owned();
    assert!(
        calls.iter().all(|call| token(call) == token(&calls[0])),
        "{what}"
    );
    let route = match decision {
        Decision::Confirm => "confirm",
        Decision::Deny => "deny",
    };
    let sent: Vec<&Call> = calls
        .iter()
        .filter(|call| call.route != "initiate")
        .collect();
    assert!(!sent.is_empty(), "{what}");
    for call in &sent {
        assert_eq!(call.route, route, "{what}");
        assert_eq!(call.body, sent[0].body, "{what}: the same bytes");
    }
    assert_eq!(world.service.decision().unwrap().0, route, "{what}");
    if decision == Decision::Confirm {
        assert_eq!(world.service.opened().payload, "a token", "{what}");
    }
}

/// Lets processes die after `first` and `second` polls, then runs one to its end. Returns whether
/// both processes died.
fn lives(decision: Decision, fates: &[Fate], first: usize, second: usize) -> bool {
    let world = world(fates);
    let id = world.service.id.to_string();
    let what = format!("{decision:?} {fates:?} {first} {second}");
    let mut died = true;
    for polls in [first, second] {
        let client = world.client();
        let result = world.run_for(polls, flow(&client, &id, decision));
        died &= result.is_none();
    }
    let client = world.client();
    let result = world.run(flow(&client, &id, decision));
    result.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_decided_once(&world, decision, &what);
    died
}

#[test]
fn process_that_dies_at_any_await_leaves_one_decision() {
    for decision in [Decision::Confirm, Decision::Deny] {
        for fates in [
            &[][..],
            &[Fate::Lost],
            &[Fate::Arrives, Fate::Lost],
            &[Fate::Arrives, Fate::Silent],
        ] {
            let mut deaths = 0;
            while lives(decision, fates, deaths, 0) {
                deaths += 1;
            }
            assert!(deaths >= 9, "{deaths} deaths before the flow was over");
        }
    }
}

#[test]
fn two_deaths_in_a_row_leave_one_decision() {
    for first in 0..10 {
        for second in 0..10 {
            lives(
                Decision::Confirm,
                &[Fate::Arrives, Fate::Lost],
                first,
                second,
            );
        }
    }
}

#[test]
fn person_is_asked_again_unless_an_answer_was_stored() {
    let world = world(&[]);
    let (client, id) = (world.client(), world.service.id.to_string());
    // Two pauses before the request arrives, and two before the answer is back.
    let opening = client.initialize_qr_session(APP_KEY, &id, None);
    let session = world.run(opening).unwrap();
    let asked = world.run(flow(&world.client(), &id, Decision::Deny));
    assert_eq!(asked, Ok(true), "the first person decided nothing");

    let other = self::world(&[]);
    let (client, id) = (other.client(), other.service.id.to_string());
    let opening = client.initialize_qr_session(APP_KEY, &id, None);
    let session_of_other = other.run(opening).unwrap();
    assert_eq!(other.run_for(1, session_of_other.confirm("a token")), None);
    assert_eq!(other.service.decision(), None, "it was stored, not sent");
    let asked = other.run(flow(&other.client(), &id, Decision::Confirm));
    assert_eq!(asked, Ok(false));
    assert_eq!(other.service.opened().payload, "a token");
    drop(session);
}

#[test]
fn confirmation_of_a_dead_process_still_leads_back_to_the_page() {
    let page = format!("{ORIGIN}/#countersign=x.y");
    let mut service = Service::new();
    service.answer["returnUrl"] = page.clone().into();
    service.pauses = 2;
    let mut world = World::with(service);
    world.configuration = world.configuration.return_to_pages(true);
    let session = world.open().unwrap();
    assert_eq!(world.run_for(1, session.confirm("a token")), None);
    let known = world.open().unwrap_err();
    let SdkError::AlreadyAnswered {
        decision: Decision::Confirm,
        return_url: Some(address),
    } = known
    else {
        panic!("{known}")
    };
    assert_eq!(address.reveal(), page);
}

#[test]
fn refused_answer_of_a_dead_process_is_asked_for_again() {
    let world = world(&[]);
    let id = world.service.id.to_string();
    let session = world.open().unwrap();
    assert_eq!(world.run_for(1, session.confirm("a token")), None);
    let body = serde_json::json!({ "title": "No", "code": "proof_invalid" });
    world.service.fates([Fate::Replaced(403, body)]);
    let asked = world.run(flow(&world.client(), &id, Decision::Deny));
    assert_eq!(asked, Ok(true));
    assert_eq!(world.service.decision().unwrap().0, "deny");
}

#[test]
fn answer_of_a_dead_process_to_a_login_that_is_over_is_forgotten() {
    let world = world(&[]);
    let session = world.open().unwrap();
    assert_eq!(world.run_for(1, session.confirm("a token")), None);
    world.service.end("session_expired");
    let over = world.open().unwrap_err();
    assert_eq!(over.code(), "expired");
    assert!(world.platform.answers.names().unwrap().is_empty());
}

#[test]
fn answers_are_kept_until_their_logins_have_ended() {
    let world = world(&[]);
    let session = world.open().unwrap();
    world.run(session.confirm("a token")).unwrap();
    let next = World {
        platform: world.platform.clone(),
        ..World::new()
    };
    // A different login on the same phone.
    let open_another = |after: Duration| {
        let fresh = World::new();
        fresh.clock.advance(after);
        let client = next.client_over(fresh.service.clone());
        let id = fresh.service.id.to_string();
        fresh
            .run(client.initialize_qr_session(APP_KEY, &id, None))
            .unwrap();
        world.platform.answers.names().unwrap().len()
    };
    // Three minutes to decide, and one for the browser.
    assert_eq!(open_another(Duration::from_secs(4 * 60 - 1)), 1);
    assert_eq!(open_another(Duration::from_secs(4 * 60 + 1)), 0);
}
