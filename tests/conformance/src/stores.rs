//! The stores of one host, over the same items.

use std::sync::Arc;

use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::delivery::store::DeliveryStore;
use countersign_domain::login::store::LoginStore;

/// Where a host keeps confirmations, logins and the webhooks that both owe.
#[derive(Clone)]
pub struct Stores {
    /// The confirmations.
    pub confirmations: Arc<dyn ConfirmationStore>,
    /// The logins.
    pub logins: Arc<dyn LoginStore>,
    /// The webhooks of those confirmations and logins.
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
