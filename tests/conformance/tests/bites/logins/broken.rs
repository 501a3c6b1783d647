//! The model with a fault, and the means to be wrong.

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

/// The model with a fault.
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

    /// The three stores of a host, of which the logins are this.
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

    /// Reads, lets others have their turn, and writes.
    pub(super) async fn loosely<O>(
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

    /// Changes what is stored.
    pub(super) fn amend(&self, id: LoginId, change: impl FnOnce(&mut Login)) {
        if let Some(mut item) = self.raw(id) {
            change(&mut item);
            self.logins().put(item);
        }
    }

    /// The instant, or the last one at which the item is not expired where it is past that.
    pub(super) fn in_time(&self, id: LoginId, now: Timestamp) -> Timestamp {
        match self.raw(id) {
            Some(item) if item.status(now) == Status::Expired => before(item.expires_at(), MILLI),
            _ => now,
        }
    }

    /// The instant, a millisecond earlier where the item expires just then.
    pub(super) fn a_milli_late(&self, id: LoginId, now: Timestamp) -> Timestamp {
        match self.raw(id) {
            Some(item) if item.expires_at() == now => before(now, MILLI),
            _ => now,
        }
    }
}
