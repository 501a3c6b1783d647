//! Confirming and denying.

use std::collections::BTreeSet;
use std::future::{Future as _, poll_fn};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use countersign_proof::{
    AssociationPublicKey, Expected, ExpectedPayload, ExpectedUser, KnownKey, verify,
};
use countersign_sdk::{AnswerFault, AnswerStore, Confirmed, Decision, SdkError, StoreError};
use futures_util::future::maybe_done;
use serde_json::{Value, json};

use crate::support::{APP_KEY, CONTEXT, Fate, ORIGIN, Service, World, not_ours};

const PROVEN: Result<Confirmed, SdkError> = Ok(Confirmed { proven: true });
const DENIED: SdkError = SdkError::AlreadyAnswered {
    decision: Decision::Deny,
    return_url: None,
};
const UNPROVEN: Result<Confirmed, SdkError> = Ok(Confirmed { proven: false });

fn bodies(world: &World, route: &str) -> Vec<Vec<u8>> {
    let calls = world.service.calls().into_iter();
    let calls = calls.filter(|call| call.route == route);
    calls.map(|call| call.body).collect()
}

#[test]
fn confirmation_reaches_the_browser_encrypted() {
    let world = World::new();
    let session = world.open().unwrap();
    assert_eq!(world.run(session.confirm("Zoë's token")), UNPROVEN);
    assert_eq!(world.service.opened().payload, "Zoë's token");
    let call = &world.service.calls()[1];
    let body = call.json();
    let names: Vec<_> = body.as_object().unwrap().keys().collect();
    assert_eq!(names, ["encrypted", "payload"]);
    assert_eq!(call.header("x-app-key"), None);
    let text = String::from_utf8(call.body.clone()).unwrap();
    assert!(!text.contains("token"), "{text}");
}

/// A default screen can only send the configured text to the app's server.
#[test]
fn session_has_the_configured_payload_for_denials() {
    let mut world = World::new();
    assert_eq!(world.open().unwrap().denial_payload(), "");
    world.configuration = world.configuration.denial_payload("on a phone").unwrap();
    let session = world.open().unwrap();
    assert_eq!(session.denial_payload(), "on a phone");
    world.run(session.deny(session.denial_payload())).unwrap();
    let sent: Value = serde_json::from_slice(&bodies(&world, "deny")[0]).unwrap();
    assert_eq!(sent, json!({"payload": "on a phone"}));
    let longest = "x".repeat(8 * 1024);
    let longest = world.configuration.clone().denial_payload(&longest);
    assert!(longest.is_ok());
    let too_long = world
        .configuration
        .denial_payload(&"x".repeat(8 * 1024 + 1));
    let said = too_long.unwrap_err().to_string();
    assert!(said.contains("8192 bytes"), "{said}");
}

#[test]
fn confirmation_is_proven_with_the_key_of_its_user() {
    for (named, signer) in [(Some("zoe"), "zoe"), (None, "ANON"), (Some("ANON"), "ANON")] {
        let world = World::with(Service::with_context(Some(CONTEXT)));
        let keys = world.client().keys();
        keys.generate_association_key(Some("other")).unwrap();
        let key = keys.generate_association_key(Some(signer)).unwrap();
        let session = world.open_as(named).unwrap();
        world.clock.advance(Duration::from_secs(30));
        assert_eq!(world.run(session.confirm("a token")), PROVEN);
        let (_, body) = world.service.decision().unwrap();
        let envelope = world.service.opened();
        let user = Some("zoe".parse().unwrap()).filter(|_| signer == "zoe");
        let expected = Expected {
            app: &APP_KEY.parse().unwrap(),
            origin: &ORIGIN.parse().unwrap(),
            login: world.service.id,
            user: ExpectedUser::Exactly(user.as_ref()),
            context: Some(CONTEXT),
            payload: ExpectedPayload::Is {
                payload: "a token",
                salt: envelope.salt.as_bytes(),
            },
            now: world.service.now(),
        };
        let known = KnownKey {
            key: key.parse::<AssociationPublicKey>().unwrap(),
            owner: user.clone(),
            passkey: None,
        };
        let proof = body["proof"].as_str().unwrap();
        let verified = verify(proof, &expected, |_| Some(known)).unwrap();
        assert_eq!(
            verified.issued_at().as_secs(),
            world.service.now().as_secs()
        );
    }
}

#[test]
fn user_without_a_key_confirms_without_a_proof() {
    let world = World::new();
    let keys = world.client().keys();
    keys.generate_association_key(None).unwrap();
    let session = world.open_as(Some("zoe")).unwrap();
    assert_eq!(world.run(session.confirm("a token")), UNPROVEN);
}

#[test]
fn readable_payload_has_its_salt_beside_it_only_with_a_proof() {
    for with_key in [false, true] {
        let mut world = World::with(Service::plain());
        world.configuration = world.configuration.accept_plain_logins(true);
        if with_key {
            let keys = world.client().keys();
            keys.generate_association_key(None).unwrap();
        }
        let session = world.open().unwrap();
        world.run(session.confirm("a token")).unwrap();
        let (_, body) = world.service.decision().unwrap();
        assert_eq!(body["payload"], "a token");
        assert_eq!(body.get("salt").is_some(), with_key);
        assert_eq!(body.get("proof").is_some(), with_key);
        assert_eq!(body.get("encrypted"), None);
    }
}

#[test]
fn repeated_confirmation_is_the_same_byte_for_byte() {
    let world = World::new();
    world
        .client()
        .keys()
        .generate_association_key(None)
        .unwrap();
    let session = world.open().unwrap();
    world.service.fates([Fate::Lost, Fate::NotSent, Fate::Lost]);
    assert_eq!(world.run(session.confirm("a token")), PROVEN);
    assert_eq!(world.run(session.confirm("another token")), PROVEN);
    let sent = bodies(&world, "confirm");
    assert_eq!(sent.len(), 4);
    assert!(sent.iter().all(|body| *body == sent[0]));
    assert_eq!(world.service.opened().payload, "a token");
}

#[test]
fn two_concurrent_confirmations_send_the_same() {
    let world = World::new();
    let (one, other) = (world.open().unwrap(), world.open().unwrap());
    let both = futures_util::future::join(one.confirm("a"), other.confirm("b"));
    assert_eq!(world.run(both), (UNPROVEN, UNPROVEN));
    let sent = bodies(&world, "confirm");
    assert_eq!(sent[0], sent[1]);
}

#[test]
fn denial_is_readable_and_repeated_the_same() {
    let world = World::new();
    let session = world.open().unwrap();
    world.service.fates([Fate::Lost]);
    assert_eq!(world.run(session.deny("not me")), Ok(()));
    assert_eq!(world.run(session.deny("")), Ok(()));
    let (route, body) = world.service.decision().unwrap();
    assert_eq!(route, "deny");
    assert_eq!(body, json!({ "payload": "not me" }));
    let sent = bodies(&world, "deny");
    assert!(sent.len() == 3 && sent.iter().all(|body| *body == sent[0]));
}

#[test]
fn denial_is_final() {
    let world = World::new();
    let session = world.open().unwrap();
    world.service.fates([Fate::Hopeless]);
    assert!(world.run(session.deny("")).is_err());
    assert_eq!(world.run(session.confirm("a token")), Err(DENIED));
    assert_eq!(world.service.decision().unwrap().0, "deny", "sent again");
    assert_eq!(world.run(session.deny("")), Ok(()));
}

#[test]
fn denial_replaces_a_confirmation_that_did_not_arrive() {
    let world = World::new();
    let session = world.open().unwrap();
    world.service.fates([Fate::Hopeless]);
    assert!(world.run(session.confirm("a token")).is_err());
    assert_eq!(world.run(session.deny("")), Ok(()));
    assert_eq!(world.service.decision().unwrap().0, "deny");
    assert_eq!(world.run(session.confirm("a token")), Err(DENIED));

    // A confirmation that did arrive is final.
    let world = World::new();
    let session = world.open().unwrap();
    world.service.fates([Fate::Lost, Fate::Hopeless]);
    assert!(world.run(session.confirm("a token")).is_err());
    let late = world.run(session.deny("")).unwrap_err();
    assert!(matches!(late, SdkError::Ended(_)), "{late}");
    assert_eq!(world.service.decision().unwrap().0, "confirm");
}

#[test]
fn denial_stops_a_confirmation_under_way() {
    let world = World::new();
    let session = world.open().unwrap();
    world.service.fates([Fate::NotSent]);
    let mut confirming = Box::pin(session.confirm("a token"));
    // The first attempt failed, and the phone waits before the retry.
    assert_eq!(world.run_for(1, &mut confirming), None);
    assert_eq!(world.run(session.deny("")), Ok(()));
    assert_eq!(world.run(confirming), Err(DENIED));
    assert_eq!(world.service.routes(), ["initiate", "deny", "deny"]);
}

/// Concurrent answers report how the login ended: none reports a denial that the service refused, or a
/// confirmation that it never accepted.
#[test]
fn concurrent_answers_report_what_happened() {
    let mut ends = BTreeSet::new();
    for first in 0..8 {
        let mut service = Service::new();
        service.pauses = first % 4;
        let world = World::with(service);
        let session = world.open().unwrap();
        // The answer to the first request is lost, so the request is retried while others are in
        // flight.
        let fates = (0..first).map(|n| {
            if n % 2 == 0 {
                Fate::Lost
            } else {
                Fate::NotSent
            }
        });
        world.service.fates(fates);
        let answers = (0..200).map(|n| {
            let session = session.clone();
            async move {
                if n % 3 == first % 3 {
                    session.confirm("a token").await.map(|_| Decision::Confirm)
                } else {
                    session.deny("").await.map(|()| Decision::Deny)
                }
            }
        });
        // Not `join_all`, which only polls woken futures: this world wakes none.
        let mut answers: Vec<_> = answers.map(|answer| Box::pin(maybe_done(answer))).collect();
        world.run(poll_fn(|context| {
            let mut all_done = true;
            for answer in &mut answers {
                all_done &= answer.as_mut().poll(context).is_ready();
            }
            if all_done {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        }));
        let answers = answers
            .iter_mut()
            .map(|answer| answer.as_mut().take_output().unwrap());
        let (route, _) = world.service.decision().unwrap();
        let end = match route.as_str() {
            "deny" => Decision::Deny,
            _ => Decision::Confirm,
        };
        for answer in answers {
            match answer {
                Ok(made) => assert_eq!(made, end, "{first}"),
                Err(SdkError::AlreadyAnswered { decision, .. }) => {
                    assert_eq!(decision, end, "{first}");
                }
                Err(SdkError::Ended(_)) => {}
                Err(other) => panic!("{first}: {other}"),
            }
        }
        ends.insert(route);
    }
    assert_eq!(ends.len(), 2, "both happened: {ends:?}");
}

/// The service accepted a confirmation, and refuses the denials after it. One of them is retried while another
/// confirmation has replaced it.
#[test]
fn confirmation_that_took_the_place_of_a_denial_is_no_denial() {
    let world = World::new();
    let session = world.open().unwrap();
    let fates = [Fate::Lost, Fate::Hopeless, Fate::NotSent, Fate::NotSent];
    world.service.fates(fates);
    assert!(world.run(session.confirm("a token")).is_err());
    let mut denying = Box::pin(session.deny(""));
    let mut confirming = Box::pin(session.confirm("a token"));
    assert_eq!(world.run_for(1, &mut denying), None);
    assert_eq!(world.run_for(1, &mut confirming), None);
    let refused = world.run(session.deny(""));
    assert!(matches!(refused, Err(SdkError::Ended(_))));
    world.service.fates([Fate::NotSent]);
    let mut again = Box::pin(session.confirm("another token"));
    assert_eq!(world.run_for(1, &mut again), None);
    let all = futures_util::future::join3(confirming, denying, again);
    let (one, denied, other) = world.run(all);
    for error in [one.err(), denied.err(), other.err()] {
        assert!(matches!(error, Some(SdkError::Ended(_))), "{error:?}");
    }
}

#[test]
fn refused_confirmation_can_be_made_again() {
    let world = World::new();
    let session = world.open().unwrap();
    let body = json!({ "title": "No", "code": "proof_required" });
    world.service.fates([Fate::Replaced(403, body)]);
    let refused = world.run(session.confirm("a token")).unwrap_err();
    assert!(matches!(refused, SdkError::ProofRequired(_)), "{refused}");
    world
        .client()
        .keys()
        .generate_association_key(None)
        .unwrap();
    assert_eq!(world.run(session.confirm("a token")), PROVEN);
    let sent = bodies(&world, "confirm");
    assert_ne!(sent[0], sent[1]);
}

#[test]
fn end_of_the_login_is_reported_and_its_answer_forgotten() {
    for (code, expected) in [
        ("session_cancelled", "ended"),
        ("session_expired", "expired"),
        ("session_blocked", "blocked"),
        ("risk_denied", "risk_denied"),
    ] {
        let world = World::new();
        let session = world.open().unwrap();
        world.service.end(code);
        let error = world.run(session.confirm("a token")).unwrap_err();
        assert_eq!(error.code(), expected);
        assert!(world.platform.answers.names().unwrap().is_empty());
    }
}

#[test]
fn answers_other_than_true_are_errors() {
    let not_true = SdkError::MalformedAnswer(AnswerFault::NotTrue);
    for (status, body, error) in [
        (200, json!(false), not_true.clone()),
        (200, json!({}), not_true),
        (204, Value::Null, not_ours(204)),
        (404, json!("not found"), not_ours(404)),
    ] {
        let world = World::new();
        let session = world.open().unwrap();
        world.service.fates([Fate::Replaced(status, body)]);
        let refused = world.run(session.confirm("a token")).unwrap_err();
        assert_eq!(refused, error);
        // The answer may have come from an intermediary, so the confirmation is kept.
        assert_eq!(world.run(session.confirm("a token")), UNPROVEN);
        let sent = bodies(&world, "confirm");
        assert_eq!(sent[0], sent[1]);
    }
    let world = World::new();
    let session = world.open().unwrap();
    world.service.fates([Fate::Stale]);
    let refused = world.run(session.confirm("a token")).unwrap_err();
    assert_eq!(refused, SdkError::MalformedAnswer(AnswerFault::NotTrue));
    assert_eq!(world.run(session.confirm("a token")), UNPROVEN);
}

#[test]
fn too_long_payloads_are_not_sent() {
    let world = World::new();
    let session = world.open().unwrap();
    let long = "x".repeat(9_000);
    let refused = world.run(session.confirm(&long));
    assert_eq!(refused, Err(SdkError::PayloadTooLong));
    let refused = world.run(session.deny(&long));
    assert_eq!(refused, Err(SdkError::PayloadTooLong));
    assert_eq!(world.service.routes(), ["initiate"]);
    assert!(world.platform.answers.names().unwrap().is_empty());
}

/// A store on a full disk.
struct Full;

impl AnswerStore for Full {
    fn load(&self, _: String) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }

    fn save_new(&self, _: String, _: Vec<u8>) -> Result<Option<Vec<u8>>, StoreError> {
        let detail = "the disk is full".to_owned();
        Err(StoreError::Failed { detail })
    }

    fn replace(&self, name: String, answer: Vec<u8>) -> Result<(), StoreError> {
        self.save_new(name, answer).map(|_| ())
    }

    fn remove(&self, _: String) -> Result<(), StoreError> {
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }
}

#[test]
fn answer_that_cannot_be_stored_is_not_sent() {
    let mut world = World::new();
    world.platform.answers = Arc::new(Full);
    let session = world.open().unwrap();
    for answered in [
        world.run(session.confirm("a token")).map(|_| ()),
        world.run(session.deny("")),
    ] {
        assert_eq!(answered.unwrap_err().code(), "storage_failed");
    }
    assert_eq!(world.service.routes(), ["initiate"]);
}
