//! Properties of logins under any sequence of events.

use std::time::Duration;

use proptest::prelude::*;

use super::samples::{
    NOW, answer, answer_of, app, browser, browser_token, denial, mobile, phone, plain, receipt,
    sealed, sealed_payload,
};
use super::*;
use crate::login::risk::{Flag, RiskStatus};
use crate::login::{
    BlockReason, BrowserBinding, CheckCode, DenyReason, Encryption, LoginCreator, MAX_WATCHERS,
    PhonePayload, RETENTION, Status,
};
use crate::primitives::watcher::WatcherId;

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
        mismatch: bool,
    },
    Redeem {
        browser: u8,
        receipt: u8,
        code: Option<u8>,
    },
    Cancel {
        browser: u8,
    },
    CheckCode {
        browser: u8,
        code: u8,
    },
    Expire {
        own_app: bool,
    },
    Attach {
        browser: u8,
        watcher: u8,
    },
    AttachPhone {
        phone: u8,
        watcher: u8,
    },
    Detach {
        watcher: u8,
    },
}

fn step() -> impl Strategy<Value = Step> {
    // The right browser in most cases.
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
        3 => (phone(), 0..3_u8).prop_map(|(phone, payload)| Step::Confirm { phone, payload }),
        1 => (phone(), prop::bool::weighted(0.3))
            .prop_map(|(phone, mismatch)| Step::Deny { phone, mismatch }),
        3 => (browser(), 0..2_u8, prop::option::weighted(0.8, CODE - 4..=CODE))
            .prop_map(|(browser, receipt, code)| Step::Redeem { browser, receipt, code }),
        1 => browser().prop_map(|browser| Step::Cancel { browser }),
        2 => (browser(), CODE - 4..=CODE)
            .prop_map(|(browser, code)| Step::CheckCode { browser, code }),
        1 => prop::bool::weighted(0.8).prop_map(|own_app| Step::Expire { own_app }),
        2 => (browser(), 0..9_u8).prop_map(|(browser, watcher)| Step::Attach { browser, watcher }),
        1 => (phone(), 0..9_u8).prop_map(|(phone, watcher)| Step::AttachPhone { phone, watcher }),
        1 => (0..9_u8).prop_map(|watcher| Step::Detach { watcher }),
    ]
}

fn watcher(n: u8) -> WatcherId {
    format!("connection-{n}").parse::<WatcherId>().unwrap()
}

/// The check code of every phone.
const CODE: u8 = 42;

/// The rules of a login, which never change.
#[derive(Clone, Copy)]
struct Rules {
    encryption: Encryption,
    requires_check_code: bool,
    /// True if the app's server opened the login with a test key.
    is_test_of_server: bool,
}

fn created(rules: Rules, now: Timestamp) -> Login {
    let item = match rules.encryption {
        Encryption::Plain => plain(now),
        Encryption::Sealed(_) => sealed(now),
    };
    let item = Login {
        requires_check_code: rules.requires_check_code,
        ..item
    };
    if !rules.is_test_of_server {
        return item;
    }
    Login {
        creator: LoginCreator::Server {
            context: None,
            user: None,
        },
        page_token: Some(browser_token(0).page_token().hash()),
        test: true,
        ..item
    }
}

fn code(number: u8) -> CheckCode {
    CheckCode::from_number(number).unwrap()
}

/// The payloads that phones send: two readable ones and a sealed one.
fn said(phone: u8, payload: u8) -> PhoneConfirmation {
    match payload {
        2 => answer_of(phone, sealed_payload()),
        n => answer(phone, &format!("payload {n}")),
    }
}

/// A payload that the browser got, and the receipt that it sent.
type Got = (PhonePayload, u8);

/// Applies a step; returns the item that it wrote and the payload that it returned, if any.
fn take(
    step: &Step,
    rules: Rules,
    current: Option<Login>,
    now: Timestamp,
) -> (Option<Login>, Option<Got>) {
    let write = match *step {
        Step::Wait(_) => None,
        Step::Create => create(current, created(rules, now), now).write,
        Step::Initiate {
            phone: n,
            own_app,
            denied,
        } => {
            let flags: &[Flag] = if denied { &[Flag::BrowserTor] } else { &[] };
            let name = if own_app { "demo" } else { "other" };
            let mut phone = phone(n, flags, now);
            phone.binding = rules
                .requires_check_code
                .then(|| BrowserBinding::CheckCode(code(CODE)));
            initiate(current, &app(name), phone, now).write
        }
        Step::Confirm { phone, payload } => confirm(current, said(phone, payload), now).write,
        Step::Deny { phone, mismatch } => {
            let mut denial = denial(phone, "no");
            denial.reason = mismatch.then_some(DenyReason::KeyMismatch);
            deny(current, denial, now).write
        }
        Step::Redeem {
            browser,
            receipt: n,
            code: sent,
        } => {
            let (browser, sent) = (browser_token(browser).hash(), sent.map(code));
            let decision = redeem(
                current,
                &browser,
                &receipt(n),
                sent.map(BrowserBinding::CheckCode),
                now,
            );
            let Ok(payload) = decision.outcome else {
                return (decision.write, None);
            };
            return (decision.write, Some((payload, n)));
        }
        Step::Cancel { browser } => cancel(current, &browser_token(browser).hash(), now).write,
        Step::CheckCode {
            browser,
            code: sent,
        } => {
            let page = browser_token(browser).page_token().hash();
            check_code(current, &page, code(sent), now).write
        }
        Step::Expire { own_app } => {
            let name = if own_app { "demo" } else { "other" };
            expire(current, &app(name), now).write
        }
        Step::Attach {
            browser: n,
            watcher: name,
        } => attach_watcher(current, &browser(n), watcher(name), now).write,
        Step::AttachPhone {
            phone: n,
            watcher: name,
        } => attach_watcher(current, &mobile(n), watcher(name), now).write,
        Step::Detach { watcher: n } => detach_watcher(current, &watcher(n), now).write,
    };
    (write, None)
}

/// Returns whether one state may follow another.
fn may_follow(before: Status, after: Status) -> bool {
    use Status::{Blocked, Cancelled, Confirmed, Consumed, Created, Denied, Expired, Scanned};
    matches!(
        (before, after),
        (Created, Scanned | Cancelled | Expired)
            | (Scanned, Confirmed | Denied | Blocked | Cancelled | Expired)
            | (
                Confirmed,
                Confirmed | Consumed | Blocked | Cancelled | Expired
            )
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
        state: plain(now).state,
        purge_at: now,
        ..item.clone()
    };
    assert_eq!(
        fixed(before),
        fixed(after),
        "what was created stays as it was"
    );
    assert_eq!(
        before.purge_at, after.purge_at,
        "only a webhook changes how long an item is kept"
    );
    assert!(after.expires_at().plus(RETENTION) <= after.purge_at);
    if let Some(phone) = before.phone() {
        assert_eq!(Some(phone), after.phone(), "the first phone stays");
    }
    if matches!(
        step,
        Step::Attach { .. } | Step::AttachPhone { .. } | Step::Detach { .. }
    ) {
        assert_eq!(before.state, after.state);
        assert_ne!(before.watchers, after.watchers);
        return;
    }
    assert_eq!(before.watchers, after.watchers);
    let (was, is) = (before.status(now), after.status(now));
    assert!(may_follow(was, is), "{was:?} became {is:?}");
    check_step(step, before, after, now);
}

/// Checks that the actor was allowed to take the step.
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
        Step::Deny { phone, mismatch } => {
            assert!(
                is_first(phone),
                "only the phone that opened the login denies"
            );
            let expected = if mismatch {
                Status::Blocked
            } else {
                Status::Denied
            };
            assert_eq!(after.status(now), expected);
            assert!(after.denial().is_some(), "the app's server can read it");
        }
        Step::Redeem { browser, code, .. } => {
            assert_eq!(browser, 0, "only the browser that created the login");
            if after.status(now) != Status::Consumed {
                assert!(after.requires_check_code && code.is_some_and(|code| code != CODE));
                check_miss(before, after);
                return;
            }
            assert!(
                !after.requires_check_code || code == Some(CODE),
                "only with the right code"
            );
            let is_sealed = after.encryption.key().is_some();
            assert_eq!(
                format!("{:?}", after.state).contains("Payload {"),
                is_sealed,
                "only a sealed payload is kept"
            );
        }
        Step::Cancel { browser } => {
            assert_eq!(browser, 0, "only the browser that created the login");
            let text = format!("{:?}", after.state);
            assert!(
                !text.contains("Payload {"),
                "the payload is no longer stored: {text}"
            );
        }
        Step::CheckCode { browser, code } => {
            assert_eq!(browser, 0, "only the page of the login");
            assert!(
                after.page_token.is_some() && after.requires_check_code,
                "a page takes nothing away from a browser that redeems"
            );
            if after.status(now) != Status::Consumed {
                assert_ne!(code, CODE);
                check_miss(before, after);
                return;
            }
            assert_eq!(code, CODE, "only with the right code");
            let text = format!("{:?}", after.state);
            assert!(!text.contains("Payload {"), "nobody redeems it: {text}");
        }
        Step::Expire { own_app } => {
            assert!(own_app && before.test, "only tests of the app");
            assert_eq!(after.status(now), Status::Expired);
        }
        _ => panic!("{step:?} changed the state"),
    }
}

/// Checks that a wrong code was counted once, and that the third one blocked the login.
fn check_miss(before: &Login, after: &Login) {
    let State::Confirmed { missed: was, .. } = &before.state else {
        panic!("a code was compared in {:?}", before.state);
    };
    match &after.state {
        State::Confirmed { missed, .. } => {
            assert_eq!(missed.tries_left() + 1, was.tries_left());
            assert!(missed.tries_left() > 0);
        }
        State::Blocked { reason, .. } => {
            assert_eq!(*reason, BlockReason::CheckCode);
            assert_eq!(was.tries_left(), 1);
        }
        other => panic!("a miss led to {other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn invariants_hold_over_any_sequence_of_steps(
        has_key: bool,
        requires_check_code: bool,
        is_test_of_server: bool,
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let mut now = NOW;
        let encryption = if has_key { sealed(now) } else { plain(now) }.encryption;
        let rules = Rules { encryption, requires_check_code, is_test_of_server };
        let mut item = Some(created(rules, now));
        let mut confirmed: Option<PhonePayload> = None;
        let mut redeemed: Option<u8> = None;
        for step in &steps {
            if let Step::Wait(millis) = step {
                now = now.plus(Duration::from_millis(*millis));
            }
            let (written, got) = take(step, rules, item.clone(), now);
            if let Some((payload, receipt)) = got {
                prop_assert_eq!(Some(&payload), confirmed.as_ref(), "as it was confirmed");
                prop_assert_eq!(payload.is_encrypted(), has_key);
                match redeemed {
                    None => prop_assert!(written.is_some(), "the first redemption is stored"),
                    Some(first) => {
                        prop_assert!(has_key, "a readable payload is answered once");
                        prop_assert_eq!(first, receipt, "the same receipt");
                    }
                }
                redeemed = Some(receipt);
            }
            if let Some(written) = written {
                check(step, item.as_ref(), &written, now);
                if matches!(step, Step::Create) {
                    (confirmed, redeemed) = (None, None);
                }
                if let State::Confirmed { payload, .. } = &written.state
                    && matches!(step, Step::Confirm { .. })
                {
                    confirmed = Some(payload.clone());
                }
                item = Some(written);
            }
        }
    }
}
