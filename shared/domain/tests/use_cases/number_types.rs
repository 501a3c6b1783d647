//! Types of numbers: the app's refusals, and the types in webhooks.

use std::time::Duration;

use countersign_conformance::samples;
use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::refused_types::{RefusableType, RefusedTypes};
use countersign_domain::confirmation::miss::{LastMiss, MissReason};
use countersign_domain::confirmation::transitions::VerifyRefusal;
use countersign_domain::confirmation::{Confirmation, Status};
use countersign_domain::event::Miss;
use countersign_domain::use_cases::receive_text::TextOutcome;
use countersign_domain::use_cases::start::{Request, StartError, Started};

use crate::world::{World, number};

/// A number of a type that the app refuses in these tests, and one of a different type.
const TOLL_FREE: &str = "+18005550100";
const LANDLINE: &str = "+442079460018";

fn refusing_world() -> World {
    let mut world = World::new();
    world.app.refused_types = samples::refused_types();
    world
}

fn confirm(world: &World, mode: KeyMode, text: &str) -> Result<Started, StartError> {
    world.start(Request {
        mode,
        phone_number: Some(number(text)),
        ..world.request()
    })
}

fn miss(item: &Confirmation) -> Option<MissReason> {
    item.last_miss().map(LastMiss::reason)
}

#[test]
fn confirmation_of_a_number_of_a_refused_type_is_not_started() {
    let world = refusing_world();
    for mode in [KeyMode::Live, KeyMode::Test] {
        let refused = confirm(&world, mode, TOLL_FREE).err();
        assert!(matches!(refused, Some(StartError::NumberTypeRefused)));
        assert!(world.confirmations().is_empty());
    }
    let started = confirm(&world, KeyMode::Live, LANDLINE).unwrap();
    assert_eq!(
        world.text("text-1", LANDLINE, &started.message),
        TextOutcome::Verified(started.confirmation.id)
    );
}

#[test]
fn number_that_simulates_an_event_is_refused_only_to_live_keys() {
    let mut world = World::new();
    let personal = "personal".parse::<RefusableType>().unwrap();
    world.app.refused_types = RefusedTypes::from_iter([personal]);
    let tested = confirm(&world, KeyMode::Test, "+15005550001").unwrap();
    assert_eq!(tested.confirmation.status(world.now()), Status::Verified);
    let refused = confirm(&world, KeyMode::Live, "+15005550001").err();
    assert!(matches!(refused, Some(StartError::NumberTypeRefused)));
}

#[test]
fn acquisition_refuses_what_its_app_refused_when_it_was_started() {
    let mut world = refusing_world();
    let started = world.start(world.request()).unwrap();
    let id = started.confirmation.id;
    world.app.refused_types = RefusedTypes::default();
    let missed = world.text("text-1", TOLL_FREE, &started.message);
    let refusal = Miss::Refused(VerifyRefusal::NumberTypeRefused);
    assert_eq!(missed, TextOutcome::Missed(refusal));
    assert_eq!(world.count("miss_number_type_refused"), 1);
    assert_eq!(miss(&world.find(id)), Some(MissReason::NumberTypeRefused));
    let taken = world.text("text-2", LANDLINE, &started.message);
    assert_eq!(taken, TextOutcome::Verified(id));

    let later = world.start(world.request()).unwrap();
    let taken = world.text("text-3", TOLL_FREE, &later.message);
    assert_eq!(taken, TextOutcome::Verified(later.confirmation.id));
}

#[test]
fn late_text_is_late_whatever_its_numbers_type() {
    let world = refusing_world();
    let started = world.start(world.request()).unwrap();
    world.pass(Duration::from_mins(5));
    let missed = world.text("text-1", TOLL_FREE, &started.message);
    let late = TextOutcome::Missed(Miss::Refused(VerifyRefusal::Expired));
    assert_eq!(missed, late);
    let item = world.find(started.confirmation.id);
    assert_eq!(miss(&item), Some(MissReason::Late));
}

/// Returns the signed body of a confirmation's webhook, without its id.
fn webhook(world: &World, sender: &str) -> String {
    let started = world.start(world.request()).unwrap();
    world.text(sender, sender, &started.message);
    let before = world.receiver.arrived().len();
    world.deliver(world.next_pointer().unwrap()).unwrap();
    let id = started.confirmation.id.to_string();
    world.receiver.arrived()[before].body.replace(&id, "ID")
}

#[test]
fn webhook_has_details_only_if_the_app_wants_them() {
    let mut world = World::new();
    let plain = r#"{"carrier":"","confirmationId":"ID","metadata":{},"phoneNumber":"+442079460018","timestamp":"2026-01-02T03:04:05.678Z","validationStatus":"valid"}"#;
    assert_eq!(webhook(&world, LANDLINE), plain);
    world.app.webhook_details = true;
    let detailed = r#"{"carrier":"","channel":"sms","confirmationId":"ID","metadata":{},"numberType":"fixed_line","phoneNumber":"+442079460018","provider":"generic","timestamp":"2026-01-02T03:04:05.678Z","validationStatus":"valid"}"#;
    assert_eq!(webhook(&world, LANDLINE), detailed);
    // A reserved number, whose type is in no plan.
    let unknown = webhook(&world, "+447700900123");
    assert!(unknown.contains(r#""channel":"sms""#) && !unknown.contains("numberType"));
}

#[test]
fn test_webhook_has_the_members_of_others() {
    let mut world = World::new();
    let mut sent = |details| {
        world.app.webhook_details = details;
        let url = World::url("https://shop.example/hook");
        world.send_test(&world.app, Some(url)).unwrap();
        world.receiver.arrived().pop().unwrap().body
    };
    assert!(!sent(false).contains("numberType"));
    let detailed = sent(true);
    for member in [
        r#""channel":"simulated""#,
        r#""numberType":"fixed_line_or_mobile""#,
        r#""provider":"simulated""#,
    ] {
        assert!(detailed.contains(member), "{detailed}");
    }
}
