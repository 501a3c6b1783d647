use std::sync::atomic::Ordering;
use std::time::Duration;

use countersign_domain::app::scope::Scope;
use countersign_domain::confirmation::transitions::{RedeliverOutcome, redeliver};
use countersign_domain::confirmation::webhook::webhook_body;
use countersign_domain::delivery::sender::SendOutcome;
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::delivery::{
    AttemptResult, Delivery, DeliveryPointer, FailureReason, Progress,
};
use countersign_domain::primitives::canonical_json::CanonicalObject;
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::use_cases::deliver::Outcome;
use countersign_domain::use_cases::start::Request;
use countersign_domain::web::callback_url::CallbackOrigin;
use sha2::{Digest, Sha256};

use crate::world::{World, now_or_never, number, status};

fn delivery(world: &World, id: ConfirmationId) -> Delivery {
    world.find(id).delivery().unwrap().clone()
}

#[test]
fn signed_body_is_the_sent_body() {
    let world = World::new();
    let id = world.verified();
    let outcome = world.deliver(world.next_pointer().unwrap()).unwrap();
    assert_eq!(
        outcome,
        Outcome::Attempted {
            subject: id.into(),
            number: 1,
            result: AttemptResult::Answered(204),
            next_attempt_at: None,
        }
    );
    let sent = &world.receiver.arrived()[0];
    assert_eq!(
        sent.signature.der,
        Sha256::digest(sent.body.as_bytes()).to_vec()
    );
    assert_eq!(
        Some(&*sent.body),
        webhook_body(&world.find(id))
            .as_ref()
            .map(CanonicalObject::as_str)
    );
    assert!(matches!(
        delivery(&world, id).progress,
        Progress::Delivered { .. }
    ));
    assert_eq!(world.sweep().unwrap(), 0, "nothing is pending any more");
}

#[test]
fn webhook_to_an_origin_that_the_app_no_longer_lists_is_not_sent() {
    let mut world = World::new();
    let id = world.verified();
    let elsewhere = World::url("https://elsewhere.example/");
    world.app.callback_origins = vec![CallbackOrigin::from_url(&elsewhere)];
    world.set_app(&world.app);
    let outcome = world.deliver(world.next_pointer().unwrap()).unwrap();
    let Outcome::Attempted {
        result,
        next_attempt_at,
        ..
    } = outcome
    else {
        panic!("{outcome:?}");
    };
    let refused = AttemptResult::NoAnswer(FailureReason::AddressRefused);
    assert_eq!((result, next_attempt_at), (refused, None));
    assert!(world.receiver.arrived().is_empty());
    assert!(matches!(
        delivery(&world, id).progress,
        Progress::Failed { .. }
    ));
    assert_eq!(world.count("delivery_failed"), 1);
}

#[test]
fn events_of_a_confirmation_name_its_app_country_and_provider() {
    let world = World::new();
    let request = |phone_number, country: &str| Request {
        phone_number,
        country: country.parse().ok(),
        ..world.request()
    };
    // The number's country takes precedence, then the country that the caller names, then that of
    // the number that the person texts.
    let known = Some(number("+442079460018"));
    let confirmed = world.start(request(known, "DE")).unwrap();
    world.start(request(None, "DE")).unwrap();
    let acquired = world.start(request(None, "")).unwrap();
    let created = ["GB", "DE", "US"].map(|country| ["demo", country, ""].map(str::to_owned));
    assert_eq!(world.metrics.labels("created"), created);

    world.receiver.will_answer([status(500)]);
    world.text("text-1", "+442079460018", &confirmed.message);
    world.text("text-2", "+4915123456789", &acquired.message);
    while let Some(pointer) = world.next_pointer() {
        world.deliver(pointer).unwrap();
    }
    let [in_britain, in_germany] =
        ["GB", "DE"].map(|country| ["demo", country, "generic"].map(str::to_owned));
    let both = [in_britain.clone(), in_germany.clone()];
    assert_eq!(world.metrics.labels("verified"), both);
    assert_eq!(world.metrics.labels("attempt_failed_receiver"), both[..1]);
    assert_eq!(world.metrics.labels("delivered"), [in_germany, in_britain]);
}

#[test]
fn webhook_that_is_sent_again_counts_once_as_delivered() {
    let world = World::new();
    let id = world.verified();
    world.deliver(world.next_pointer().unwrap()).unwrap();
    let (scope, now) = (Scope::live(&world.app.id), world.now());
    let again = |current| redeliver(current, scope, now, Duration::ZERO);
    let again = now_or_never(world.store.change(id, again));
    let Ok(RedeliverOutcome::Pending { pointer, .. }) = again else {
        panic!()
    };
    world.deliver(pointer).unwrap();
    assert_eq!(world.count("attempt_succeeded"), 2);
    assert_eq!(world.count("delivered"), 1);
}

#[test]
fn repeated_pointer_is_stale() {
    let world = World::new();
    world.verified();
    let pointer = world.next_pointer().unwrap();
    world.deliver(pointer).unwrap();
    assert_eq!(world.deliver(pointer).unwrap(), Outcome::Stale);
    assert_eq!(world.receiver.arrived().len(), 1);
}

#[test]
fn failed_attempts_follow_the_schedule_and_are_then_given_up() {
    let world = World::new();
    let id = world.verified();
    world.receiver.will_answer((0..100).map(|_| status(500)));
    let began = world.now();
    let mut times = Vec::new();
    loop {
        let pointer = match world.next_pointer() {
            Some(pointer) => pointer,
            None => match delivery(&world, id).progress {
                // The wait exceeds the queue's maximum delay, so the sweep takes over.
                Progress::Pending { due_at, .. } => {
                    world.pass(due_at.since(world.now()));
                    assert_eq!(world.sweep().unwrap(), 1);
                    world.next_pointer().unwrap()
                }
                _ => break,
            },
        };
        times.push(world.now().since(began).as_secs());
        world.deliver(pointer).unwrap();
    }
    assert_eq!(
        times,
        [0, 2, 7, 22, 52, 112, 232, 832, 4432, 15_232, 36_832, 80_032],
        "the published waits, in order"
    );
    assert!(matches!(
        delivery(&world, id).progress,
        Progress::Failed { .. }
    ));
    assert_eq!(delivery(&world, id).attempts.len(), 12);
    assert_eq!(world.count("delivery_failed"), 1);
    let arrived = world.receiver.arrived();
    assert!(
        arrived
            .iter()
            .all(|sent| sent.webhook_id == arrived[0].webhook_id)
    );
    assert!(arrived.iter().all(|sent| sent.body == arrived[0].body));
    assert_eq!(
        world.signer.signed.load(Ordering::SeqCst),
        1,
        "one signature serves all attempts"
    );
}

#[test]
fn redelivery_starts_a_new_round_with_the_same_id() {
    let world = World::new();
    let id = world.verified();
    world.receiver.will_answer([status(410)]);
    world.deliver(world.next_pointer().unwrap()).unwrap();
    assert!(
        matches!(delivery(&world, id).progress, Progress::Failed { .. }),
        "410 ends the delivery at once"
    );

    let (scope, now) = (Scope::live(&world.app.id), world.now());
    let again = world
        .store
        .change(id, |current| redeliver(current, scope, now, Duration::ZERO));
    let Ok(RedeliverOutcome::Pending { pointer, .. }) = now_or_never(again) else {
        panic!()
    };
    world.receiver.will_answer([status(500)]);
    world.deliver(pointer).unwrap();
    let (_, wait) = world.queue.waiting.lock().unwrap()[0];
    assert_eq!(wait, Duration::from_secs(2), "the schedule starts again");
    world.deliver(world.next_pointer().unwrap()).unwrap();
    let arrived = world.receiver.arrived();
    assert_eq!(arrived.len(), 3);
    assert!(
        arrived
            .iter()
            .all(|sent| sent.webhook_id == arrived[0].webhook_id)
    );
}

#[test]
fn retry_after_is_honoured_only_for_429_and_503() {
    for (code, expected) in [(429, 90), (503, 90), (500, 2)] {
        let world = World::new();
        world.verified();
        let retry_after = Some(Duration::from_secs(90));
        world.receiver.will_answer([SendOutcome::Answered {
            status: code,
            retry_after,
            beginning: String::new(),
        }]);
        world.deliver(world.next_pointer().unwrap()).unwrap();
        let (_, wait) = world.queue.waiting.lock().unwrap()[0];
        assert_eq!(wait.as_secs(), expected, "{code}");
    }
}

#[test]
fn refused_url_is_not_tried_again() {
    let world = World::new();
    let id = world.verified();
    world
        .receiver
        .will_answer([SendOutcome::NoAnswer(FailureReason::AddressRefused)]);
    world.deliver(world.next_pointer().unwrap()).unwrap();
    assert!(matches!(
        delivery(&world, id).progress,
        Progress::Failed { .. }
    ));
}

#[test]
fn private_address_in_one_dns_answer_costs_one_attempt() {
    let world = World::new();
    let id = world.verified();
    world
        .receiver
        .will_answer([SendOutcome::NoAnswer(FailureReason::DnsAddressRefused)]);
    world.deliver(world.next_pointer().unwrap()).unwrap();
    let pending = delivery(&world, id);
    assert!(matches!(pending.progress, Progress::Pending { .. }));
    let reason = AttemptResult::NoAnswer(FailureReason::DnsAddressRefused);
    assert_eq!(
        pending.attempts[0].result, reason,
        "the attempts list shows the reason"
    );
    world.pass(Duration::from_secs(2));
    world.deliver(world.next_pointer().unwrap()).unwrap();
    assert!(matches!(
        delivery(&world, id).progress,
        Progress::Delivered { .. }
    ));
}

#[test]
fn new_signing_key_makes_a_new_signature() {
    let world = World::new();
    world.verified();
    world.receiver.will_answer([status(500)]);
    world.deliver(world.next_pointer().unwrap()).unwrap();
    world.signer.generation.store(1, Ordering::SeqCst);
    world.deliver(world.next_pointer().unwrap()).unwrap();
    let arrived = world.receiver.arrived();
    assert_ne!(arrived[0].signature.key_id, arrived[1].signature.key_id);
    assert_eq!(world.signer.signed.load(Ordering::SeqCst), 2);
}

/// Returns the wait before the next attempt of a webhook, which must be pending.
fn wait_of(world: &World, id: ConfirmationId) -> Duration {
    match delivery(world, id).progress {
        Progress::Pending {
            next_attempt_at, ..
        } => next_attempt_at.since(world.now()),
        settled => panic!("the webhook is still pending: {settled:?}"),
    }
}

#[test]
fn unavailable_signer_is_our_fault_and_spends_no_step_of_the_schedule() {
    let world = World::new();
    let id = world.verified();
    world.signer.broken.store(true, Ordering::SeqCst);
    for most in [6, 12, 24, 48].into_iter().chain([72; 20]) {
        assert!(
            world.deliver(world.next_pointer().unwrap()).is_err(),
            "the cause is logged"
        );
        let wait = wait_of(&world, id);
        assert!(wait <= Duration::from_secs(most), "{wait:?}");
        world.pass(wait);
    }
    assert_eq!(world.count("attempt_failed_ours"), 24);
    let result = delivery(&world, id).attempts[0].result;
    assert_eq!(
        result,
        AttemptResult::NoAnswer(FailureReason::SigningFailed)
    );
    world.signer.broken.store(false, Ordering::SeqCst);
    world.receiver.will_answer([status(500)]);
    world.deliver(world.next_pointer().unwrap()).unwrap();
    assert_eq!(world.receiver.arrived().len(), 1);
    // The receiver's first failure: the schedule begins.
    let wait = wait_of(&world, id);
    assert!(wait <= Duration::from_millis(2400), "{wait:?}");
}

/// Makes the receiver of a pointer hang, which this process knows from its other webhooks.
fn hang(world: &World, pointer: DeliveryPointer) {
    for _ in 0..3 {
        let hung = Duration::from_secs(10);
        world
            .receivers
            .record(pointer.group, hung, false, world.now());
    }
}

#[test]
fn attempt_to_a_receiver_that_is_down_is_left_out_and_spends_no_step() {
    let world = World::new();
    let id = world.verified();
    let pointer = world.next_pointer().unwrap();
    hang(&world, pointer);
    world.deliver(pointer).unwrap();
    assert!(world.receiver.arrived().is_empty());
    let left_out = delivery(&world, id).attempts[0].result;
    assert_eq!(
        left_out,
        AttemptResult::NoAnswer(FailureReason::ReceiverDown)
    );
    let wait = wait_of(&world, id);
    assert!(wait <= Duration::from_secs(36), "{wait:?}");
    world.pass(wait);
    world.receiver.will_answer([status(500)]);
    world.deliver(world.next_pointer().unwrap()).unwrap();
    assert_eq!(world.receiver.arrived().len(), 1);
    // Its first failure: the schedule begins.
    let wait = wait_of(&world, id);
    assert!(wait <= Duration::from_millis(2400), "{wait:?}");
}

#[test]
fn webhook_to_a_receiver_that_stays_down_is_given_up() {
    let world = World::new();
    let id = world.verified();
    let began = world.now();
    while let Progress::Pending { due_at, .. } = delivery(&world, id).progress {
        let pointer = world.next_pointer().unwrap_or_else(|| {
            world.pass(due_at.since(world.now()));
            assert_eq!(world.sweep().unwrap(), 1);
            world.next_pointer().unwrap()
        });
        hang(&world, pointer);
        world.deliver(pointer).unwrap();
    }
    assert!(world.receiver.arrived().is_empty());
    assert_eq!(delivery(&world, id).attempts_claimed, 24);
    let took = world.now().since(began);
    assert!(took < Duration::from_hours(30), "{took:?}");
    assert!(matches!(
        delivery(&world, id).progress,
        Progress::Failed { .. }
    ));
}

#[test]
fn attempt_of_a_crashed_dispatcher_is_repeated_by_the_sweep() {
    let world = World::new();
    let id = world.verified();
    let pointer = world.next_pointer().unwrap();
    // The dispatcher claimed the attempt and then crashed.
    now_or_never(
        world
            .store
            .claim(id.into(), pointer.attempts_claimed, world.now()),
    )
    .unwrap();
    world.pass(Duration::from_mins(1));
    assert_eq!(world.sweep().unwrap(), 1);
    world.deliver(world.next_pointer().unwrap()).unwrap();
    assert_eq!(delivery(&world, id).attempts[0].number, 2);
    assert!(matches!(
        delivery(&world, id).progress,
        Progress::Delivered { .. }
    ));
}

#[test]
fn beginning_of_the_latest_refusal_is_kept() {
    let world = World::new();
    let id = world.verified();
    let refused = |status, beginning: &str| SendOutcome::Answered {
        status,
        retry_after: None,
        beginning: beginning.to_owned(),
    };
    world.receiver.will_answer([
        refused(500, "no database"),
        refused(502, ""),
        refused(404, "unknown"),
        refused(200, "thank you"),
    ]);
    for kept in [Some((1, "no database")), None, Some((3, "unknown")), None] {
        world.deliver(world.next_pointer().unwrap()).unwrap();
        let refusal = delivery(&world, id).refusal;
        let found = refusal
            .as_ref()
            .map(|refusal| (refusal.attempt, refusal.body.as_str()));
        assert_eq!(found, kept);
    }
}
