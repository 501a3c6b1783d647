//! An item of either kind, with the changes that each step must make to it.

use std::time::Duration;

use countersign_domain::confirmation::body::webhook_body;
use countersign_domain::confirmation::carrier::Carrier;
use countersign_domain::confirmation::{Confirmation, State};
use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::transitions::Owes;
use countersign_domain::delivery::{
    ClaimedDelivery, Delivery, DeliveryKind, DeliveryLane, DeliveryPointer, DeliverySubject,
    LATENESS, Progress, SettledAttempt, Settlement, WebhookBody,
};
use countersign_domain::login::{KEPT, Login};
use countersign_domain::primitives::ids::WebhookId;
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Timestamp;

use crate::check::Failure;
use crate::samples::RETENTION;

/// An item of either kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Confirmation(Box<Confirmation>),
    Login(Box<Login>),
}

impl Item {
    pub(super) fn subject(&self) -> DeliverySubject {
        match self {
            Self::Confirmation(item) => item.id.into(),
            Self::Login(item) => item.id.into(),
        }
    }

    pub(super) fn lane(&self) -> DeliveryLane {
        let (kind, app) = match self {
            Self::Confirmation(item) => (DeliveryKind::Confirmations, &item.app),
            Self::Login(item) => (DeliveryKind::Logins, &item.app),
        };
        DeliveryLane::of(kind, app)
    }

    pub(super) const fn purge_at(&self) -> Timestamp {
        match self {
            Self::Confirmation(item) => item.purge_at,
            Self::Login(item) => item.purge_at,
        }
    }

    /// Returns the delivery, if the item has one.
    pub(super) fn delivery(&self) -> Option<&Delivery> {
        match self {
            Self::Confirmation(item) => item.verified().map(|verified| &verified.delivery),
            Self::Login(item) => item.notice.as_ref().map(|notice| &notice.delivery),
        }
    }

    /// Returns the number of claimed attempts.
    pub(super) fn claims(&self) -> u32 {
        self.delivery()
            .map_or(0, |delivery| delivery.attempts_claimed)
    }

    /// Returns the item's entry in the due index for this due time.
    pub(super) fn due_at(&self, due_at: Timestamp) -> Due {
        Due {
            due_at,
            subject: self.subject(),
            lane: self.lane(),
        }
    }

    /// Returns the pointer to the attempt after `attempts_claimed` others.
    pub(super) fn pointer_to(&self, attempts_claimed: u32) -> Result<DeliveryPointer, Failure> {
        let pointer = match self {
            Self::Confirmation(item) => item.pointer(),
            Self::Login(item) => item.pointer(),
        };
        let group = pointer.ok_or_else(|| Failure::new("no pointer"))?.group;
        Ok(DeliveryPointer {
            subject: self.subject(),
            attempts_claimed,
            group,
        })
    }

    /// Returns the item with its delivery changed.
    pub(super) fn with_delivery(&self, change: impl FnOnce(&mut Delivery)) -> Self {
        let mut item = self.clone();
        match &mut item {
            Self::Confirmation(item) => {
                if let State::Verified(verified) = &mut item.state {
                    change(&mut verified.delivery);
                }
            }
            Self::Login(item) => {
                if let Some(notice) = &mut item.notice {
                    change(&mut notice.delivery);
                }
            }
        }
        item
    }

    /// Returns the item as a claim of the next attempt must leave it.
    pub(super) fn after_claim(&self, at: Timestamp) -> Self {
        self.with_delivery(|delivery| {
            delivery.attempts_claimed += 1;
            if let Progress::Pending { claimed_at, .. } = &mut delivery.progress {
                *claimed_at = Some(at);
            }
        })
    }

    /// Returns the answer to the claim that led to this item.
    pub(super) fn claimed(&self) -> Result<ClaimedDelivery, Failure> {
        let none = || Failure::new("the item has no delivery");
        let delivery = self.delivery().cloned().ok_or_else(none)?;
        match self {
            Self::Confirmation(item) => Ok(ClaimedDelivery {
                webhook_id: WebhookId::for_confirmation(&item.id),
                callback: item.callback.clone(),
                body: webhook_body(item).map(|body| WebhookBody::new(body.into_string())),
                delivery,
                verified_at: item.verified().map(|verified| verified.at),
                undecided_carrier: undecided_carrier(item),
            }),
            Self::Login(item) => Ok(ClaimedDelivery {
                webhook_id: WebhookId::for_login(&item.id),
                callback: item.callback.clone().ok_or_else(none)?,
                body: Owes::claimed(item.as_ref()).and_then(|claimed| claimed.body),
                delivery,
                verified_at: None,
                undecided_carrier: None,
            }),
        }
    }

    /// Returns the item as a settlement of the attempt under way must leave it.
    pub(super) fn after_settling(&self, settled: &SettledAttempt, now: Timestamp) -> Self {
        let mut item = self.with_delivery(|delivery| {
            delivery.attempts.push(settled.attempt.clone());
            if let Some(signature) = &settled.signature {
                delivery.signature = Some(signature.clone());
            }
            delivery.progress = match settled.settlement {
                Settlement::Delivered => Progress::Delivered { at: now },
                Settlement::Failed => Progress::Failed { at: now },
                Settlement::Retry { at, due_at } => Progress::Pending {
                    next_attempt_at: at,
                    due_at,
                    claimed_at: None,
                },
            };
        });
        let needed_for_retry = |kept: Duration| match settled.settlement {
            Settlement::Retry { at, .. } => Some(at.plus(LATENESS).plus(kept)),
            Settlement::Delivered | Settlement::Failed => None,
        };
        match &mut item {
            // Callers can see it after its webhook, so it is kept for the retention after a retry.
            Self::Confirmation(item) => {
                if let Some(until) = needed_for_retry(RETENTION) {
                    item.purge_at = item.purge_at.max(until);
                }
            }
            Self::Login(item) => {
                if let Some(until) = needed_for_retry(Duration::ZERO) {
                    item.purge_at = item.purge_at.max(until);
                } else {
                    item.notice = None;
                    item.purge_at = item.expires_at().max(now).plus(KEPT);
                }
            }
        }
        item
    }
}

/// Returns the number whose carrier may still be decided: before the first attempt was settled.
fn undecided_carrier(item: &Confirmation) -> Option<PhoneNumber> {
    let verified = item.verified()?;
    if verified.carrier == Carrier::Undecided && verified.delivery.attempts.is_empty() {
        verified.phone_number.present().cloned()
    } else {
        None
    }
}
