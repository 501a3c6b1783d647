//! Properties of the delivery of any item under any sequence of events.

use proptest::prelude::*;

use super::super::{
    Attempt, AttemptResult, CLAIM_LEASE, CLAIM_TOLERANCE, MAX_KEPT_ATTEMPTS, SWEEP_LEASE,
    WebhookBody,
};
use super::*;
use crate::primitives::ids::{LoginId, LoginKind, WebhookId};

const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);
const RETENTION: Duration = Duration::from_hours(1);
const ID: LoginId = LoginId::from_bytes(LoginKind::Plain, [7; 16]);

/// An item that consists only of a delivery.
#[derive(Clone, Debug, PartialEq)]
struct Item {
    app: AppId,
    callback: CallbackUrl,
    delivery: Option<Delivery>,
    /// True if the item keeps the delivery when it ends.
    keeps: bool,
    purge_at: Timestamp,
}

impl Item {
    fn pending(now: Timestamp, keeps: bool) -> Self {
        Self {
            app: "demo".parse::<AppId>().unwrap(),
            callback: CallbackUrl::from_stored("https://example.com/hook").unwrap(),
            delivery: Some(Delivery::pending(now)),
            keeps,
            purge_at: now.plus(Duration::from_hours(28)),
        }
    }
}

impl HasDelivery for Item {
    fn subject(&self) -> DeliverySubject {
        ID.into()
    }

    fn app(&self) -> &AppId {
        &self.app
    }

    fn callback(&self) -> Option<&CallbackUrl> {
        Some(&self.callback)
    }

    fn purge_at(&self) -> Timestamp {
        self.purge_at
    }

    fn delivery(&self) -> Option<&Delivery> {
        self.delivery.as_ref()
    }

    fn delivery_mut(&mut self) -> Option<&mut Delivery> {
        self.delivery.as_mut()
    }

    fn claimed(&self) -> Option<ClaimedDelivery> {
        Some(ClaimedDelivery {
            app: self.app().clone(),
            webhook_id: WebhookId::for_login(&ID),
            callback: self.callback.clone(),
            body: Some(WebhookBody::new("{}")),
            delivery: self.delivery.clone()?,
            verified_at: None,
            country: None,
            provider: None,
            undecided_carrier: None,
            watcher: None,
            test: None,
        })
    }

    fn settled(&mut self, settlement: Settlement, _: Timestamp, retention: Duration) {
        match settlement {
            Settlement::Retry { at, .. } | Settlement::Reschedule { at, .. } => {
                self.purge_at = self.purge_at.max(at.plus(retention));
            }
            Settlement::Delivered | Settlement::Failed if self.keeps => {}
            Settlement::Delivered | Settlement::Failed => self.delivery = None,
        }
    }
}

fn settled(
    item: Option<Item>,
    number: u32,
    settlement: Settlement,
    now: Timestamp,
) -> Decision<Item, SettleOutcome> {
    let attempt = Attempt {
        number,
        at: now,
        duration: Duration::ZERO,
        result: AttemptResult::Answered(500),
    };
    let settled = SettledAttempt {
        attempt,
        signature: None,
        refusal: None,
        settlement,
    };
    settle(item, settled, now, RETENTION)
}

/// An event that may change the item.
#[derive(Clone, Debug)]
enum Step {
    Wait(u64),
    Claim { behind: u32 },
    Settle { behind: u32, settlement: u8 },
    Postpone { seen: bool },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        prop_oneof![Just(1), Just(2_000), Just(30_000), 0..40_000_000_u64].prop_map(Step::Wait),
        (0..2_u32).prop_map(|behind| Step::Claim { behind }),
        (0..2_u32, 0..6_u8).prop_map(|(behind, settlement)| Step::Settle { behind, settlement }),
        any::<bool>().prop_map(|seen| Step::Postpone { seen }),
    ]
}

fn delivery(item: &Item) -> &Delivery {
    item.delivery.as_ref().unwrap()
}

/// Claims, and checks the decision against the item's previous state.
fn check_claim(before: &Item, attempts_claimed: u32, now: Timestamp) -> Option<Item> {
    let Decision { outcome, write } = claim(Some(before.clone()), attempts_claimed, now);
    let (claimed, after) = match (outcome, write) {
        (ClaimOutcome::Claimed(claimed), Some(after)) => (claimed, after),
        (ClaimOutcome::Stale, None) => return None,
        (outcome, write) => panic!("{outcome:?} with {write:?}"),
    };
    let (was, is) = (delivery(before), delivery(&after));
    assert_eq!(claimed.delivery, *is, "the dispatcher gets what is stored");
    assert_eq!(was.attempts_claimed, attempts_claimed, "the next attempt");
    assert_eq!(is.attempts_claimed, attempts_claimed + 1);
    assert!(!was.is_in_flight(now), "one attempt at a time");
    assert!(is.is_in_flight(now));
    assert_eq!(before.due(), after.due(), "a claim leaves the index alone");
    assert_eq!(before.purge_at, after.purge_at);
    Some(after)
}

/// Settles, and checks the decision against the item's previous state.
fn check_settle(
    before: &Item,
    number: u32,
    settlement: Settlement,
    now: Timestamp,
) -> Option<Item> {
    let Decision { outcome, write } = settled(Some(before.clone()), number, settlement, now);
    let (pointer, after) = match (outcome, write) {
        (SettleOutcome::Settled { pointer }, Some(after)) => (pointer, after),
        (SettleOutcome::Superseded, None) => return None,
        (outcome, write) => panic!("{outcome:?} with {write:?}"),
    };
    let claimed = delivery(before).attempts_claimed;
    assert_eq!(claimed, number, "only the latest claim settles");
    assert_eq!(pointer, after.pointer());
    let follows = matches!(
        settlement,
        Settlement::Retry { .. } | Settlement::Reschedule { .. }
    );
    assert_eq!(pointer.is_some(), follows, "a pointer to the next attempt");
    assert_eq!(after.due().is_some(), follows, "in the index while pending");
    let next = after.next_attempt();
    assert_eq!(next.map(|next| next.pointer), pointer);
    if let (Some(next), Settlement::Retry { at, .. }) = (next, settlement) {
        assert_eq!(next.at, at);
    }
    assert_eq!(after.delivery.is_some(), follows || after.keeps);
    if let Some(delivery) = &after.delivery {
        let last = delivery.attempts.last().map(|attempt| attempt.number);
        assert_eq!(last, Some(number));
        assert!(delivery.attempts.len() <= MAX_KEPT_ATTEMPTS);
    }
    assert!(before.purge_at <= after.purge_at);
    Some(after)
}

/// Postpones, and checks the decision against the item's previous state.
fn check_postpone(before: &Item, seen: Timestamp, now: Timestamp) -> Option<Item> {
    let Decision { outcome, write } = postpone(Some(before.clone()), seen, now);
    let (pointer, after) = match (outcome, write) {
        (PostponeOutcome::Postponed(pointer), Some(after)) => (pointer, after),
        (PostponeOutcome::Superseded, None) => return None,
        (outcome, write) => panic!("{outcome:?} with {write:?}"),
    };
    assert_eq!(
        Some(pointer),
        before.pointer(),
        "the attempt stays the same"
    );
    assert_eq!(before.due_at(), Some(seen));
    assert_eq!(after.due_at(), Some(now.plus(SWEEP_LEASE)));
    let in_flight = |item: &Item| delivery(item).is_in_flight(now);
    assert_eq!(in_flight(before), in_flight(&after), "the attempt goes on");
    Some(after)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn delivery_stays_consistent_over_any_sequence_of_steps(
        keeps: bool,
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let (mut now, mut item) = (NOW, Item::pending(NOW, keeps));
        for step in steps {
            let claimed = item.delivery().map_or(0, |delivery| delivery.attempts_claimed);
            let written = match step {
                Step::Wait(millis) => {
                    now = now.plus(Duration::from_millis(millis));
                    None
                }
                Step::Claim { behind } => check_claim(&item, claimed.saturating_sub(behind), now),
                Step::Settle { behind, settlement } => {
                    let at = now.plus(Duration::from_secs(2));
                    let settlement = match settlement {
                        0 => Settlement::Delivered,
                        1 => Settlement::Failed,
                        _ => Settlement::Retry { at, due_at: at.plus(SWEEP_LEASE) },
                    };
                    check_settle(&item, claimed.saturating_sub(behind), settlement, now)
                }
                Step::Postpone { seen } => {
                    let off = Duration::from_millis(u64::from(!seen));
                    let seen = item.due_at().unwrap_or(now).plus(off);
                    check_postpone(&item, seen, now)
                }
            };
            let live = now < item.purge_at;
            prop_assert!(written.is_none() || live, "deleted items stay deleted");
            item = written.unwrap_or(item);
        }
    }
}

#[test]
fn missing_and_expired_items_are_refused() {
    let expired = Item::pending(NOW, true);
    let now = expired.purge_at;
    for item in [None, Some(expired)] {
        let refused = claim(item.clone(), 0, now);
        assert_eq!(refused, Decision::refuse(ClaimOutcome::Stale));
        let refused = settled(item.clone(), 0, Settlement::Delivered, now);
        assert_eq!(refused, Decision::refuse(SettleOutcome::Superseded));
        let refused = postpone(item, NOW.plus(SWEEP_LEASE), now);
        assert_eq!(refused, Decision::refuse(PostponeOutcome::Superseded));
    }
}

#[test]
fn attempt_of_a_dead_dispatcher_can_be_claimed_after_its_lease() {
    let claimed = claim(Some(Item::pending(NOW, true)), 0, NOW).write;
    let lease_ends = NOW.plus(CLAIM_LEASE);
    let early = Timestamp::from_millis(lease_ends.as_millis() - 1);
    for (attempts_claimed, now) in [(1, early), (0, lease_ends)] {
        let outcome = claim(claimed.clone(), attempts_claimed, now).outcome;
        assert_eq!(outcome, ClaimOutcome::Stale);
    }
    let outcome = claim(claimed, 1, lease_ends).outcome;
    assert!(matches!(outcome, ClaimOutcome::Claimed(_)));
}

#[test]
fn attempt_cannot_be_claimed_before_its_time() {
    let claimed = claim(Some(Item::pending(NOW, true)), 0, NOW).write;
    // While the attempt is in progress, the sweep creates a pointer to the next one.
    let swept = postpone(claimed, NOW.plus(SWEEP_LEASE), NOW);
    let PostponeOutcome::Postponed(pointer) = swept.outcome else {
        panic!("it is due");
    };
    let at = NOW.plus(Duration::from_hours(3));
    let retry = Settlement::Retry { at, due_at: at };
    let item = settled(swept.write, 1, retry, NOW).write;
    let tolerance = u64::try_from(CLAIM_TOLERANCE.as_millis()).unwrap();
    let earliest = Timestamp::from_millis(at.as_millis() - tolerance);
    let too_early = Timestamp::from_millis(earliest.as_millis() - 1);
    for early in [NOW, too_early] {
        let outcome = claim(item.clone(), pointer.attempts_claimed, early).outcome;
        assert_eq!(outcome, ClaimOutcome::Stale);
    }
    for in_time in [earliest, at] {
        let outcome = claim(item.clone(), pointer.attempts_claimed, in_time).outcome;
        assert!(matches!(outcome, ClaimOutcome::Claimed(_)));
    }
}
