//! The status that the page of a confirmation gets.

use std::sync::atomic::Ordering;
use std::time::Duration;

use countersign_domain::confirmation::Status;
use countersign_domain::confirmation::client::ClientToken;
use countersign_domain::confirmation::miss::MissReason;
use countersign_domain::confirmation::text::Channel;
use countersign_domain::delivery::sender::SendOutcome;
use countersign_domain::event::Miss;
use countersign_domain::primitives::watcher::WatcherId;
use countersign_domain::use_cases::client_channel::{status, watch};
use countersign_domain::use_cases::receive_text::TextOutcome;
use countersign_domain::use_cases::start::{Request, Started};

use crate::world::{World, now_or_never, number};

fn watched(world: &World) -> (Started, ClientToken) {
    let started = world.start(Request {
        client_channel: true,
        ..world.request()
    });
    let started = started.unwrap();
    let token = started.client_token.clone().unwrap();
    (started, token)
}

fn connect(world: &World, started: &Started, token: &ClientToken, name: &str) -> Option<Status> {
    let (id, name) = (started.confirmation.id, name.parse::<WatcherId>().unwrap());
    now_or_never(watch(world.ports(), id, token, name)).unwrap()
}

fn asks(world: &World, started: &Started, token: &ClientToken) -> Option<Status> {
    let asked = now_or_never(status(world.ports(), started.confirmation.id, token));
    asked.unwrap().map(|view| view.status)
}

fn miss(world: &World, started: &Started, token: &ClientToken) -> Option<MissReason> {
    let asked = now_or_never(status(world.ports(), started.confirmation.id, token));
    asked.unwrap().unwrap().miss
}

/// Delivers the webhook that was enqueued first.
fn deliver(world: &World) {
    let (pointer, _) = world.queue.waiting.lock().unwrap().pop_front().unwrap();
    world.deliver(pointer).unwrap();
}

#[test]
fn page_that_connected_last_is_notified_once() {
    let world = World::new();
    let (started, token) = watched(&world);
    for name in ["lost", "page"] {
        assert_eq!(
            connect(&world, &started, &token, name),
            Some(Status::Open),
            "{name}"
        );
    }
    let refusal = SendOutcome::Answered {
        status: 500,
        retry_after: None,
        beginning: String::new(),
    };
    world.receiver.answers.lock().unwrap().push_back(refusal);
    world.text("text-1", "+12025550100", &started.message);
    assert_eq!(asks(&world, &started, &token), Some(Status::Verified));
    deliver(&world);
    world.pass(Duration::from_mins(5));
    deliver(&world);
    assert_eq!(world.receiver.arrived.lock().unwrap().len(), 2);
    let notified = world.pages.notified.lock().unwrap();
    assert_eq!(*notified, ["page".parse::<WatcherId>().unwrap()]);
}

#[test]
fn page_is_notified_of_the_first_miss_once_and_learns_its_kind() {
    let world = World::new();
    let ours = "+12025550199";
    for (channel, from, to, kind) in [
        (Channel::Sms, "+12025550101", ours, MissReason::WrongSender),
        (Channel::Sms, "", ours, MissReason::NumberHidden),
        (
            Channel::WhatsApp,
            "US.134912",
            ours,
            MissReason::NumberHidden,
        ),
        (
            Channel::Sms,
            "+12025550100",
            "+12025550000",
            MissReason::WrongRecipient,
        ),
    ] {
        let started = world.start(Request {
            client_channel: true,
            phone_number: Some(number("+12025550100")),
            ..world.request()
        });
        let started = started.unwrap();
        let token = started.client_token.clone().unwrap();
        let name = format!("page-{}", started.confirmation.id);
        connect(&world, &started, &token, &name);
        assert_eq!(miss(&world, &started, &token), None);
        world.pages.notified.lock().unwrap().clear();
        for copy in 0..2 {
            let id = format!("{name}-{copy}");
            let text = world.text_through(channel, &id, [from, to], &started.message);
            assert!(matches!(text, Ok(TextOutcome::Missed(_))));
        }
        assert_eq!(
            *world.pages.notified.lock().unwrap(),
            [name.parse::<WatcherId>().unwrap()]
        );
        assert_eq!(miss(&world, &started, &token), Some(kind));
        assert_eq!(asks(&world, &started, &token), Some(Status::Open));

        // A text from the right number still completes the confirmation, and the miss is removed.
        world.text(&name, "+12025550100", &started.message);
        assert_eq!(asks(&world, &started, &token), Some(Status::Verified));
        assert_eq!(miss(&world, &started, &token), None);
    }
}

#[test]
fn text_that_holds_no_live_code_tells_no_page_anything() {
    let world = World::new();
    let (started, token) = watched(&world);
    connect(&world, &started, &token, "page");
    for text in [
        "hello",
        "CS-0000000000000000",
        &format!("{}X", started.message),
    ] {
        world.text(text, "", text);
    }
    assert!(world.pages.notified.lock().unwrap().is_empty());
    assert_eq!(miss(&world, &started, &token), None);
}

#[test]
fn miss_is_recorded_although_the_page_cannot_be_notified() {
    let world = World::new();
    let (started, token) = watched(&world);
    connect(&world, &started, &token, "page");
    world.pages.broken.store(true, Ordering::SeqCst);
    let received = world.text("text-1", "", &started.message);
    assert_eq!(received, TextOutcome::Missed(Miss::NumberHidden));
    assert_eq!(world.count("qr_push_failed"), 1);
    assert_eq!(
        miss(&world, &started, &token),
        Some(MissReason::NumberHidden)
    );
}

#[test]
fn webhook_leaves_although_the_page_cannot_be_notified() {
    let world = World::new();
    let (started, token) = watched(&world);
    connect(&world, &started, &token, "page");
    world.text("text-1", "+12025550100", &started.message);
    world.pages.broken.store(true, Ordering::SeqCst);
    deliver(&world);
    assert_eq!(world.receiver.arrived.lock().unwrap().len(), 1);
    assert_eq!(world.count("qr_push_failed"), 1);
    assert_eq!(world.count("delivered"), 1);
}

#[test]
fn connection_after_the_end_gets_the_status_and_is_not_kept() {
    let world = World::new();
    let (started, token) = watched(&world);
    world.pass(Duration::from_mins(5));
    assert_eq!(asks(&world, &started, &token), Some(Status::Expired));
    let late = connect(&world, &started, &token, "late");
    assert_eq!(late, Some(Status::Expired));
    let item = world.find(started.confirmation.id);
    assert_eq!(item.client.unwrap().watcher, None);
}

#[test]
fn token_of_another_confirmation_fits_nothing() {
    let world = World::new();
    let (started, token) = watched(&world);
    let (_, other) = watched(&world);
    let unwatched = world.start(world.request()).unwrap();
    assert!(unwatched.client_token.is_none());
    for (started, token) in [(&started, &other), (&unwatched, &token)] {
        assert_eq!(asks(&world, started, token), None);
        assert_eq!(connect(&world, started, token, "page"), None);
    }
}

#[test]
fn replay_names_the_same_token() {
    let world = World::new();
    let start = || {
        let started = world.start(Request {
            client_channel: true,
            ..world.idempotent("key", b"{}")
        });
        started.unwrap()
    };
    let (first, again) = (start(), start());
    assert!(again.replayed && first.client_token.is_some());
    assert!(first.client_token == again.client_token);
}
