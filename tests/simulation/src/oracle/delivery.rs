//! Checks of changes to a delivery of any kind of item.

use std::time::Duration;

use countersign_domain::delivery::{
    ATTEMPTS_PER_ROUND, CLAIM_LEASE, CLAIM_TOLERANCE, Delivery, DeliverySubject, MAX_KEPT_ATTEMPTS,
    Progress, SWEEP_LEASE,
};
use countersign_domain::primitives::time::Timestamp;

use super::{Oracle, Promise};

/// Maximum delay of an attempt whose pointer was lost: the sweep looks for it after a lease, and runs
/// every minute.
const SOON: Duration = Duration::from_mins(3);

/// The history of one webhook.
#[derive(Debug, Default)]
pub(super) struct Posts {
    /// Number of claimed attempts.
    pub(super) claimed: u32,
    /// Number of times that the webhook reached the receiver.
    pub(super) posted: u32,
    /// Number of times that the receiver accepted it.
    pub(super) accepted: u32,
    /// True if the receiver ever gave an answer that makes retries pointless.
    pub(super) refused_for_good: bool,
    /// True if the receiver accepted the webhook since it last became pending, and its answer must
    /// have reached us.
    pub(super) heard: bool,
}

impl Oracle {
    pub(super) fn posts(&mut self, subject: DeliverySubject) -> &mut Posts {
        self.posts.entry(subject).or_default()
    }

    /// Checks a change of a delivery that was pending, and may still be.
    pub(super) fn delivery_changed(
        &mut self,
        id: DeliverySubject,
        was: &Delivery,
        is: &Delivery,
        now: Timestamp,
    ) {
        self.posts(id).claimed = is.attempts_claimed;
        self.redelivered(id, was, is);
        self.claims(id, was, is);
        self.attempts(id, was, is);
        if let Progress::Pending {
            next_attempt_at,
            due_at,
            ..
        } = is.progress
        {
            let soon = next_attempt_at.max(now).plus(SWEEP_LEASE + self.skew);
            if due_at > soon {
                self.broken(Promise::Found, format!("{id}: looked for at {due_at} only"));
            }
        }
    }

    /// Checks that a delivery that leaves no record may end now.
    pub(super) fn delivery_ended(&mut self, id: DeliverySubject, was: &Delivery) {
        let is_whole_round = was.attempts_claimed - was.round_began_at >= ATTEMPTS_PER_ROUND;
        let posts = self.posts(id);
        let may_end = posts.accepted > 0 || posts.refused_for_good || is_whole_round;
        let is_claimed = matches!(
            was.progress,
            Progress::Pending {
                claimed_at: Some(_),
                ..
            }
        );
        if !may_end || !is_claimed {
            self.broken(Promise::DecisionOwed, format!("{id}: dropped {was:?}"));
        }
    }

    /// Checks that an ended delivery only becomes pending again with a new round of attempts.
    fn redelivered(&mut self, id: DeliverySubject, was: &Delivery, is: &Delivery) {
        let new_round = is.round_began_at == is.attempts_claimed;
        if !was.is_pending() && is.is_pending() {
            self.posts(id).heard = false;
            if !new_round {
                self.broken(Promise::HistoryKept, format!("{id}: {is:?}"));
            }
        }
        if was.round_began_at != is.round_began_at {
            self.posts(id).heard = false;
        }
    }

    /// Checks that each attempt is claimed once, when it is due.
    fn claims(&mut self, id: DeliverySubject, was: &Delivery, is: &Delivery) {
        let claim_of = |delivery: &Delivery| match delivery.progress {
            Progress::Pending {
                next_attempt_at,
                claimed_at,
                ..
            } => Some((next_attempt_at, claimed_at)),
            _ => None,
        };
        let (number, next) = (was.attempts_claimed, is.attempts_claimed);
        let (before, after) = (claim_of(was), claim_of(is));
        if number == next {
            let held = before.and_then(|(_, claimed_at)| claimed_at);
            let settled = is.attempts.last() != was.attempts.last();
            match (held, after) {
                // A redelivery may replace an attempt only after its lease has expired.
                (Some(since), Some((at, None))) if !settled && at < since.plus(CLAIM_LEASE) => {
                    self.broken(Promise::OneAtATime, format!("{id}: broken off"));
                }
                (None, Some((_, Some(_)))) => {
                    self.broken(Promise::OneAtATime, format!("{id}: {number} claimed again"));
                }
                _ => {}
            }
            return;
        }
        let (Some((time, held)), Some((_, Some(claimed_at))), true) =
            (before, after, next == number + 1)
        else {
            let what = format!("{id}: from {was:?} to {is:?}");
            return self.broken(Promise::OneAtATime, what);
        };
        if held.is_some_and(|since| claimed_at < since.plus(CLAIM_LEASE)) {
            self.broken(Promise::OneAtATime, format!("{id}: {next} beside {number}"));
        }
        if claimed_at.plus(CLAIM_TOLERANCE) < time {
            let what = format!("{id}: {next} of {time} claimed at {claimed_at}");
            self.broken(Promise::NotBeforeItsTime, what);
        }
        let late = claimed_at.since(time.max(self.calm_from));
        if late > SOON {
            self.broken(Promise::Soon, format!("{id}: {next} is {late:?} late"));
        }
    }

    /// Checks the recorded attempts, and the progress that follows from the last one.
    fn attempts(&mut self, id: DeliverySubject, was: &Delivery, is: &Delivery) {
        let (old, new) = (&was.attempts, &is.attempts);
        let added = u32::from(old.last() != new.last());
        let kept = &new[..new.len().saturating_sub(added as usize)];
        let in_order = new.windows(2).all(|pair| pair[0].number < pair[1].number);
        let dropped = new.len() < MAX_KEPT_ATTEMPTS && kept.len() < old.len();
        if !old.ends_with(kept) || dropped || !in_order {
            self.broken(Promise::HistoryKept, format!("{id}: {old:?} {new:?}"));
        }
        if added == 1 && new.last().map(|last| last.number) != Some(is.attempts_claimed) {
            self.broken(Promise::HistoryKept, format!("{id}: {new:?}"));
        }
        if was.progress == is.progress {
            return;
        }
        let last = new.last().filter(|_| added == 1);
        match is.progress {
            Progress::Delivered { .. } => {
                let told = last.is_some_and(|last| last.result.is_success());
                if !told || self.posts(id).accepted == 0 {
                    self.broken(Promise::RecordTrue, format!("{id}: never accepted"));
                }
            }
            Progress::Failed { .. } => {
                let round = is.attempts_claimed - is.round_began_at;
                let pointless = last.is_some_and(|last| last.result.is_final());
                if !pointless && round < ATTEMPTS_PER_ROUND {
                    let what = format!("{id}: after {round} attempts");
                    self.broken(Promise::NotGivenUpEarly, what);
                }
            }
            Progress::Pending { .. } => {}
        }
    }
}
