//! The faulty store, and helpers for its faults.

use std::sync::Arc;

use countersign_conformance::model::ModelStore;
use countersign_conformance::stores::Stores;
use countersign_domain::confirmation::{Confirmation, State, VALIDITY, Verified};
use countersign_domain::delivery::{Decision, Progress};
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::primitives::time::Timestamp;

use super::faults::Fault;

/// The model with one fault.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) model: Arc<ModelStore>,
    pub(super) fault: Fault,
}

impl Broken {
    pub(super) fn stores(model: Arc<ModelStore>, fault: Fault) -> Stores {
        let mut stores = model.stores();
        stores.confirmations = Arc::new(Self { model, fault });
        stores
    }

    pub(super) fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    pub(super) fn raw(&self, id: ConfirmationId) -> Option<Confirmation> {
        self.model.items().into_iter().find(|item| item.id == id)
    }

    /// Reads, yields to other tasks, and writes, so the change is not atomic.
    pub(super) async fn non_atomically<O>(
        &self,
        id: ConfirmationId,
        decide: impl FnOnce(Option<Confirmation>) -> Decision<Confirmation, O>,
    ) -> O {
        let current = self.raw(id);
        tokio::task::yield_now().await;
        let Decision { outcome, write } = decide(current);
        if let Some(item) = write {
            self.model.put(item);
        }
        outcome
    }

    /// Changes a stored confirmation.
    pub(super) fn amend(&self, id: ConfirmationId, change: impl FnOnce(&mut Confirmation)) {
        if let Some(mut item) = self.raw(id) {
            change(&mut item);
            self.model.put(item);
        }
    }

    pub(super) fn amend_verified(&self, id: ConfirmationId, change: impl FnOnce(&mut Verified)) {
        self.amend(id, |item| {
            if let State::Verified(verified) = &mut item.state {
                change(verified);
            }
        });
    }

    /// Removes the recorded miss.
    pub(super) fn forget_miss(&self, id: ConfirmationId) {
        self.amend(id, |item| {
            if let State::Open { last_miss } = &mut item.state {
                *last_miss = None;
            }
        });
    }

    /// Applies the faults of stores that record a miss wrongly.
    pub(super) fn spoil_miss(&self, id: ConfirmationId) {
        match self.fault {
            Fault::MissIsNotWritten => self.forget_miss(id),
            Fault::MissKeepsItemLonger => self.amend(id, |item| {
                if item.last_miss().is_some() {
                    item.purge_at = item.purge_at.plus(VALIDITY);
                }
            }),
            _ => {}
        }
    }

    pub(super) fn verified(&self, id: ConfirmationId) -> Option<Verified> {
        self.raw(id)?.verified().cloned()
    }
}

/// Sets the start of the attempt under way.
pub(super) fn set_claimed(verified: &mut Verified, at: Option<Timestamp>) {
    if let Progress::Pending { claimed_at, .. } = &mut verified.delivery.progress {
        *claimed_at = at;
    }
}
