//! Properties of logins under any sequence of events.

use std::time::Duration;

use proptest::prelude::*;

use super::samples::{NOW, answer, app, browser_token, created, phone};
use super::*;
use crate::login::risk::{Flag, RiskStatus};
use crate::login::{BlockReason, MAX_WATCHERS, Status, WatcherId};

/// An event that may change the item.
#[derive(Clone, Debug)]
enum Step {
    Wait(u64),
    Create,
    Initiate {
        phone: u8,
        own_app: bool,
        denied: bool,
    },
    Confirm {
        phone: u8,
        payload: u8,
    },
    Deny {
        phone: u8,
    },
    Redeem {
        browser: u8,
    },
    Cancel {
        browser: u8,
    },
    Attach {
        browser: u8,
        watcher: u8,
    },
    Detach {
        watcher: u8,
    },
}

fn step() -> impl Strategy<Value = Step> {
    // Mostly the right one.
    let browser = || prop_oneof![5 => Just(0_u8), 1 => Just(1_u8)];
    let phone = || prop_oneof![4 => Just(1_u8), 1 => Just(2_u8)];
    prop_oneof![
        2 => prop_oneof![
            Just(1),
            0..50_u64,
            Just(59_999),
            Just(60_000),
            Just(179_999),
            0..400_000_u64,
            Just(700_000),
        ]
        .prop_map(Step::Wait),
        1 => Just(Step::Create),
        3 => (phone(), prop::bool::weighted(0.9), prop::bool::weighted(0.2))
            .prop_map(|(phone, own_app, denied)| Step::Initiate { phone, own_app, denied }),
        3 => (phone(), 0..2_u8).prop_map(|(phone, payload)| Step::Confirm { phone, payload }),
        1 => phone().prop_map(|phone| Step::Deny { phone }),
        2 => browser().prop_map(|browser| Step::Redeem { browser }),
        1 => browser().prop_map(|browser| Step::Cancel { browser }),
        2 => (browser(), 0..9_u8).prop_map(|(browser, watcher)| Step::Attach { browser, watcher }),
        1 => (0..9_u8).prop_map(|watcher| Step::Detach { watcher }),
    ]
}

fn watcher(n: u8) -> WatcherId {
    format!("connection-{n}").parse::<WatcherId>().unwrap()
}

/// Applies a step; returns the item that it wrote and the payload that it returned, if any.
fn take(step: &Step, current: Option<Login>, now: Timestamp) -> (Option<Login>, Option<String>) {
    let write = match *step {
        Step::Wait(_) => None,
        Step::Create => create(current, created(now), now).write,
        Step::Initiate {
            phone: n,
            own_app,
            denied,
        } => {
            let flags: &[Flag] = if denied { &[Flag::BrowserTor] } else { &[] };
            let name = if own_app { "demo" } else { "other" };
            initiate(current, &app(name), phone(n, flags, now), now).write
        }
        Step::Confirm { phone, payload } => {
            let answer = answer(phone, &format!("payload {payload}"));
            confirm(current, answer, now).write
        }
        Step::Deny { phone } => deny(current, &answer(phone, "no"), now).write,
        Step::Redeem { browser } => {
            let decision = redeem(current, &browser_token(browser).hash(), now);
            if let RedeemOutcome::Redeemed { payload, .. } = &decision.outcome {
                return (decision.write, Some(payload.as_str().to_owned()));
            }
            decision.write
        }
        Step::Cancel { browser } => cancel(current, &browser_token(browser).hash(), now).write,
        Step::Attach {
            browser,
            watcher: n,
        } => attach_watcher(current, &browser_token(browser).hash(), watcher(n), now).write,
        Step::Detach { watcher: n } => detach_watcher(current, &watcher(n), now).write,
    };
    (write, None)
}

/// Returns whether one state may follow another.
fn may_follow(before: Status, after: Status) -> bool {
    use Status::{Blocked, Cancelled, Confirmed, Consumed, Created, Denied, Scanned};
    matches!(
        (before, after),
        (Created, Scanned | Cancelled)
            | (Scanned, Confirmed | Denied | Blocked | Cancelled)
            | (Confirmed, Consumed | Cancelled)
    )
}

/// Checks the relation between an item and the result of a step.
fn check(step: &Step, before: Option<&Login>, after: &Login, now: Timestamp) {
    assert!(after.watchers.len() <= MAX_WATCHERS);
    let Some(before) = before.filter(|item| now < item.purge_at) else {
        assert!(
            matches!(step, Step::Create),
            "only a creation writes where there was nothing"
        );
        return;
    };
    assert!(!matches!(step, Step::Create), "a creation never overwrites");
    let fixed = |item: &Login| Login {
        watchers: Vec::new(),
        state: created(now).state,
        purge_at: now,
        ..item.clone()
    };
    assert_eq!(
        fixed(before),
        fixed(after),
        "what was created stays as it was"
    );
    assert!(
        before.purge_at <= after.purge_at,
        "nothing shortens an item's life"
    );
    if let Some(phone) = before.phone() {
        assert_eq!(Some(phone), after.phone(), "the first phone stays");
    }
    if matches!(step, Step::Attach { .. } | Step::Detach { .. }) {
        assert_eq!(before.state, after.state);
        assert_ne!(before.watchers, after.watchers);
        return;
    }
    assert_eq!(before.watchers, after.watchers);
    let (was, is) = (before.status(now), after.status(now));
    assert!(may_follow(was, is), "{was:?} became {is:?}");
    check_step(step, before, after, now);
}

/// Checks that the step was allowed to its actor.
fn check_step(step: &Step, before: &Login, after: &Login, now: Timestamp) {
    let is_first =
        |n: u8| before.phone().map(|known| known.token) == Some(phone(n, &[], now).token);
    match *step {
        Step::Initiate { phone, own_app, .. } => {
            assert!(own_app, "another app's phone changes nothing");
            match &after.state {
                State::Scanned { .. } => assert!(before.phone().is_none()),
                State::Blocked { reason, .. } => {
                    assert_eq!(*reason, BlockReason::SecondPhone);
                    assert!(!is_first(phone), "a phone never blocks itself");
                }
                other => panic!("an initiate led to {other:?}"),
            }
        }
        Step::Confirm { phone, .. } => {
            assert!(
                is_first(phone),
                "only the phone that opened the login confirms"
            );
            let risk = after.phone().map(|phone| phone.risk.status());
            let forbidden = risk == Some(RiskStatus::Deny);
            let blocked = after.status(now) == Status::Blocked;
            assert_eq!(
                forbidden, blocked,
                "a deny verdict prevents the confirmation"
            );
        }
        Step::Deny { phone } => {
            assert!(
                is_first(phone),
                "only the phone that opened the login denies"
            );
            assert_eq!(after.status(now), Status::Denied);
        }
        Step::Redeem { browser } | Step::Cancel { browser } => {
            assert_eq!(browser, 0, "only the browser that created the login");
            let text = format!("{:?}", after.state);
            assert!(
                !text.contains("Payload {"),
                "the payload is no longer stored: {text}"
            );
        }
        _ => panic!("{step:?} changed the state"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn invariants_hold_over_any_sequence_of_steps(steps in proptest::collection::vec(step(), 1..60)) {
        let mut now = NOW;
        let mut item = Some(created(now));
        let mut confirmed: Option<String> = None;
        for step in &steps {
            if let Step::Wait(millis) = step {
                now = now.plus(Duration::from_millis(*millis));
            }
            let (written, redeemed) = take(step, item.clone(), now);
            if let Some(payload) = redeemed {
                prop_assert_eq!(Some(payload), confirmed.take(), "once, and as it was confirmed");
            }
            if let Some(written) = written {
                check(step, item.as_ref(), &written, now);
                if matches!(step, Step::Create) {
                    confirmed = None;
                }
                if let State::Confirmed { payload, at, .. } = &written.state
                    && *at == now
                    && matches!(step, Step::Confirm { .. })
                {
                    confirmed = Some(payload.as_str().to_owned());
                }
                item = Some(written);
            }
        }
    }
}
