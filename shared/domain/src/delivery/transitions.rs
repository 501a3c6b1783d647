//! Every change that a delivery goes through, as a decision about the item that owes it.
//!
//! A store makes the decision atomic and nothing more, as for
//! [confirmations](crate::confirmation::transitions). It treats every kind of item alike: it finds
//! the item of the subject, and asks [`DeliveryTransition::decide`].

#[cfg(test)]
mod properties;

use std::time::Duration;

use super::store::Due;
use super::{
    ClaimOutcome, ClaimedDelivery, Decision, Delivery, DeliveryGroup, DeliveryLane,
    DeliveryPointer, DeliverySubject, PostponeOutcome, SettleOutcome, SettledAttempt, Settlement,
};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::{CallbackOrigin, CallbackUrl};

/// An item that may owe a webhook.
pub trait Owes: Sized {
    /// The item's id.
    fn subject(&self) -> DeliverySubject;

    /// The app that the item belongs to.
    fn app(&self) -> &AppId;

    /// The URL that the webhook goes to; `None` if the app wants none.
    fn callback(&self) -> Option<&CallbackUrl>;

    /// The instant from which the item counts as deleted.
    fn purge_at(&self) -> Timestamp;

    /// The webhook that is owed, or that was owed and is kept for callers to see.
    fn delivery(&self) -> Option<&Delivery>;

    /// The same, to be changed.
    fn delivery_mut(&mut self) -> Option<&mut Delivery>;

    /// Returns what the dispatcher needs for an attempt; `None` if there is no delivery.
    fn claimed(&self) -> Option<ClaimedDelivery>;

    /// Adapts the item to a settlement that its delivery has already taken up: how long the item is
    /// kept, and whether the delivery stays in it. `retention` is how long items are kept after a
    /// webhook that callers can still look at.
    fn settled(&mut self, settlement: Settlement, now: Timestamp, retention: Duration);

    /// The lane of its webhook.
    fn lane(&self) -> DeliveryLane {
        DeliveryLane::of(self.subject().kind(), self.app())
    }

    /// The instant at which the sweep looks after the delivery; `None` if no webhook is owed.
    fn due_at(&self) -> Option<Timestamp> {
        self.delivery()?.due_at()
    }

    /// The item's entry in the due index; `None` if no webhook is owed.
    fn due(&self) -> Option<Due> {
        Some(Due {
            due_at: self.due_at()?,
            subject: self.subject(),
            lane: self.lane(),
        })
    }

    /// The pointer to the next attempt, if a webhook is owed.
    fn pointer(&self) -> Option<DeliveryPointer> {
        let delivery = self.delivery().filter(|delivery| delivery.is_pending())?;
        let (subject, origin) = (self.subject(), CallbackOrigin::of(self.callback()?));
        Some(DeliveryPointer {
            subject,
            attempts_claimed: delivery.attempts_claimed,
            group: DeliveryGroup::of(subject.kind(), self.app(), &origin),
        })
    }
}

/// A change of a delivery, whatever item owes it.
pub trait DeliveryTransition: Send + Sync {
    /// The answer to the caller.
    type Outcome: Send + 'static;

    /// The answer if nothing is changed.
    const REFUSED: Self::Outcome;

    /// The instant of the transition.
    fn now(&self) -> Timestamp;

    /// Changes the item; `None` if the transition does not apply to it, in which case the item must
    /// not be written.
    fn change<T: Owes>(&self, item: &mut T) -> Option<()>;

    /// Returns the answer to a transition that made the item what it is now.
    fn made<T: Owes>(&self, item: &T) -> Option<Self::Outcome>;

    /// Decides about the stored item; `None` and an item past its `purge_at` are refused.
    fn decide<T: Owes>(&self, current: Option<T>) -> Decision<T, Self::Outcome> {
        let live = current.filter(|item| self.now() < item.purge_at());
        let made = live.and_then(|mut item| {
            self.change(&mut item)?;
            Some((self.made(&item)?, item))
        });
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
    /// How many attempts were claimed before.
    pub attempts_claimed: u32,
    /// The instant of the claim.
    pub now: Timestamp,
}

impl DeliveryTransition for Claim {
    type Outcome = ClaimOutcome;

    const REFUSED: ClaimOutcome = ClaimOutcome::Stale;

    fn now(&self) -> Timestamp {
        self.now
    }

    fn change<T: Owes>(&self, item: &mut T) -> Option<()> {
        let claimed = item.delivery_mut()?.claim(self.attempts_claimed, self.now);
        claimed.then_some(())
    }

    fn made<T: Owes>(&self, item: &T) -> Option<ClaimOutcome> {
        item.claimed()
            .map(|claimed| ClaimOutcome::Claimed(Box::new(claimed)))
    }
}

/// Stores the result of the attempt that the caller had claimed ([`Delivery::settle`]).
#[derive(Clone, Debug)]
pub struct Settle {
    /// The attempt, its signature and what follows.
    pub settled: SettledAttempt,
    /// The instant of the settlement.
    pub now: Timestamp,
    /// How long items are kept after a webhook that callers can still look at.
    pub retention: Duration,
}

impl DeliveryTransition for Settle {
    type Outcome = SettleOutcome;

    const REFUSED: SettleOutcome = SettleOutcome::Superseded;

    fn now(&self) -> Timestamp {
        self.now
    }

    fn change<T: Owes>(&self, item: &mut T) -> Option<()> {
        let delivery = item.delivery_mut()?;
        delivery
            .settle(self.settled.clone(), self.now)
            .then_some(())?;
        item.settled(self.settled.settlement, self.now, self.retention);
        Some(())
    }

    fn made<T: Owes>(&self, item: &T) -> Option<SettleOutcome> {
        let pointer = item.pointer();
        Some(SettleOutcome::Settled { pointer })
    }
}

/// Advances the instant at which the sweep looks after a delivery, if it is still the one seen.
#[derive(Clone, Copy, Debug)]
pub struct Postpone {
    /// The instant that the sweep saw in the due index.
    pub seen_due_at: Timestamp,
    /// The instant of the postponement.
    pub now: Timestamp,
}

impl DeliveryTransition for Postpone {
    type Outcome = PostponeOutcome;

    const REFUSED: PostponeOutcome = PostponeOutcome::Superseded;

    fn now(&self) -> Timestamp {
        self.now
    }

    fn change<T: Owes>(&self, item: &mut T) -> Option<()> {
        let postponed = item.delivery_mut()?.postpone(self.seen_due_at, self.now);
        postponed.then_some(())
    }

    fn made<T: Owes>(&self, item: &T) -> Option<PostponeOutcome> {
        item.pointer().map(PostponeOutcome::Postponed)
    }
}
