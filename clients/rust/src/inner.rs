//! The parts of a client.

use std::sync::Arc;

use crate::error::Error;
use crate::key_set::KeySet;
use crate::retry::Limits;
use crate::service::Service;
use crate::store::Store;
use crate::verification::Verification;

/// The parts of a client.
pub(crate) struct Inner {
    pub(crate) service: Arc<Service>,
    pub(crate) keys: Arc<KeySet>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) api_key: String,
    pub(crate) app_key: Option<String>,
    pub(crate) verification: Verification,
}

impl Inner {
    pub(crate) fn limits(&self) -> Limits {
        self.service.limits
    }

    pub(crate) fn require_app_key(&self) -> Result<&str, Error> {
        let lacks = || Error::invalid("logins are verified with the app key: set app_key");
        self.app_key.as_deref().ok_or_else(lacks)
    }
}
