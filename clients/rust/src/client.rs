//! The client of one app.

use std::fmt;
use std::sync::Arc;

use crate::approvals::Approvals;
use crate::association_keys::AssociationKeys;
use crate::confirmations::Confirmations;
use crate::inner::Inner;
use crate::logins::Logins;
use crate::phone_registrations::PhoneRegistrations;
use crate::store::Store;
use crate::webhooks::Webhooks;

/// A client of one app. Create one per process: clones share connections, keys and store.
#[derive(Clone)]
pub struct Countersign {
    pub(crate) inner: Arc<Inner>,
}

impl Countersign {
    /// Returns the API calls for phone numbers.
    #[must_use]
    pub fn confirmations(&self) -> Confirmations<'_> {
        Confirmations(&self.inner)
    }

    /// Returns the verification of webhooks.
    #[must_use]
    pub fn webhooks(&self) -> Webhooks<'_> {
        Webhooks(&self.inner)
    }

    /// Returns the API calls for logins.
    #[must_use]
    pub fn logins(&self) -> Logins<'_> {
        Logins(&self.inner)
    }

    /// Returns the API calls for approvals.
    #[must_use]
    pub fn approvals(&self) -> Approvals<'_> {
        Approvals(&self.inner)
    }

    /// Returns the API calls for the keys with which phones prove who confirmed.
    #[must_use]
    pub fn association_keys(&self) -> AssociationKeys<'_> {
        AssociationKeys(&self.inner)
    }

    /// Returns the API calls that set up phones without an app.
    #[must_use]
    pub fn phone_registrations(&self) -> PhoneRegistrations<'_> {
        PhoneRegistrations(&self.inner)
    }

    /// Returns the store.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        &*self.inner.store
    }
}

impl fmt::Debug for Countersign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = &self.inner.service.transport.address;
        f.debug_struct("Countersign")
            .field("address", address)
            .finish_non_exhaustive()
    }
}
