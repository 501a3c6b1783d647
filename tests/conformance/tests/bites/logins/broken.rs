//! The faulty store, and helpers for its faults.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use countersign_conformance::model::{ModelLogins, ModelStore};
use countersign_conformance::samples::{MILLI, before};
use countersign_conformance::stores::Stores;
use countersign_domain::delivery::Decision;
use countersign_domain::login::{Login, ReceiptHash, Status};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;

use super::faults::Fault;

/// The model with one fault.
pub(super) struct Broken {
    model: Arc<ModelStore>,
    pub(super) fault: Fault,
    drawn: AtomicU8,
}

impl Broken {
    pub(super) fn with(fault: Fault) -> Self {
        Self {
            model: Arc::default(),
            fault,
            drawn: AtomicU8::new(0),
        }
    }

    /// Returns the stores of a host, with this one as the store of logins.
    pub(super) fn stores(self: Arc<Self>) -> Stores {
        let mut stores = self.model.stores();
        stores.logins = self;
        stores
    }

    /// A receipt that no browser sent, another one each time.
    pub(super) fn another_receipt(&self) -> ReceiptHash {
        let n = self.drawn.fetch_add(1, Ordering::SeqCst);
        ReceiptHash::from_bytes([n; 32])
    }

    pub(super) fn logins(&self) -> &ModelLogins {
        self.model.logins()
    }

    pub(super) fn raw(&self, id: LoginId) -> Option<Login> {
        self.logins().items().into_iter().find(|item| item.id == id)
    }

    /// Reads, yields to other tasks, and writes, so the change is not atomic.
    pub(super) async fn non_atomically<O>(
        &self,
        id: LoginId,
        decide: impl FnOnce(Option<Login>) -> Decision<Login, O>,
    ) -> O {
        let current = self.raw(id);
        tokio::task::yield_now().await;
        let Decision { outcome, write } = decide(current);
        if let Some(item) = write {
            self.logins().put(item);
        }
        outcome
    }

    /// Changes a stored login.
    pub(super) fn amend(&self, id: LoginId, change: impl FnOnce(&mut Login)) {
        if let Some(mut item) = self.raw(id) {
            change(&mut item);
            self.logins().put(item);
        }
    }

    /// Returns `now`, or the last millisecond before the login expired if it has.
    pub(super) fn before_expiry(&self, id: LoginId, now: Timestamp) -> Timestamp {
        match self.raw(id) {
            Some(item) if item.status(now) == Status::Expired => before(item.expires_at(), MILLI),
            _ => now,
        }
    }

    /// Returns `now`, or a millisecond less if the login expires exactly now.
    pub(super) fn with_milli_of_grace(&self, id: LoginId, now: Timestamp) -> Timestamp {
        match self.raw(id) {
            Some(item) if item.expires_at() == now => before(now, MILLI),
            _ => now,
        }
    }
}
