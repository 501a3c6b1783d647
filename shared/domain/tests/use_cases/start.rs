use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use countersign_domain::app::code::{Code, CodePrefix};
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::confirmation::{Flow, Status};
use countersign_domain::primitives::time::Clock as _;
use countersign_domain::use_cases::start::{Request, StartError};

use crate::world::{World, number};

#[test]
fn a_session_is_what_was_asked_for() {
    let world = World::new();
    let started = world.start(world.request()).unwrap();
    let session = &started.confirmation;
    assert_eq!(session.flow, Flow::Acquisition);
    assert_eq!(
        session.expires_at.since(session.created_at),
        Duration::from_mins(5)
    );
    assert_eq!(session.status(world.now()), Status::Open);
    let code = Code::find(
        &started.message,
        &BTreeSet::from([world.app.prefix.clone()]),
    )
    .unwrap();
    assert_eq!(
        code.confirmation_id(),
        session.id,
        "the id is derived from the code"
    );
    assert_eq!(world.find(session.id), *session);
    assert_eq!(world.count("created"), 1);
}

#[test]
fn two_sessions_have_two_codes() {
    let world = World::new();
    let (a, b) = (
        world.start(world.request()).unwrap(),
        world.start(world.request()).unwrap(),
    );
    assert_ne!(a.message, b.message);
}

#[test]
fn the_callback_is_the_requests_or_the_apps() {
    let mut world = World::new();
    let without = |world: &World| {
        world.start(Request {
            callback: None,
            ..world.request()
        })
    };
    assert!(matches!(without(&world), Err(StartError::NoCallback)));
    world.app.default_callback = Some(World::url("https://default.example/hook"));
    let session = without(&world).unwrap().confirmation;
    assert_eq!(session.callback.as_str(), "https://default.example/hook");
}

#[test]
fn an_app_may_be_bound_to_origins() {
    use countersign_domain::web::callback_url::CallbackOrigin;
    let mut world = World::new();
    world.app.callback_origins = vec![CallbackOrigin::of(&World::url("https://shop.example/"))];
    assert!(world.start(world.request()).is_ok());
    let elsewhere = Some(World::url("https://elsewhere.example/hook"));
    let refused = world.start(Request {
        callback: elsewhere,
        ..world.request()
    });
    assert!(matches!(refused, Err(StartError::CallbackOriginNotAllowed)));
    assert_eq!(world.count("created"), 1, "what is refused changes nothing");
}

#[test]
fn a_replay_is_answered_the_same_although_the_app_changed() {
    let mut world = World::new();
    let first = world.start(world.idempotent("order-17", b"{}")).unwrap();
    assert!(!first.replayed);
    world.pass(Duration::from_hours(23));
    world.app.template = "Shop: {code}".parse::<MessageTemplate>().unwrap();
    world.app.prefix = "SHOP".parse::<CodePrefix>().unwrap();
    let again = world.start(world.idempotent("order-17", b"{}")).unwrap();
    assert!(again.replayed);
    assert_eq!(
        (&again.message, &again.confirmation),
        (&first.message, &first.confirmation)
    );
    assert!(again.uri == first.uri);
    assert_eq!((world.count("created"), world.count("replayed")), (1, 1));
}

#[test]
fn another_request_under_the_same_key_is_refused() {
    let world = World::new();
    world.start(world.idempotent("order-17", b"{}")).unwrap();
    let other = world.start(world.idempotent("order-17", b"{\"metadata\":{}}"));
    assert!(matches!(other, Err(StartError::IdempotencyKeyReused)));
    assert!(
        !world
            .start(world.idempotent("order-18", b"{}"))
            .unwrap()
            .replayed
    );
}

#[test]
fn after_its_window_a_key_starts_a_new_session_with_a_new_code() {
    let world = World::new();
    let mut codes = HashSet::new();
    // Verified ones are kept for days: some of the earlier sessions are still there, others are
    // gone, and their going must make no difference.
    for hours in [24, 25, 24, 200, 24, 24 * 9, 30] {
        let first = world.start(world.idempotent("order-17", b"{}")).unwrap();
        assert!(!first.replayed);
        assert!(codes.insert(first.message.clone()), "no code is used twice");
        world.text(
            &format!("text-{}", codes.len()),
            "+12025550100",
            &first.message,
        );
        for _ in 0..4 {
            world.pass(Duration::from_hours(5));
            let replay = world.start(world.idempotent("order-17", b"{}")).unwrap();
            assert!(replay.replayed && replay.message == first.message);
        }
        world.pass(Duration::from_hours(hours - 20));
    }
}

#[test]
fn a_known_number_chooses_where_to_text() {
    use countersign_conformance::samples::senders;
    let mut world = World::new();
    world.app.senders = senders(&[(None, "+12025550199"), (Some("GB"), "+447700900001")]);
    let to = |phone_number| {
        let started = world
            .start(Request {
                phone_number,
                ..world.request()
            })
            .unwrap();
        started.confirmation.send_to.to_string()
    };
    assert_eq!(to(None), "+12025550199");
    assert_eq!(to(Some(number("+442079460018"))), "+447700900001");
    assert_eq!(to(Some(number("+4915123456789"))), "+12025550199");
}
