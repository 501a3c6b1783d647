//! The model of logins with a fault.

mod store;

use std::sync::Arc;

use countersign_conformance::model::{ModelLogins, ModelStore};
use countersign_conformance::samples::{MILLI, before};
use countersign_conformance::stores::Stores;
use countersign_domain::login::store::LoginStore as _;
use countersign_domain::login::{BrowserTokenHash, Login, State, Status};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;

use super::logins::Fault;

/// The model of logins with a fault.
pub(super) struct BrokenLogins {
    model: Arc<ModelLogins>,
    fault: Fault,
}

impl BrokenLogins {
    pub(super) fn stores(model: &Arc<ModelStore>, fault: Fault) -> Stores {
        let logins = Self {
            model: Arc::clone(model.logins()),
            fault,
        };
        Stores {
            logins: Arc::new(logins),
            ..model.stores()
        }
    }

    async fn raw(&self, id: LoginId) -> Option<Login> {
        let beginning = Timestamp::from_millis(0);
        self.model.find(id, beginning).await.ok().flatten()
    }

    /// Changes a stored login.
    async fn amend(&self, id: LoginId, change: impl FnOnce(&mut Login) + Send) {
        if let Some(mut item) = self.raw(id).await {
            change(&mut item);
            self.model.put(item);
        }
    }

    /// Makes the login wait for a decision of its phone, or for a phone, again.
    async fn reopen(&self, id: LoginId, now: Timestamp, phone: bool) {
        let expires_at = now.plus(MILLI);
        self.amend(id, |item| {
            let known = item.phone().filter(|_| phone).cloned().map(Box::new);
            item.state = match known {
                Some(phone) => State::Scanned { phone, expires_at },
                None => State::Created { expires_at },
            };
        })
        .await;
    }

    /// Returns `now`, or the last millisecond before the login expired if it has.
    async fn before_expiry(&self, id: LoginId, now: Timestamp) -> Timestamp {
        match self.raw(id).await {
            Some(item) if item.status(now) == Status::Expired => before(item.expires_at(), MILLI),
            _ => now,
        }
    }

    async fn owner(&self, id: LoginId, asked: &BrowserTokenHash) -> BrowserTokenHash {
        let item = self.raw(id).await;
        item.map_or(*asked, |item| item.browser_token)
    }
}
