//! The transitions of a delivery, each a decision about its item.
//!
//! As for [confirmations](crate::confirmation::transitions), stores only apply the decision atomically.
//! All kinds of items are treated alike.

#[cfg(test)]
mod properties;

use std::time::Duration;

use super::due::{DueEntry, NextAttempt};
use super::{
    ClaimOutcome, ClaimedDelivery, Decision, Delivery, DeliveryPointer, DeliverySubject,
    PostponeOutcome, Progress, ReceiverGroup, SettleOutcome, SettledAttempt, Settlement,
};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::{CallbackOrigin, CallbackUrl};

/// An item that may have a webhook.
pub trait HasDelivery: Sized {
    /// Returns the item's id.
    fn subject(&self) -> DeliverySubject;

    /// Returns the app that the item belongs to.
    fn app(&self) -> &AppId;

    /// Returns the URL that the webhook is sent to, or `None` if the app wants no webhook.
    fn callback(&self) -> Option<&CallbackUrl>;

    /// Returns the time from which the item is treated as deleted.
    fn purge_at(&self) -> Timestamp;

    /// Returns the delivery of the webhook if it is pending or kept for callers to see.
    fn delivery(&self) -> Option<&Delivery>;

    /// Returns the same delivery for changes.
    fn delivery_mut(&mut self) -> Option<&mut Delivery>;

    /// Returns the data that the dispatcher needs for an attempt, or `None` if there is no
    /// delivery.
    fn claimed(&self) -> Option<ClaimedDelivery>;

    /// Adapts the item to a settlement that its delivery has already applied: how long the item is
    /// kept, and whether it keeps the delivery. `retention` is the time that items are kept after a
    /// webhook that callers can still see.
    fn settled(&mut self, settlement: Settlement, now: Timestamp, retention: Duration);

    /// Returns the time when the sweep checks the delivery, or `None` if no webhook is pending. Due
    /// indexes contain this time.
    fn due_at(&self) -> Option<Timestamp> {
        self.delivery()?.due_at()
    }

    /// Returns the item's entry in the due index, or `None` if no webhook is pending.
    fn due(&self) -> Option<DueEntry> {
        Some(DueEntry {
            due_at: self.due_at()?,
            subject: self.subject(),
        })
    }

    /// Returns the pointer to the next attempt of the delivery, or `None` if no webhook is pending.
    fn pointer(&self) -> Option<DeliveryPointer> {
        let delivery = self.delivery().filter(|delivery| delivery.is_pending())?;
        let (subject, origin) = (self.subject(), CallbackOrigin::from_url(self.callback()?));
        Some(DeliveryPointer {
            subject,
            attempts_claimed: delivery.attempts_claimed,
            group: ReceiverGroup::new(subject.kind(), self.app(), &origin),
        })
    }

    /// Returns the next attempt of the delivery, or `None` if no webhook is pending.
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

/// Claims the attempt after the first `attempts_claimed` ([`Delivery::claim`]).
#[must_use]
pub fn claim<T: HasDelivery>(
    current: Option<T>,
    attempts_claimed: u32,
    now: Timestamp,
) -> Decision<T, ClaimOutcome> {
    change(current, ClaimOutcome::Stale, now, |item| {
        let claimed = item.delivery_mut()?.claim(attempts_claimed, now);
        claimed.then_some(())?;
        let claimed = item.claimed()?;
        Some(ClaimOutcome::Claimed(Box::new(claimed)))
    })
}

/// Stores the result of the attempt that the caller claimed ([`Delivery::settle`]). `retention` is the
/// time that items are kept after a webhook that callers can still see.
#[must_use]
pub fn settle<T: HasDelivery>(
    current: Option<T>,
    settled: SettledAttempt,
    now: Timestamp,
    retention: Duration,
) -> Decision<T, SettleOutcome> {
    change(current, SettleOutcome::Superseded, now, |item| {
        let settlement = settled.settlement;
        let was_claimed = item.delivery_mut()?.settle(settled, now);
        was_claimed.then_some(())?;
        item.settled(settlement, now, retention);
        let pointer = item.pointer();
        Some(SettleOutcome::Settled { pointer })
    })
}

/// Postpones the time when the sweep checks the delivery if it has not changed since the sweep read
/// it ([`Delivery::postpone`]).
#[must_use]
pub fn postpone<T: HasDelivery>(
    current: Option<T>,
    seen_due_at: Timestamp,
    now: Timestamp,
) -> Decision<T, PostponeOutcome> {
    change(current, PostponeOutcome::Superseded, now, |item| {
        let postponed = item.delivery_mut()?.postpone(seen_due_at, now);
        postponed.then_some(())?;
        item.pointer().map(PostponeOutcome::Postponed)
    })
}

/// Changes an item that exists and is not past its `purge_at`. If there is no such item, or if `change`
/// returns `None`, the outcome is `refused` and nothing is written.
fn change<T: HasDelivery, O>(
    current: Option<T>,
    refused: O,
    now: Timestamp,
    change: impl FnOnce(&mut T) -> Option<O>,
) -> Decision<T, O> {
    let live = current.filter(|item| now < item.purge_at());
    match live.and_then(|mut item| Some((change(&mut item)?, item))) {
        Some((outcome, item)) => Decision {
            outcome,
            write: Some(item),
        },
        None => Decision::refuse(refused),
    }
}
