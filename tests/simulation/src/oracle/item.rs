//! Checks of how an item may change.

use std::mem::discriminant;
use std::time::Duration;

use countersign_domain::confirmation::{Confirmation, Redactable, State, Verified};
use countersign_domain::delivery::{
    ATTEMPTS, CLAIM_LEASE, CLAIM_TOLERANCE, ClaimedDelivery, DeliverySubject, KEPT_ATTEMPTS,
    Progress, SWEEP_LEASE,
};
use countersign_domain::primitives::time::Timestamp;

use super::{Oracle, Promise};

/// Maximum delay of an attempt whose pointer was lost: the sweep looks for it after a lease, and runs each
/// minute.
const SOON: Duration = Duration::from_mins(3);

impl Oracle {
    /// Checks a stored confirmation against the one seen before.
    pub fn observe(&mut self, item: &Confirmation, now: Timestamp) {
        let id = item.id;
        let before = self.case(id).item.take();
        if before.as_ref() == Some(item) {
            self.case(id).item = before;
            return;
        }
        match &before {
            Some(before) => self.compare(before, item, now),
            None if item.state == State::Open => {}
            None => self.broken(Promise::HistoryKept, format!("{id}: new but not open")),
        }
        self.case(id).item = Some(item.clone());
    }

    fn compare(&mut self, before: &Confirmation, after: &Confirmation, now: Timestamp) {
        let id = after.id;
        let same = before.app == after.app
            && before.callback == after.callback
            && before.send_to == after.send_to
            && before.created_at == after.created_at
            && before.expires_at == after.expires_at
            && before.idempotency == after.idempotency
            && before.purge_at <= after.purge_at
            && discriminant(&before.flow) == discriminant(&after.flow)
            && (before.metadata == after.metadata || after.redacted_at.is_some())
            && (before.redacted_at.is_none() || before.redacted_at == after.redacted_at);
        if !same {
            self.broken(Promise::HistoryKept, format!("{id}: {before:?} {after:?}"));
        }
        match (&before.state, &after.state) {
            (State::Open, State::Open) => {}
            (State::Open, State::Cancelled { at }) => {
                if after.expires_at <= *at {
                    self.broken(
                        Promise::HistoryKept,
                        format!("{id}: cancelled after its end"),
                    );
                }
            }
            (State::Cancelled { at: before }, State::Cancelled { at: after })
                if before == after => {}
            (State::Cancelled { .. }, _) => {
                self.broken(Promise::CancelKept, format!("{id}: {:?}", after.state));
            }
            (State::Open, State::Verified(verified)) => self.verified(after, verified),
            (State::Verified(was), State::Verified(is)) => self.moved_on(after, was, is, now),
            (State::Verified(_), _) => {
                self.broken(Promise::VerifiedOnce, format!("{id}: {:?}", after.state));
            }
        }
        let owed = after
            .verified()
            .is_some_and(|verified| verified.delivery.is_pending());
        if owed && after.redacted_at.is_some() {
            self.broken(Promise::Redaction, format!("{id}: erased while it is owed"));
        }
    }

    /// Checks that a confirmation was verified by the right text, in time.
    fn verified(&mut self, item: &Confirmation, verified: &Verified) {
        let id = item.id;
        let skew = self.skew;
        if item.expires_at <= verified.at {
            self.broken(Promise::NotAfterItsEnd, format!("{id}: at {}", verified.at));
        }
        let Some(text) = self.texts.get(verified.text.as_bytes()).cloned() else {
            let what = format!("{id}: verified by a text that nobody sent");
            return self.broken(Promise::VerifiedOnce, what);
        };
        if item.expires_at.plus(skew) <= text.first_sent_at {
            let what = format!("{id}: by a text of {}", text.first_sent_at);
            self.broken(Promise::NotAfterItsEnd, what);
        }
        let told = self.case(id).told.as_ref();
        let expected = told.and_then(|told| told.asked.phone_number.clone());
        let right = text.confirmation == id
            && verified.phone_number == Redactable::Present(text.from.clone())
            && expected.is_none_or(|expected| expected == text.from);
        if !right {
            let what = format!("{id}: by {:?}", verified.phone_number);
            self.broken(Promise::RightSender, what);
        }
        if verified.delivery.attempts_claimed != 0 || !verified.delivery.is_pending() {
            self.broken(Promise::Settled, format!("{id}: {:?}", verified.delivery));
        }
    }

    /// Checks a change of a verified confirmation.
    fn moved_on(&mut self, item: &Confirmation, was: &Verified, is: &Verified, now: Timestamp) {
        let id = item.id;
        let data_kept = (was.phone_number == is.phone_number && was.carrier == is.carrier)
            || item.redacted_at.is_some();
        if was.text != is.text || was.at != is.at || !data_kept {
            self.broken(Promise::VerifiedOnce, format!("{id}: {was:?} {is:?}"));
        }
        self.redelivered(item, was, is);
        self.claims(item, was, is);
        self.attempts(item, was, is);
        if let Progress::Pending {
            next_attempt_at,
            due_at,
            ..
        } = is.delivery.progress
        {
            let soon = next_attempt_at.max(now).plus(SWEEP_LEASE + self.skew);
            if due_at > soon {
                self.broken(Promise::Found, format!("{id}: looked for at {due_at} only"));
            }
        }
    }

    /// Checks that an ended delivery becomes owed again only by a new round of attempts.
    fn redelivered(&mut self, item: &Confirmation, was: &Verified, is: &Verified) {
        let (was, is) = (&was.delivery, &is.delivery);
        let new_round = is.round_began_at == is.attempts_claimed;
        if !was.is_pending() && is.is_pending() {
            self.case(item.id).heard = false;
            if !new_round {
                self.broken(Promise::HistoryKept, format!("{}: {is:?}", item.id));
            }
        }
        if was.round_began_at != is.round_began_at {
            self.case(item.id).heard = false;
        }
    }

    /// Checks a claim that was granted to a pointer, which names the number of attempts claimed before it.
    pub fn claimed(&mut self, subject: DeliverySubject, claimed: &ClaimedDelivery, pointer: u32) {
        let number = claimed.delivery.attempts_claimed;
        if number != pointer + 1 {
            let what = format!("{subject}: {number} by a pointer after {pointer}");
            self.broken(Promise::OneForAPointer, what);
        }
    }

    /// Checks that each attempt is claimed once, and when it is due.
    fn claims(&mut self, item: &Confirmation, was: &Verified, is: &Verified) {
        let id = item.id;
        let claim_of = |verified: &Verified| match verified.delivery.progress {
            Progress::Pending {
                next_attempt_at,
                claimed_at,
                ..
            } => Some((next_attempt_at, claimed_at)),
            _ => None,
        };
        let (number, next) = (was.delivery.attempts_claimed, is.delivery.attempts_claimed);
        let (before, after) = (claim_of(was), claim_of(is));
        if number == next {
            let held = before.and_then(|(_, claimed_at)| claimed_at);
            let settled = is.delivery.attempts.last() != was.delivery.attempts.last();
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
            let what = format!("{id}: from {:?} to {:?}", was.delivery, is.delivery);
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
    fn attempts(&mut self, item: &Confirmation, was: &Verified, is: &Verified) {
        let id = item.id;
        let (old, new) = (&was.delivery.attempts, &is.delivery.attempts);
        let added = u32::from(old.last() != new.last());
        let kept = &new[..new.len().saturating_sub(added as usize)];
        let in_order = new.windows(2).all(|pair| pair[0].number < pair[1].number);
        let dropped = new.len() < KEPT_ATTEMPTS && kept.len() < old.len();
        if !old.ends_with(kept) || dropped || !in_order {
            self.broken(Promise::HistoryKept, format!("{id}: {old:?} {new:?}"));
        }
        if added == 1 && new.last().map(|last| last.number) != Some(is.delivery.attempts_claimed) {
            self.broken(Promise::HistoryKept, format!("{id}: {new:?}"));
        }
        if was.delivery.progress == is.delivery.progress {
            return;
        }
        let last = new.last().filter(|_| added == 1);
        match is.delivery.progress {
            Progress::Delivered { .. } => {
                let told = last.is_some_and(|last| last.result.is_success());
                if !told || self.case(id).accepted == 0 {
                    self.broken(Promise::RecordTrue, format!("{id}: never accepted"));
                }
            }
            Progress::Failed { .. } => {
                let round = is.delivery.attempts_claimed - is.delivery.round_began_at;
                let pointless = last.is_some_and(|last| last.result.is_final());
                if !pointless && round < ATTEMPTS {
                    let what = format!("{id}: after {round} attempts");
                    self.broken(Promise::NotGivenUpEarly, what);
                }
            }
            Progress::Pending { .. } => {}
        }
    }
}
