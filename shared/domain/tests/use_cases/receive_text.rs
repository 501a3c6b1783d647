use std::sync::atomic::Ordering;
use std::time::Duration;

use countersign_conformance::failing::Access;
use countersign_conformance::samples;
use countersign_domain::app::code::NoCode;
use countersign_domain::confirmation::miss::MissReason;
use countersign_domain::confirmation::text::Channel;
use countersign_domain::confirmation::transitions::VerifyRefusal;
use countersign_domain::event::Miss;
use countersign_domain::store::{Key, Store};
use countersign_domain::use_cases::receive_text::TextOutcome;
use countersign_domain::use_cases::start::{Request, Started};

use crate::world::{World, now_or_never, number};

#[test]
fn text_completes_its_confirmation_once() {
    let world = World::new();
    let started = world.start(world.request()).unwrap();
    let id = started.confirmation.id;
    assert_eq!(
        world.text("text-1", "+12025550100", &started.message),
        TextOutcome::Verified(id)
    );
    assert_eq!(
        world.text("text-1", "+12025550100", &started.message),
        TextOutcome::Repeated(id)
    );
    let another = world.text("text-2", "+12025550100", &started.message);
    assert_eq!(
        another,
        TextOutcome::Missed(Miss::Refused(VerifyRefusal::AlreadyUsed))
    );
    assert_eq!(world.count("verified"), 1);
}

#[test]
fn first_other_number_that_sends_a_used_code_is_recorded() {
    let world = World::new();
    let started = world.start(world.request()).unwrap();
    let id = started.confirmation.id;
    let used = TextOutcome::Missed(Miss::Refused(VerifyRefusal::AlreadyUsed));
    let second = || {
        let item = world.find(id);
        let second = item.verified().unwrap().second_sender.clone();
        second.map(|second| second.phone_number.as_str().to_owned())
    };
    world.text("text-1", "+12025550100", &started.message);
    for (n, (from, recorded)) in [
        ("+12025550100", None),
        ("+12025550101", Some("+12025550101")),
        ("+12025550102", Some("+12025550101")),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(
            world.text(&format!("late-{n}"), from, &started.message),
            used
        );
        assert_eq!(second().as_deref(), recorded, "{from}");
    }
    assert_eq!(
        world.find(id).verified().unwrap().phone_number.present(),
        Some(&number("+12025550100"))
    );
}

/// All texts would read the same item, and a table serves only a few thousand reads of one item per
/// second.
#[test]
fn profile_is_read_once_a_minute_and_for_what_it_lacks() {
    let world = World::new();
    let text = |id, message| world.text_to(id, "+12025550100", "+12025550199", message);
    let [one, other, late] = [0; 3].map(|_| world.start(world.request()).unwrap());
    let verified = |started: &Started| Some(TextOutcome::Verified(started.confirmation.id));
    assert_eq!(text("text-1", &one.message).ok(), verified(&one));
    let unread = |access: Access<'_>| matches!(access, Access::Read(Key::Profile));
    world.items.fail(unread);
    assert_eq!(text("text-2", &other.message).ok(), verified(&other));
    text("text-3", "STOP").unwrap_err();
    world.items.fail(|_| false);

    // Another process creates an app with a different prefix.
    let elsewhere = Store::new(world.items.clone(), world.clock.clone());
    let mut app = samples::app("other");
    app.prefix = "OTHER".parse().unwrap();
    now_or_never(elsewhere.create_app(app.clone())).unwrap();
    let new = Request {
        app: &app,
        ..world.request()
    };
    let new = world.start(new).unwrap();
    assert_eq!(text("text-4", &new.message).ok(), verified(&new));

    world.pass(Duration::from_mins(1));
    world.items.fail(unread);
    text("text-5", &late.message).unwrap_err();
}

#[test]
fn text_that_verifies_nothing_is_counted_with_its_reason() {
    let world = World::new();
    let request = Request {
        phone_number: Some(number("+442079460018")),
        ..world.request()
    };
    let started = world.start(request).unwrap();
    let message = &started.message;
    let stranger = "CS-0000000000000000";
    let two = format!("{message} {stranger}");
    let long = format!("{message}X");
    let cases = [
        ("ACME", message.as_str(), Miss::Sender),
        ("2079460018", message.as_str(), Miss::Sender),
        ("", message.as_str(), Miss::NumberHidden),
        ("Anonymous", message.as_str(), Miss::NumberHidden),
        // For example, all messages to a channel that Countersign shares with a help desk.
        ("", "hello", Miss::Code(NoCode::Absent)),
        ("+442079460018", "STOP", Miss::Code(NoCode::Absent)),
        ("+442079460018", long.as_str(), Miss::Code(NoCode::Absent)),
        ("+442079460018", two.as_str(), Miss::Code(NoCode::Ambiguous)),
        (
            "+442079460018",
            stranger,
            Miss::Refused(VerifyRefusal::Unknown),
        ),
        (
            "+442079460019",
            message.as_str(),
            Miss::Refused(VerifyRefusal::WrongSender),
        ),
    ];
    for (number, (from, text, miss)) in cases.into_iter().enumerate() {
        let received = world.text(&format!("text-{number}"), from, text);
        assert_eq!(received, TextOutcome::Missed(miss), "{from}: {text}");
    }
    let elsewhere = world
        .text_to("text-8", "+442079460018", "+12025550000", message)
        .unwrap();
    assert_eq!(elsewhere, TextOutcome::Missed(Miss::Recipient));
    world.pass(Duration::from_mins(5));
    let late = world.text("text-9", "+442079460018", message);
    assert_eq!(
        late,
        TextOutcome::Missed(Miss::Refused(VerifyRefusal::Expired))
    );
    let counted = world.metrics.counted.lock().unwrap().clone();
    let labels = |name| {
        let named = counted.iter().filter(move |(counted, _)| *counted == name);
        named.map(|(_, labels)| labels.each_ref().map(String::as_str))
    };
    let misses = counted.iter().filter(|(name, _)| name.starts_with("miss_"));
    assert_eq!(misses.count(), 12);
    let (ours, nobodys) = (["demo", "GB", "generic"], ["", "GB", "generic"]);
    assert!(labels("miss_sender").eq([["demo", "", "generic"]; 2]));
    assert!(labels("miss_number_hidden").eq([["demo", "", "generic"]; 2]));
    assert!(labels("miss_recipient").eq([ours]));
    assert!(labels("miss_wrong_sender").eq([ours]));
    assert!(labels("miss_expired").eq([ours]));
    assert!(labels("miss_unknown").eq([nobodys]));
    let hidden = ["", "", "generic"];
    assert!(labels("miss_no_code").eq([hidden, nobodys, nobodys]));
    assert!(world.queue.waiting.lock().unwrap().is_empty());
}

#[test]
fn expected_number_is_compared_after_parsing() {
    let world = World::new();
    let request = Request {
        phone_number: Some(number("+44 (0)20 7946 0018")),
        ..world.request()
    };
    let started = world.start(request).unwrap();
    let received = world.text("text-1", "+442079460018", &started.message);
    assert_eq!(received, TextOutcome::Verified(started.confirmation.id));
}

#[test]
fn webhook_is_not_lost_when_the_queue_is_unavailable() {
    let world = World::new();
    world.queue.broken.store(true, Ordering::SeqCst);
    let started = world.start(world.request()).unwrap();
    let received = world.text("text-1", "+12025550100", &started.message);
    assert_eq!(received, TextOutcome::Verified(started.confirmation.id));
    assert_eq!(world.count("enqueue_failed"), 1);

    // The provider repeats the text, so the pointer is enqueued again.
    world.queue.broken.store(false, Ordering::SeqCst);
    world.text("text-1", "+12025550100", &started.message);
    assert_eq!(world.queue.waiting.lock().unwrap().len(), 1);
    world.queue.waiting.lock().unwrap().clear();

    // If that pointer is lost too, the sweep finds the delivery.
    world.pass(Duration::from_secs(59));
    assert_eq!(world.sweep().unwrap(), 0);
    world.pass(Duration::from_secs(1));
    assert_eq!(world.sweep().unwrap(), 1);
    assert_eq!(world.sweep().unwrap(), 0, "another sweep finds nothing");
    world.deliver(world.next_pointer().unwrap()).unwrap();
    assert_eq!(world.receiver.arrived().len(), 1);
}

#[test]
fn text_on_whatsapp_counts_for_an_app_that_names_the_number() {
    let mut world = World::new();
    let before = world.start(world.request()).unwrap();
    world.app.whatsapp = "+12025550177".parse().ok();
    let started = world.start(world.request()).unwrap();
    let id = started.confirmation.id;
    let text = |id: &str, to: &str, message: &str| {
        let parties = ["+12025550100", to];
        let received = world.text_through(Channel::WhatsApp, id, parties, message);
        received.unwrap()
    };
    let wrong = TextOutcome::Missed(Miss::Refused(VerifyRefusal::WrongRecipient));
    let message = &started.message;
    // The profile need not contain the number, because the confirmation does.
    assert_eq!(text("text-1", "+12025550178", message), wrong);
    assert_eq!(text("text-2", "+12025550199", message), wrong);
    assert_eq!(text("text-3", "12025550177", &before.message), wrong);
    for to in ["12345", "", "ACME"] {
        let received = text("text-4", to, message);
        assert_eq!(received, TextOutcome::Missed(Miss::Recipient), "{to}");
    }
    assert_eq!(world.count("miss_recipient"), 6);
    assert_eq!(
        text("text-5", "12025550177", message),
        TextOutcome::Verified(id)
    );
    assert_eq!(
        text("text-5", "12025550177", message),
        TextOutcome::Repeated(id)
    );
    let unknown = "CS-0000000000000000";
    let missed = text("text-6", "12025550177", unknown);
    assert_eq!(
        missed,
        TextOutcome::Missed(Miss::Refused(VerifyRefusal::Unknown))
    );
    let sms = world.text_to("text-7", "+12025550100", "+12025550177", &before.message);
    assert_eq!(sms.unwrap(), TextOutcome::Missed(Miss::Recipient));
}

#[test]
fn text_on_whatsapp_does_not_count_for_an_app_without_a_number_there() {
    let world = World::new();
    let started = world.start(world.request()).unwrap();
    let ours = started.confirmation.send_to.as_str();
    let both = ["+12025550100", ours];
    let missed = world.text_through(Channel::WhatsApp, "text-0", both, &started.message);
    let refusal = Miss::Refused(VerifyRefusal::WrongRecipient);
    assert_eq!(missed.unwrap(), TextOutcome::Missed(refusal));
    let bare = ours.trim_start_matches('+');
    let taken = world.text_to("text-1", "+12025550100", bare, &started.message);
    assert_eq!(
        taken.unwrap(),
        TextOutcome::Verified(started.confirmation.id)
    );
}

/// WhatsApp users can hide their number behind a user name. Senders on other networks prove no number to
/// us, even if they show one.
#[test]
fn text_without_its_number_verifies_nothing_and_says_so() {
    let world = World::new();
    for (channel, from) in [
        (Channel::WhatsApp, ""),
        (Channel::WhatsApp, "US.13491208655302741918"),
        (Channel::WhatsApp, "US.ENT.11815799212886844830"),
        (Channel::WhatsApp, "zoe"),
        (Channel::Other, "+442079460018"),
        (Channel::Other, "5417233561732451"),
        (Channel::Sms, "unknown"),
    ] {
        for started in [world.start(world.request()).unwrap(), confirmation(&world)] {
            let id = started.confirmation.id;
            let both = [from, "+12025550199"];
            let received = world.text_through(channel, &format!("{id}"), both, &started.message);
            let missed = TextOutcome::Missed(Miss::NumberHidden);
            assert_eq!(received.unwrap(), missed, "{channel:?}: {from}");
            let miss = world.find(id).last_miss().unwrap();
            assert_eq!(
                miss.reason(),
                MissReason::NumberHidden,
                "{channel:?}: {from}"
            );
            // Sent again as an SMS, the text is accepted.
            let again = world.text("again", "+442079460018", &started.message);
            assert_eq!(again, TextOutcome::Verified(id));
        }
    }
    assert_eq!(world.count("miss_number_hidden"), 14);
}

/// Starts a confirmation of `+442079460018`.
fn confirmation(world: &World) -> Started {
    let request = Request {
        phone_number: Some(number("+442079460018")),
        ..world.request()
    };
    world.start(request).unwrap()
}

#[test]
fn first_text_that_came_close_is_recorded_without_its_number() {
    let world = World::new();
    let ours = "+12025550199";
    for (from, to, pass, reason) in [
        ("+442079460019", ours, 0, MissReason::WrongSender),
        ("ACME", ours, 0, MissReason::WrongSender),
        ("", ours, 0, MissReason::NumberHidden),
        ("anonymous", "+12025550000", 0, MissReason::NumberHidden),
        ("", ours, 5, MissReason::Late),
        (
            "+442079460018",
            "+12025550000",
            0,
            MissReason::WrongRecipient,
        ),
        ("+442079460018", ours, 5, MissReason::Late),
        ("+442079460019", "+12025550000", 5, MissReason::Late),
    ] {
        let started = confirmation(&world);
        let id = started.confirmation.id;
        world.pass(Duration::from_mins(pass));
        let now = started
            .confirmation
            .created_at
            .plus(Duration::from_mins(pass));
        let text = format!("text-{id}");
        let received = world.text_to(&text, from, to, &started.message).unwrap();
        assert!(matches!(received, TextOutcome::Missed(_)));
        let miss = world.find(id).last_miss().unwrap();
        assert_eq!((miss.reason(), miss.at()), (reason, now));

        // A different text changes nothing, and the right number's text still completes the
        // confirmation.
        world.pass(Duration::from_secs(1));
        let before = world.find(id);
        world
            .text_to("text", "ACME", "+12025550000", &started.message)
            .unwrap();
        assert_eq!(world.find(id), before);
        if pass == 0 {
            let received = world.text("own", "+442079460018", &started.message);
            assert_eq!(received, TextOutcome::Verified(id));
        }
    }
}

#[test]
fn text_with_no_code_of_a_confirmation_writes_nothing() {
    let world = World::new();
    let started = confirmation(&world);
    let two = format!("{} CS-0000000000000000", started.message);
    for (number, text) in ["STOP", "CS-0000000000000000", &two]
        .into_iter()
        .enumerate()
    {
        for (from, to) in [
            ("+442079460019", "+12025550199"),
            ("ACME", "+12025550199"),
            ("+442079460018", "+12025550000"),
        ] {
            let id = format!("text-{number}-{from}");
            world.text_to(&id, from, to, text).unwrap();
        }
    }
    assert_eq!(world.find(started.confirmation.id), started.confirmation);
}
