use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::code::{Code, CodePrefix};
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::confirmation::miss::{LastMiss, MissReason};
use countersign_domain::confirmation::{Confirmation, Flow, Status};
use countersign_domain::delivery::Progress;
use countersign_domain::delivery::sender::WebhookRequest;
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::use_cases::start::{MAX_CODES_TRIED, Request, StartError, Started, start};
use countersign_domain::use_cases::{Ports, Times};

use crate::world::{World, now_or_never, number};

#[test]
fn started_confirmation_is_what_was_requested() {
    let world = World::new();
    let started = world.start(world.request()).unwrap();
    let confirmation = &started.confirmation;
    assert_eq!(confirmation.flow, Flow::Acquisition);
    assert_eq!(
        confirmation.expires_at.since(confirmation.created_at),
        Duration::from_mins(5)
    );
    assert_eq!(confirmation.status(world.now()), Status::Open);
    let code = Code::find(
        &started.message,
        &BTreeSet::from([world.app.prefix.clone()]),
    )
    .unwrap();
    assert_eq!(
        code.confirmation_id(),
        confirmation.id,
        "the id is derived from the code"
    );
    let link = format!("sms:{}&body={}", confirmation.send_to, started.message);
    assert_eq!(started.uri.ios, link);
    assert_eq!(world.find(confirmation.id), *confirmation);
    assert_eq!(world.count("created"), 1);
}

#[test]
fn two_confirmations_have_different_codes() {
    let world = World::new();
    let (a, b) = (
        world.start(world.request()).unwrap(),
        world.start(world.request()).unwrap(),
    );
    assert_ne!(a.message, b.message);
}

/// Entropy that repeats itself and counts its calls.
#[derive(Default)]
struct Repeating(AtomicU32);

impl Entropy for Repeating {
    fn fill(&self, buffer: &mut [u8]) {
        self.0.fetch_add(1, Ordering::SeqCst);
        buffer.fill(7);
    }
}

#[test]
fn repeating_entropy_fails_after_a_bounded_number_of_codes() {
    let world = World::new();
    let entropy = Repeating::default();
    let start_with = |request: Request<'_>| -> Result<Started, StartError> {
        let ports = Ports {
            entropy: &entropy,
            ..world.ports()
        };
        now_or_never(start(ports, Times::default(), request))
    };
    let first = start_with(world.request()).unwrap();
    let Err(StartError::Unavailable(error)) = start_with(world.request()) else {
        panic!("the confirmation of another request was answered");
    };
    assert_eq!(error.what(), "entropy: new code");
    assert_eq!(entropy.0.load(Ordering::SeqCst), 1 + MAX_CODES_TRIED);
    let (id, text) = (first.confirmation.id, format!("{error} {error:?}"));
    assert!(!text.contains(&first.message) && !text.contains(&id.to_string()));
    assert_eq!(world.find(id), first.confirmation, "the first is unchanged");
    assert_eq!(world.count("created"), 1);
}

#[test]
fn callback_is_the_requests_own_or_the_apps_default() {
    let mut world = World::new();
    let without = |world: &World| {
        world.start(Request {
            callback: None,
            ..world.request()
        })
    };
    assert!(matches!(without(&world), Err(StartError::NoCallback)));
    world.app.default_callback = Some(World::url("https://default.example/hook"));
    let confirmation = without(&world).unwrap().confirmation;
    assert_eq!(
        confirmation.callback.unwrap().as_str(),
        "https://default.example/hook"
    );
}

#[test]
fn app_with_callback_origins_refuses_others() {
    use countersign_domain::web::callback_url::CallbackOrigin;
    let mut world = World::new();
    world.app.callback_origins = vec![CallbackOrigin::from_url(&World::url(
        "https://shop.example/",
    ))];
    assert!(world.start(world.request()).is_ok());
    let elsewhere = Some(World::url("https://elsewhere.example/hook"));
    let refused = world.start(Request {
        callback: elsewhere,
        ..world.request()
    });
    assert!(matches!(refused, Err(StartError::CallbackOriginNotAllowed)));
    assert_eq!(
        world.count("created"),
        1,
        "a refused request starts nothing"
    );
}

#[test]
fn replay_gets_the_first_answer_even_after_the_app_changed() {
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
fn different_request_with_the_same_key_is_refused() {
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
fn reused_key_starts_a_new_confirmation_after_its_window() {
    let world = World::new();
    let mut codes = HashSet::new();
    // Verified confirmations are kept for days: some of the earlier ones are still stored and
    // others are not, which must make no difference.
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
fn country_of_a_known_number_decides_where_to_text() {
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

/// Starts a confirmation of this number with a test key.
fn tested(world: &World, phone_number: &str) -> Confirmation {
    let started = world.start(Request {
        mode: KeyMode::Test,
        phone_number: Some(number(phone_number)),
        ..world.request()
    });
    let item = world.find(started.unwrap().confirmation.id);
    assert!(item.test);
    item
}

#[test]
fn test_of_a_number_does_what_the_number_stands_for() {
    let world = World::new();
    let now = world.now();
    for (number, status, miss) in [
        ("+15005550001", Status::Verified, None),
        ("+15005550002", Status::Open, Some(MissReason::WrongSender)),
        ("+15005550003", Status::Expired, Some(MissReason::Late)),
        ("+15005550004", Status::Verified, None),
        ("+15005550005", Status::Open, Some(MissReason::NumberHidden)),
        ("+12025550100", Status::Open, None),
    ] {
        let item = tested(&world, number);
        assert_eq!(item.status(now), status, "{number}");
        let found = item.last_miss().map(LastMiss::reason);
        assert_eq!(found, miss, "{number}");
    }
    // The dispatcher was woken for the two that are verified.
    assert!(world.next_pointer().is_some() && world.next_pointer().is_some());
    assert!(world.next_pointer().is_none());
    assert!(world.metrics.counted.lock().unwrap().is_empty());
}

#[test]
fn webhook_of_a_test_says_so_and_one_to_a_receiver_that_is_down_is_not_sent() {
    let world = World::new();
    for (number, sent) in [("+15005550001", 1), ("+15005550004", 0)] {
        let item = tested(&world, number);
        let pointer = world.next_pointer().unwrap();
        world.deliver(pointer).unwrap();
        let arrived = world.receiver.arrived();
        let of_this = |request: &&WebhookRequest| request.webhook_id == item.webhook_id();
        let arrived: Vec<_> = arrived.iter().filter(of_this).collect();
        assert_eq!(arrived.len(), sent, "{number}");
        let says_so = |request: &&WebhookRequest| request.body.contains(r#","test":true,"#);
        assert!(arrived.iter().all(says_so));
        let item = world.find(item.id);
        let attempts = &item.delivery().unwrap().attempts;
        assert_eq!(attempts.len(), 1);
        assert_eq!(attempts[0].result.is_success(), sent == 1);
    }
    assert!(world.metrics.counted.lock().unwrap().is_empty());
}

/// Otherwise, the webhook would arrive before the caller has the answer with the id.
#[test]
fn webhook_of_a_test_waits_until_the_answer_has_been_sent() {
    let world = World::new();
    for number in ["+15005550001", "+15005550004"] {
        let item = tested(&world, number);
        let verified = item.verified().unwrap();
        assert_eq!(verified.at, world.now(), "{number}");
        let Progress::Pending {
            next_attempt_at, ..
        } = verified.delivery.as_ref().unwrap().progress
        else {
            panic!("{verified:?}");
        };
        let wait = next_attempt_at.since(world.now());
        assert_eq!(wait, Duration::from_secs(2), "{number}");
        let before = world.now();
        assert!(world.next_pointer().is_some());
        assert_eq!(world.now().since(before), Duration::from_secs(2));
    }
}

#[test]
fn number_of_a_test_is_an_ordinary_one_for_a_live_key() {
    let world = World::new();
    let started = world.start(Request {
        phone_number: Some(number("+15005550001")),
        ..world.request()
    });
    let item = world.find(started.unwrap().confirmation.id);
    assert_eq!(item.status(world.now()), Status::Open);
    assert!(!item.test);
}
