//! Carriers that no provider named: looked up once, before the first attempt.

use std::time::Duration;

use countersign_domain::confirmation::carrier::{Carrier, CarrierName, LookupOutcome};
use countersign_domain::confirmation::transitions::{CarrierOutcome, decide_carrier};
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::delivery::{CLAIM_LEASE, DeliveryPointer};
use countersign_domain::primitives::ids::ConfirmationId;

use crate::world::{World, now_or_never, status};

fn found(name: &str) -> LookupOutcome {
    LookupOutcome::Found(CarrierName::from_text(name))
}

fn carrier(world: &World, id: ConfirmationId) -> Carrier {
    world.find(id).verified().unwrap().carrier.clone()
}

fn decided(name: &str) -> Carrier {
    Carrier::Decided(CarrierName::from_text(name))
}

/// Returns the carriers in the webhooks that were sent.
fn sent(world: &World) -> Vec<String> {
    let bodies = world.receiver.arrived().into_iter();
    bodies
        .map(|request| {
            let (_, rest) = request.body.split_once("\"carrier\":\"").unwrap();
            rest.split_once('"').unwrap().0.to_owned()
        })
        .collect()
}

fn deliver_next(world: &World) {
    let pointer = world.next_pointer().unwrap();
    world.deliver(pointer).unwrap();
}

#[test]
fn retries_send_the_carrier_that_was_looked_up_once() {
    let world = World::new();
    world.carriers.will_answer([found("Acme")]);
    world.receiver.will_answer([status(500), status(500)]);
    let id = world.verified();
    for _ in 0..3 {
        deliver_next(&world);
    }
    assert_eq!(sent(&world), ["Acme", "Acme", "Acme"]);
    assert_eq!(carrier(&world, id), decided("Acme"));
    assert_eq!(*world.carriers.asked.lock().unwrap(), ["+12025550100"]);
    assert_eq!(world.count("carrier_found"), 1);
}

#[test]
fn lookup_without_an_answer_decides_an_empty_carrier() {
    let outcomes = [
        (LookupOutcome::Empty, "carrier_empty"),
        (LookupOutcome::Failed, "carrier_failed"),
        (LookupOutcome::TimedOut, "carrier_timed_out"),
        (LookupOutcome::Paused, "carrier_paused"),
        (LookupOutcome::Limited, "carrier_limited"),
        (
            LookupOutcome::Cached(CarrierName::default()),
            "carrier_cached",
        ),
    ];
    for (outcome, event) in outcomes {
        let world = World::new();
        // A second lookup would panic.
        world.carriers.will_answer([outcome]);
        world.receiver.will_answer([status(500)]);
        let id = world.verified();
        deliver_next(&world);
        deliver_next(&world);
        assert_eq!(sent(&world), ["", ""], "{event}");
        assert_eq!(carrier(&world, id), decided(""), "{event}");
        assert_eq!(world.count(event), 1);
    }
}

#[test]
fn nothing_is_looked_up_for_texts_that_verify_nothing() {
    let world = World::new();
    world.carriers.will_answer([]);
    let started = world.start(world.request()).unwrap();
    world.text("text-1", "ACME", &started.message);
    world.text("text-2", "+12025550100", "hello");
    assert_eq!(world.next_pointer(), None);
    assert!(world.carriers.asked.lock().unwrap().is_empty());
}

#[test]
fn attempt_that_died_before_the_write_looks_up_again() {
    let world = World::new();
    world.carriers.will_answer([found("Acme")]);
    let id = world.verified();
    let pointer = world.next_pointer().unwrap();
    // The dispatcher crashes after its claim.
    now_or_never(world.store.claim(id.into(), 0, world.now())).unwrap();
    assert_eq!(carrier(&world, id), Carrier::Undecided);
    world.pass(CLAIM_LEASE);
    let next = DeliveryPointer {
        attempts_claimed: 1,
        ..pointer
    };
    world.deliver(next).unwrap();
    assert_eq!(sent(&world), ["Acme"]);
    assert_eq!(carrier(&world, id), decided("Acme"));
}

#[test]
fn dispatcher_that_lost_the_race_sends_the_other_answer() {
    let world = World::new();
    world.carriers.will_answer([found("Mine")]);
    let id = world.verified();
    let pointer = world.next_pointer().unwrap();
    // Claims a confirmation whose carrier another dispatcher decides in the meantime.
    let other = Decides { world: &world, id };
    other.deliver(pointer);
    assert_eq!(sent(&world), ["Other"]);
    assert_eq!(carrier(&world, id), decided("Other"));
}

/// A lookup during which another dispatcher decides the carrier.
struct Decides<'a> {
    world: &'a World,
    id: ConfirmationId,
}

impl Decides<'_> {
    fn deliver(&self, pointer: DeliveryPointer) {
        use countersign_domain::use_cases::{Times, deliver};
        let world = self.world;
        let sending = deliver::DeliveryPorts {
            signer: &world.signer,
            secrets: &countersign_conformance::samples::MASTER_SECRET,
            sender: &world.receiver,
            carriers: Some(self),
            push: None,
            receivers: None,
        };
        now_or_never(deliver::deliver(
            world.ports(),
            sending,
            Times::default(),
            pointer,
        ))
        .unwrap();
    }
}

#[async_trait::async_trait]
impl countersign_domain::confirmation::carrier::CarrierLookup for Decides<'_> {
    async fn lookup(
        &self,
        _: &countersign_domain::primitives::phone::PhoneNumber,
        _: Duration,
    ) -> LookupOutcome {
        let name = CarrierName::from_text("Other");
        let now = self.world.now();
        let decide = |current| decide_carrier(current, &name, now);
        let outcome = self.world.store.change(self.id, decide);
        assert!(matches!(outcome.await, Ok(CarrierOutcome::Decided(_))));
        found("Mine")
    }
}

#[test]
fn attempt_that_was_settled_without_a_lookup_fixes_the_empty_name() {
    let world = World::new();
    world.receiver.will_answer([status(500)]);
    let id = world.verified();
    deliver_next(&world);
    // Lookups are turned on between two attempts: a lookup would panic.
    world.carriers.will_answer([]);
    deliver_next(&world);
    assert_eq!(sent(&world), ["", ""]);
    assert_eq!(carrier(&world, id), Carrier::Undecided);
}

#[test]
fn time_of_the_lookup_is_not_the_receivers() {
    let world = World::new();
    world.carriers.will_answer([found("Acme")]);
    let id = world.verified();
    deliver_next(&world);
    let attempts = world.find(id).delivery().unwrap().attempts.clone();
    assert_eq!(attempts[0].at, world.now());
    assert!(attempts[0].duration.is_zero());
}

/// Webhooks wait for each other's lookups. Webhooks whose time is over must not wait any longer.
#[test]
fn time_of_the_first_attempts_lookup_counts_from_the_text() {
    for (waited, within) in [(0, 800), (300, 500), (800, 0), (60_000, 0)] {
        let world = World::new();
        world.carriers.will_answer([LookupOutcome::TimedOut]);
        world.verified();
        world.pass(Duration::from_millis(waited));
        deliver_next(&world);
        let given = world.carriers.within.lock().unwrap().clone();
        assert_eq!(given, [Duration::from_millis(within)], "{waited}");
    }
}
