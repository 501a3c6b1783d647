//! Properties of confirmations under any sequence of events.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::app::refused_types::{RefusableType, RefusedTypes};
use crate::app::senders::Recipient;
use crate::app::whatsapp::WhatsAppNumber;
use crate::confirmation::carrier::CarrierName;
use crate::confirmation::miss::{LastMiss, MissReason, UnusableText};
use crate::confirmation::{Flow, Idempotency, Redactable, State, Status, TextFingerprint, webhook};
use crate::delivery::transitions::{HasDelivery as _, claim, postpone, settle};
use crate::delivery::{
    Attempt, AttemptResult, ClaimOutcome, Decision, FailureReason, MAX_RETRY_WINDOW, Progress,
    SWEEP_LEASE, SettledAttempt, Settlement,
};
use crate::hourly::{Hour, Step as Count, confirmation_steps};
use crate::primitives::canonical_json::CanonicalObject;
use crate::primitives::idempotency::RequestHash;
use crate::primitives::ids::{AppId, ConfirmationId};
use crate::primitives::phone::PhoneNumber;
use crate::web::callback_url::{CallbackPolicy, CallbackUrl};

const RETENTION: Duration = Duration::from_hours(1);

/// An event that may change the item.
#[derive(Clone, Debug)]
enum Step {
    Wait(u64),
    Create,
    Verify { sender: u8, text: u8, route: u8 },
    RecordMiss { unusable: UnusableText },
    DecideCarrier { name: u8 },
    Cancel { own: bool },
    Redact { own: bool },
    Redeliver { own: bool },
    Claim { behind: u32 },
    Settle { behind: u32, settlement: u8 },
    Postpone { seen: bool },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        prop_oneof![
            Just(1),
            0..50_u64,
            Just(30_000),
            Just(300_000),
            0..40_000_000_u64
        ]
        .prop_map(Step::Wait),
        Just(Step::Create),
        (0..3_u8, 0..3_u8, 0..3_u8).prop_map(|(sender, text, route)| Step::Verify {
            sender,
            text,
            route,
        }),
        prop_oneof![
            Just(UnusableText::Sender),
            Just(UnusableText::NumberHidden),
            Just(UnusableText::Recipient)
        ]
        .prop_map(|unusable| Step::RecordMiss { unusable }),
        any::<bool>().prop_map(|own| Step::Cancel { own }),
        any::<bool>().prop_map(|own| Step::Redact { own }),
        any::<bool>().prop_map(|own| Step::Redeliver { own }),
        (0..2_u32).prop_map(|behind| Step::Claim { behind }),
        (0..2_u32, 0..3_u8).prop_map(|(behind, settlement)| Step::Settle { behind, settlement }),
        any::<bool>().prop_map(|seen| Step::Postpone { seen }),
        (0..3_u8).prop_map(|name| Step::DecideCarrier { name }),
    ]
}

/// Returns a number; the last one has a type that acquisitions refuse.
fn number(which: u8) -> PhoneNumber {
    let number = ["+12025550100", "+12025550101", "+18005550100"][usize::from(which)];
    PhoneNumber::parse_e164(number).unwrap()
}

/// Returns a number that a text was sent to: over a mobile network, or on WhatsApp at the
/// confirmation's own number or a different one.
fn route(which: u8) -> InboundRoute {
    match which {
        0 => InboundRoute::Sms,
        which => InboundRoute::WhatsApp(on_whatsapp(which)),
    }
}

fn on_whatsapp(which: u8) -> WhatsAppNumber {
    format!("+1202555017{which}")
        .parse::<WhatsAppNumber>()
        .unwrap()
}

fn app(own: bool) -> AppId {
    (if own { "demo" } else { "other" })
        .parse::<AppId>()
        .unwrap()
}

#[test]
fn item_counts_as_absent_from_its_purge_on() {
    let item = opened(Timestamp::from_millis(1_767_323_045_678), false);
    let (app, end) = (item.app.clone(), item.purge_at);
    let last = Timestamp::from_millis(end.as_millis() - 1);
    let outcome = |now| cancel(Some(item.clone()), Scope::live(&app), now).outcome;
    assert_eq!(outcome(last), CancelOutcome::Ended(Status::Expired));
    assert_eq!(outcome(end), CancelOutcome::Unknown);
    let redacted = |now| redact(Some(item.clone()), Scope::live(&app), now).outcome;
    assert_eq!(redacted(item.created_at), RedactOutcome::Open);
    assert!(matches!(redacted(last), RedactOutcome::Redacted(_)));
    assert_eq!(redacted(end), RedactOutcome::Unknown);
}

fn opened(now: Timestamp, confirmation: bool) -> Confirmation {
    let url = "https://example.com/hook";
    Confirmation {
        id: ConfirmationId::from_bytes([7; 16]),
        app: app(true),
        flow: if confirmation {
            Flow::Confirmation {
                expected: Redactable::Present(number(0)),
            }
        } else {
            Flow::Acquisition
        },
        callback: CallbackUrl::parse(url, &CallbackPolicy::deployed()).ok(),
        metadata: Redactable::Present(CanonicalObject::empty()),
        send_to: "+12025550199".parse::<Recipient>().unwrap(),
        whatsapp: Some(on_whatsapp(1)),
        created_at: now,
        expires_at: now.plus(Duration::from_mins(5)),
        idempotency: Some(Idempotency {
            request: RequestHash::new("/acquire-phone-number", b"{}"),
            message: "CS-{code}".to_owned(),
        }),
        state: State::Open { last_miss: None },
        test: false,
        refused_types: if confirmation {
            RefusedTypes::default()
        } else {
            RefusedTypes::from_iter(["toll_free".parse::<RefusableType>().unwrap()])
        },
        webhook_details: false,
        client: None,
        openid: None,
        redacted_at: None,
        purge_at: now.plus(Duration::from_hours(24)),
    }
}

/// Applies a step and returns the written item, if any.
fn take(
    step: &Step,
    current: Option<&Confirmation>,
    now: Timestamp,
    confirmation: bool,
) -> Option<Confirmation> {
    let current_item = current.cloned();
    let claimed = current
        .and_then(Confirmation::delivery)
        .map_or(0, |delivery| delivery.attempts_claimed);
    match step {
        Step::Wait(_) => None,
        Step::Create => create(current_item, opened(now, confirmation), now).write,
        Step::Verify {
            sender,
            text,
            route: which,
        } => {
            let evidence = TextEvidence {
                from: number(*sender),
                provider: "generic".to_owned(),
                route: route(*which),
                carrier: if *text == 0 {
                    CarrierName::default()
                } else {
                    CarrierName::from_text("Acme")
                },
                text: TextFingerprint::from_bytes([*text; 16]),
            };
            verify(current_item, &evidence, now, RETENTION).write
        }
        Step::RecordMiss { unusable } => record_miss(current_item, *unusable, None, now).write,
        Step::DecideCarrier { name } => {
            let name = CarrierName::from_text(["", "A", "B"][usize::from(*name) % 3]);
            decide_carrier(current_item, &name, now).write
        }
        Step::Cancel { own } => cancel(current_item, Scope::live(&app(*own)), now).write,
        Step::Redact { own } => redact(current_item, Scope::live(&app(*own)), now).write,
        Step::Redeliver { own } => {
            redeliver(current_item, Scope::live(&app(*own)), now, RETENTION).write
        }
        Step::Claim { behind } => claim(current_item, claimed.saturating_sub(*behind), now).write,
        Step::Settle { behind, settlement } => {
            let at = now.plus(Duration::from_secs(2));
            let settled = SettledAttempt {
                attempt: Attempt {
                    number: claimed.saturating_sub(*behind),
                    at: now,
                    duration: Duration::ZERO,
                    result: if *settlement == 0 {
                        AttemptResult::Answered(204)
                    } else {
                        AttemptResult::NoAnswer(FailureReason::TimedOut)
                    },
                },
                signature: None,
                refusal: None,
                settlement: match settlement {
                    0 => Settlement::Delivered,
                    1 => Settlement::Retry {
                        at,
                        due_at: at.plus(SWEEP_LEASE),
                    },
                    _ => Settlement::Failed,
                },
            };
            settle(current_item, settled, now, RETENTION).write
        }
        Step::Postpone { seen } => {
            let due_at = current.and_then(Confirmation::due_at).unwrap_or(now);
            let seen_due_at = if *seen {
                due_at
            } else {
                due_at.plus(Duration::from_millis(1))
            };
            postpone(current_item, seen_due_at, now).write
        }
    }
}

/// Checks the relation between an item and the result of a step.
fn check(step: &Step, before: Option<&Confirmation>, after: &Confirmation, now: Timestamp) {
    if let Some(redacted_at) = after.redacted_at {
        assert!(redacted_at <= now);
        assert_eq!(after.metadata, Redactable::Redacted);
        assert_eq!(webhook::webhook_body(after), None);
        if let Flow::Confirmation { expected } = &after.flow {
            assert_eq!(*expected, Redactable::Redacted);
        }
    } else if after.verified().is_some() {
        assert!(
            webhook::webhook_body(after).is_some(),
            "a pending webhook has a body"
        );
    }
    let Some(before) = before.filter(|item| now < item.purge_at) else {
        assert!(
            matches!(step, Step::Create),
            "only a creation writes where there was nothing"
        );
        return;
    };
    assert!(!matches!(step, Step::Create), "a creation never overwrites");
    assert_eq!(
        (before.id, &before.app, &before.callback),
        (after.id, &after.app, &after.callback)
    );
    assert_eq!(before.created_at, after.created_at);
    assert_eq!(before.expires_at, after.expires_at);
    assert!(
        before.purge_at <= after.purge_at,
        "nothing shortens an item's life"
    );
    match (before.verified(), after.verified()) {
        (None, Some(verified)) => {
            assert!(
                matches!(step, Step::Verify { route: 0..=1, .. }),
                "another number on WhatsApp never counts"
            );
            assert!(now < before.expires_at, "a late text verifies nothing");
            assert_eq!(verified.at, now);
            if let Flow::Confirmation { expected } = &before.flow {
                assert_eq!(
                    *expected, verified.phone_number,
                    "only the expected sender counts"
                );
            }
            assert_ne!(
                verified.phone_number,
                Redactable::Present(number(2)),
                "no number of a refused type counts"
            );
            assert!(
                after.due_at().is_some(),
                "the same write makes the webhook pending"
            );
        }
        (Some(_), None) => panic!("a verified confirmation stays verified"),
        (Some(_), Some(_)) => check_verified(step, before, after),
        (None, None) => {
            let cancels = matches!(step, Step::Cancel { .. });
            let texts = matches!(step, Step::Verify { .. } | Step::RecordMiss { .. });
            assert!(cancels || texts || matches!(step, Step::Redact { .. }));
            if texts {
                check_miss(before, after, now);
            } else if !cancels {
                assert_eq!(before.last_miss(), after.last_miss());
            }
            if cancels {
                assert_eq!(
                    before.status(now),
                    Status::Open,
                    "only an open confirmation can be cancelled"
                );
            }
        }
    }
    if let Step::Cancel { own } | Step::Redact { own } | Step::Redeliver { own } = step {
        assert!(own, "another app's call changes nothing");
    }
}

/// Checks that a text recorded the first miss, and changed nothing else.
fn check_miss(before: &Confirmation, after: &Confirmation, now: Timestamp) {
    assert_eq!(before.last_miss(), None, "the first miss stays");
    assert_eq!(before.redacted_at, None, "redacted data stays as it is");
    let miss = after.last_miss().unwrap();
    assert_eq!(miss.at(), now);
    let expired = before.status(now) == Status::Expired;
    assert_eq!(miss.reason() == MissReason::Late, expired);
    if miss.reason() == MissReason::NumberTypeRefused {
        assert_eq!(before.flow, Flow::Acquisition);
    }
    let mut expected = before.clone();
    expected.state = after.state.clone();
    assert_eq!(*after, expected, "nothing prolongs its life");
}

/// Checks the relation between a verified item and the result of a step.
fn check_verified(step: &Step, before: &Confirmation, after: &Confirmation) {
    let (Some(was), Some(is)) = (before.verified(), after.verified()) else {
        return;
    };
    assert_eq!(
        (was.at, was.text),
        (is.at, is.text),
        "the first valid text wins"
    );
    assert!(was.phone_number == is.phone_number || after.redacted_at.is_some());
    if was.carrier != is.carrier && after.redacted_at.is_none() {
        assert!(matches!(step, Step::DecideCarrier { .. }));
        assert!(was.awaits_carrier(), "every attempt sends the same body");
    }
    let (Some(was), Some(is)) = (&was.delivery, &is.delivery) else {
        panic!("every confirmation here has a webhook");
    };
    let claims = u32::from(matches!(step, Step::Claim { .. }));
    assert_eq!(is.attempts_claimed, was.attempts_claimed + claims);
    if claims == 1 {
        assert_eq!(
            before.due_at(),
            after.due_at(),
            "a claim does not change the due index"
        );
    }
    if matches!(step, Step::Redact { .. }) {
        assert!(
            !was.is_pending(),
            "the data of a pending webhook is not erased"
        );
    }
    if matches!(step, Step::Settle { .. }) {
        let settled = is.attempts.last().map(|attempt| attempt.number);
        assert_eq!(
            settled,
            Some(was.attempts_claimed),
            "only the latest claim settles"
        );
    }
    if was.is_pending() && !is.is_pending() {
        assert!(
            matches!(step, Step::Settle { .. }),
            "only an attempt ends a delivery"
        );
    }
    if !was.is_pending() && is.is_pending() {
        assert!(matches!(step, Step::Redeliver { own: true }));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn invariants_hold_over_any_sequence_of_steps(
        confirmation: bool,
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let mut now = Timestamp::from_millis(1_767_323_045_678);
        let mut item = Some(opened(now, confirmation));
        for step in &steps {
            if let Step::Wait(millis) = step {
                now = now.plus(Duration::from_millis(*millis));
            }
            if let Some(written) = take(step, item.as_ref(), now, confirmation) {
                check(step, item.as_ref(), &written, now);
                item = Some(written);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn each_step_is_counted_once(
        confirmation: bool,
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let mut now = Timestamp::from_millis(1_767_323_045_678);
        let (mut item, mut counted) = (None::<Confirmation>, BTreeMap::new());
        let (mut was_texted, mut was_delivered) = (false, false);
        for step in std::iter::once(&Step::Create).chain(&steps) {
            if let Step::Wait(millis) = step {
                now = now.plus(Duration::from_millis(*millis));
            }
            let Some(written) = take(step, item.as_ref(), now, confirmation) else {
                continue;
            };
            let before = item.as_ref().filter(|item| now < item.purge_at);
            if before.is_none() {
                counted.clear();
                (was_texted, was_delivered) = (false, false);
            }
            for one in confirmation_steps(before, &written) {
                prop_assert_eq!(one.hour, Hour::of(now));
                *counted.entry(one.step).or_insert(0) += 1;
            }
            was_texted |= written.last_miss().is_some() || written.verified().is_some();
            let delivery = written.delivery();
            was_delivered |= delivery.is_some_and(|it| matches!(it.progress, Progress::Delivered { .. }));
            // A walk over stored items finds the same steps, except a miss that a later text replaced.
            let listed: BTreeSet<Count> =
                confirmation_steps(None, &written).iter().map(|one| one.step).collect();
            prop_assert!(listed.iter().all(|step| counted.contains_key(step)));
            item = Some(written);
        }
        let item = item.unwrap();
        let mut expected = BTreeMap::from([(Count::Started, 1)]);
        expected.extend(was_texted.then_some((Count::Texted, 1)));
        expected.extend(item.verified().map(|_| (Count::Verified, 1)));
        expected.extend(was_delivered.then_some((Count::Delivered, 1)));
        prop_assert_eq!(counted, expected);
    }
}

/// Returns why a text for the app's confirmation was refused.
fn refusal_of(decision: &Decision<Confirmation, VerifyOutcome>) -> Option<VerifyRefusal> {
    match &decision.outcome {
        VerifyOutcome::Refused { refusal, missed } => missed.is_some().then_some(*refusal),
        VerifyOutcome::Verified { .. } | VerifyOutcome::Repeated { .. } => None,
    }
}

#[test]
fn expiry_is_exact_to_the_millisecond() {
    let now = Timestamp::from_millis(1_000_000);
    let item = opened(now, false);
    let evidence = TextEvidence {
        from: number(0),
        provider: "generic".to_owned(),
        route: InboundRoute::Sms,
        carrier: CarrierName::default(),
        text: TextFingerprint::from_bytes([1; 16]),
    };
    let last = Timestamp::from_millis(item.expires_at.as_millis() - 1);
    let at_last = verify(Some(item.clone()), &evidence, last, RETENTION);
    assert!(matches!(at_last.outcome, VerifyOutcome::Verified { .. }));
    let late = verify(Some(item.clone()), &evidence, item.expires_at, RETENTION);
    assert_eq!(refusal_of(&late), Some(VerifyRefusal::Expired));
    let miss = late.write.and_then(|item| item.last_miss());
    assert_eq!(miss.map(LastMiss::reason), Some(MissReason::Late));
}

#[test]
fn number_on_whatsapp_is_compared_before_the_sender_and_after_the_expiry() {
    let now = Timestamp::from_millis(1_000_000);
    let item = opened(now, true);
    let text = |sender, which| TextEvidence {
        from: number(sender),
        provider: "generic".to_owned(),
        route: route(which),
        carrier: CarrierName::default(),
        text: TextFingerprint::from_bytes([1; 16]),
    };
    let (own, other) = (1, 2);
    let none_named = Confirmation {
        whatsapp: None,
        ..item.clone()
    };
    let recipient = (VerifyRefusal::WrongRecipient, MissReason::WrongRecipient);
    let sender = (VerifyRefusal::WrongSender, MissReason::WrongSender);
    let late = (VerifyRefusal::Expired, MissReason::Late);
    for (item, text, at, (refusal, reason)) in [
        (&item, text(0, other), now, recipient),
        (&item, text(1, other), now, recipient),
        (&item, text(1, own), now, sender),
        (&none_named, text(0, own), now, recipient),
        (&none_named, text(0, own), item.expires_at, late),
    ] {
        let refused = verify(Some(item.clone()), &text, at, RETENTION);
        assert_eq!(refusal_of(&refused), Some(refusal));
        let miss = refused.write.and_then(|item| item.last_miss());
        assert_eq!(miss.map(LastMiss::reason), Some(reason));
    }
    let verified = verify(Some(item), &text(0, own), now, RETENTION);
    assert!(matches!(verified.outcome, VerifyOutcome::Verified { .. }));
}

/// A receiver may request waits beyond the horizon. The sweep finds such an attempt up to a minute
/// late, and its queue may be long, so only the retention decides how long the item is kept.
#[test]
fn attempt_beyond_the_horizon_can_be_made_late() {
    let now = Timestamp::from_millis(1_767_323_045_678);
    let evidence = TextEvidence {
        from: number(0),
        provider: "generic".to_owned(),
        route: InboundRoute::Sms,
        carrier: CarrierName::default(),
        text: TextFingerprint::from_bytes([1; 16]),
    };
    let none = Duration::ZERO;
    let verified = verify(Some(opened(now, false)), &evidence, now, none).write;
    let claimed = claim(verified, 0, now).write;
    let at = now.plus(MAX_RETRY_WINDOW);
    let settled = SettledAttempt {
        attempt: Attempt {
            number: 1,
            at: now,
            duration: Duration::ZERO,
            result: AttemptResult::Answered(503),
        },
        signature: None,
        refusal: None,
        settlement: Settlement::Retry { at, due_at: at },
    };
    let item = settle(claimed, settled, now, none).write;
    let late = claim(item, 1, at.plus(Duration::from_mins(59)));
    assert!(matches!(late.outcome, ClaimOutcome::Claimed(_)));
}
