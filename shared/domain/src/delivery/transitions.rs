//! Every change that a delivery goes through, as a decision about the item that owes it.
//!
//! As for [confirmations](crate::confirmation::transitions), stores only make the decision atomic.
//! They treat every kind of item alike: they find the item of the subject, and call
//! [`DeliveryTransition::decide`].

#[cfg(test)]
mod properties;

use std::time::Duration;

use super::due::{Due, NextAttempt};
use super::{
    ClaimOutcome, ClaimedDelivery, Decision, Delivery, DeliveryGroup, DeliveryPointer,
    DeliverySubject, PostponeOutcome, Progress, SettleOutcome, SettledAttempt, Settlement,
};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::{CallbackOrigin, CallbackUrl};

/// An item that may owe a webhook.
pub trait Owes: Sized {
    /// Returns the item's id.
    fn subject(&self) -> DeliverySubject;

    /// Returns the app that the item belongs to.
    fn app(&self) -> &AppId;

    /// Returns the URL that the webhook goes to, or `None` if the app wants no webhook.
    fn callback(&self) -> Option<&CallbackUrl>;

    /// Returns the time from which the item counts as deleted.
    fn purge_at(&self) -> Timestamp;

    /// Returns the delivery of the webhook, if one is owed or was owed and is kept for callers to see.
    fn delivery(&self) -> Option<&Delivery>;

    /// Returns the same delivery, to be changed.
    fn delivery_mut(&mut self) -> Option<&mut Delivery>;

    /// Returns what the dispatcher needs for an attempt, or `None` if there is no delivery.
    fn claimed(&self) -> Option<ClaimedDelivery>;

    /// Adapts the item to a settlement that its delivery has already taken up: how long the item is
    /// kept, and whether the delivery stays in it. `retention` is how long items are kept after a
    /// webhook that callers can still look at.
    fn settled(&mut self, settlement: Settlement, now: Timestamp, retention: Duration);

    /// Returns the time at which the sweep checks the delivery, or `None` if no webhook is owed. Due
    /// indexes contain this time.
    fn due_at(&self) -> Option<Timestamp> {
        self.delivery()?.due_at()
    }

    /// Returns the item's entry in the due index, or `None` if no webhook is owed.
    fn due(&self) -> Option<Due> {
        Some(Due {
            due_at: self.due_at()?,
            subject: self.subject(),
        })
    }

    /// Returns the pointer to the next attempt of the delivery, or `None` if no webhook is owed.
    fn pointer(&self) -> Option<DeliveryPointer> {
        let delivery = self.delivery().filter(|delivery| delivery.is_pending())?;
        let (subject, origin) = (self.subject(), CallbackOrigin::of(self.callback()?));
        Some(DeliveryPointer {
            subject,
            attempts_claimed: delivery.attempts_claimed,
            group: DeliveryGroup::of(subject.kind(), self.app(), &origin),
        })
    }

    /// Returns the next attempt of the delivery, or `None` if no webhook is owed.
    fn next_attempt(&self) -> Option<NextAttempt> {
        match self.delivery()?.progress {
            Progress::Pending {
                next_attempt_at: at,
                ..
            } => Some(NextAttempt {
                at,
                pointer: self.pointer()?,
            }),
            Progress::Delivered { .. } | Progress::Failed { .. } => None,
        }
    }
}

/// A change of a delivery, whatever item owes it.
pub trait DeliveryTransition: Send + Sync {
    /// The answer to the caller.
    type Outcome: Send + 'static;

    /// The answer if nothing is changed.
    const REFUSED: Self::Outcome;

    /// Returns the time of the transition.
    fn now(&self) -> Timestamp;

    /// Changes the item; `None` if the transition does not apply to it, in which case the item must
    /// not be written.
    fn change<T: Owes>(&self, item: &mut T) -> Option<Self::Outcome>;

    /// Decides about the stored item; `None` and an item past its `purge_at` are refused.
    fn decide<T: Owes>(&self, current: Option<T>) -> Decision<T, Self::Outcome> {
        let live = current.filter(|item| self.now() < item.purge_at());
        let made = live.and_then(|mut item| Some((self.change(&mut item)?, item)));
        match made {
            Some((outcome, item)) => Decision {
                outcome,
                write: Some(item),
            },
            None => Decision::refuse(Self::REFUSED),
        }
    }
}

/// Claims the attempt after `attempts_claimed` others ([`Delivery::claim`]).
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Number of attempts claimed before.
    pub attempts_claimed: u32,
    /// Time of the claim.
    pub now: Timestamp,
}

impl DeliveryTransition for Claim {
    type Outcome = ClaimOutcome;

    const REFUSED: ClaimOutcome = ClaimOutcome::Stale;

    fn now(&self) -> Timestamp {
        self.now
    }

    fn change<T: Owes>(&self, item: &mut T) -> Option<ClaimOutcome> {
        let claimed = item.delivery_mut()?.claim(self.attempts_claimed, self.now);
        claimed.then_some(())?;
        let claimed = item.claimed()?;
        Some(ClaimOutcome::Claimed(Box::new(claimed)))
    }
}

/// Stores the result of the attempt that the caller had claimed ([`Delivery::settle`]).
#[derive(Clone, Debug)]
pub struct Settle {
    /// The attempt, its signature and what follows.
    pub settled: SettledAttempt,
    /// Time of the settlement.
    pub now: Timestamp,
    /// Time for which items are kept after a webhook that callers can still look at.
    pub retention: Duration,
}

impl DeliveryTransition for Settle {
    type Outcome = SettleOutcome;

    const REFUSED: SettleOutcome = SettleOutcome::Superseded;

    fn now(&self) -> Timestamp {
        self.now
    }

    fn change<T: Owes>(&self, item: &mut T) -> Option<SettleOutcome> {
        let delivery = item.delivery_mut()?;
        delivery
            .settle(self.settled.clone(), self.now)
            .then_some(())?;
        item.settled(self.settled.settlement, self.now, self.retention);
        let pointer = item.pointer();
        Some(SettleOutcome::Settled { pointer })
    }
}

/// Moves the time at which the sweep checks the delivery, if it is still the one the sweep saw.
#[derive(Clone, Copy, Debug)]
pub struct Postpone {
    /// The time that the sweep saw in the due index.
    pub seen_due_at: Timestamp,
    /// Time of the postponement.
    pub now: Timestamp,
}

impl DeliveryTransition for Postpone {
    type Outcome = PostponeOutcome;

    const REFUSED: PostponeOutcome = PostponeOutcome::Superseded;

    fn now(&self) -> Timestamp {
        self.now
    }

    fn change<T: Owes>(&self, item: &mut T) -> Option<PostponeOutcome> {
        let postponed = item.delivery_mut()?.postpone(self.seen_due_at, self.now);
        postponed.then_some(())?;
        item.pointer().map(PostponeOutcome::Postponed)
    }
}
