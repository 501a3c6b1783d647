//! The faulty store, and helpers for its faults.

use std::sync::Arc;
use std::time::Duration;

use countersign_conformance::model::ModelStore;
use countersign_conformance::stores::Stores;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::transitions::{DeliveryTransition, Owes};
use countersign_domain::delivery::{Decision, DeliverySubject, Progress};
use countersign_domain::login::{Login, State};
use countersign_domain::primitives::time::Timestamp;

use super::faults::Fault;

/// The model with one fault.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) model: Arc<ModelStore>,
    pub(super) fault: Fault,
}

/// A stored item.
#[derive(Clone, Debug)]
pub(super) enum Stored {
    Confirmation(Box<Confirmation>),
    Login(Box<Login>),
}

impl Stored {
    pub(super) const fn purge_at(&self) -> Timestamp {
        match self {
            Self::Confirmation(item) => item.purge_at,
            Self::Login(item) => item.purge_at,
        }
    }

    pub(super) fn with_purge_at(mut self, at: Timestamp) -> Self {
        match &mut self {
            Self::Confirmation(item) => item.purge_at = at,
            Self::Login(item) => item.purge_at = at,
        }
        self
    }

    /// Returns the item's first entry in the due index, and whether its delivery has ended.
    pub(super) fn first_due(&self) -> Option<(Due, bool)> {
        let (subject, lane, owed_at, ended) = match self {
            Self::Confirmation(item) => {
                let verified = item.verified()?;
                let ended = !verified.delivery.is_pending();
                (item.subject(), item.lane(), verified.at, ended)
            }
            Self::Login(item) => {
                let State::Confirmed { at, .. } = item.state else {
                    return None;
                };
                item.callback.as_ref()?;
                (item.subject(), item.lane(), at, item.notice.is_none())
            }
        };
        let due_at = owed_at.plus(Duration::from_mins(1));
        let due = Due {
            due_at,
            subject,
            lane,
        };
        Some((due, ended))
    }
}

impl Broken {
    pub(super) fn stores(model: Arc<ModelStore>, fault: Fault) -> Stores {
        let mut stores = model.stores();
        stores.deliveries = Arc::new(Self { model, fault });
        stores
    }

    pub(super) fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    pub(super) fn items(&self) -> impl Iterator<Item = Stored> {
        let confirmations = self.model.items().into_iter();
        let confirmations = confirmations.map(|item| Stored::Confirmation(Box::new(item)));
        let logins = self.model.logins().items().into_iter();
        let logins = logins.map(|item| Stored::Login(Box::new(item)));
        confirmations.chain(logins)
    }

    pub(super) fn raw(&self, subject: DeliverySubject) -> Option<Stored> {
        self.items().find(|item| match item {
            Stored::Confirmation(item) => item.subject() == subject,
            Stored::Login(item) => item.subject() == subject,
        })
    }

    pub(super) fn put(&self, item: Stored) {
        match item {
            Stored::Confirmation(item) => self.model.put(*item),
            Stored::Login(item) => self.model.logins().put(*item),
        }
    }

    /// Reads, yields to other tasks, and writes, so the change is not atomic.
    pub(super) async fn non_atomically<X: DeliveryTransition>(
        &self,
        subject: DeliverySubject,
        transition: X,
    ) -> X::Outcome {
        let current = self.raw(subject);
        tokio::task::yield_now().await;
        match current {
            Some(Stored::Confirmation(item)) => {
                let Decision { outcome, write } = transition.decide(Some(*item));
                if let Some(item) = write {
                    self.model.put(item);
                }
                outcome
            }
            Some(Stored::Login(item)) => {
                let Decision { outcome, write } = transition.decide(Some(*item));
                let logins = self.model.logins();
                if let Some(item) = write {
                    logins.put(item);
                }
                outcome
            }
            None => X::REFUSED,
        }
    }

    pub(super) fn set_claimed(&self, subject: DeliverySubject, at: Option<Timestamp>) {
        self.model.amend_delivery(subject, |delivery| {
            if let Progress::Pending { claimed_at, .. } = &mut delivery.progress {
                *claimed_at = at;
            }
        });
    }

    pub(super) fn claimed_at(&self, subject: DeliverySubject) -> Option<Timestamp> {
        match self.model.delivery(subject)?.progress {
            Progress::Pending { claimed_at, .. } => claimed_at,
            Progress::Delivered { .. } | Progress::Failed { .. } => None,
        }
    }
}
