//! The stores of one host, which share their items.

use std::sync::Arc;

use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::delivery::store::DeliveryStore;
use countersign_domain::login::store::LoginStore;

/// The stores in which a host keeps confirmations, logins, and the deliveries that both owe.
#[derive(Clone)]
pub struct Stores {
    /// The store of confirmations.
    pub confirmations: Arc<dyn ConfirmationStore>,
    /// The store of logins.
    pub logins: Arc<dyn LoginStore>,
    /// The store of the deliveries of those confirmations and logins.
    pub deliveries: Arc<dyn DeliveryStore>,
}

impl<S: ConfirmationStore + LoginStore + DeliveryStore + 'static> From<Arc<S>> for Stores {
    fn from(store: Arc<S>) -> Self {
        Self {
            confirmations: store.clone(),
            logins: store.clone(),
            deliveries: store,
        }
    }
}
