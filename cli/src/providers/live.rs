//! Providers of a running server, whose settings may change.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_api::{Causes, ProviderSource};
use countersign_inbound::sns::CertificateSource;
use countersign_inbound::{InboundProvider, Providers, generic};

use super::{ProvidersError, check_present, load};
use crate::data_dir::DataDir;
use crate::inbound_secret;

/// Interval at which the settings are read again.
pub(crate) const REREAD_INTERVAL: Duration = Duration::from_mins(1);

/// The providers that are on, as the settings were when they were last read.
pub(crate) struct LiveProviders {
    data: DataDir,
    public_url: String,
    certificates: Arc<dyn CertificateSource>,
    current: Mutex<Arc<Providers>>,
    /// True if `providers.json` was there when it was last read.
    has_file: AtomicBool,
}

impl LiveProviders {
    /// Reads the settings for the first time.
    pub(crate) fn read(
        data: &DataDir,
        public_url: &str,
        certificates: Arc<dyn CertificateSource>,
    ) -> Result<Self, ProvidersError> {
        let has_file = check_present(data).is_ok();
        let first = load(data, Some(public_url), Some(Arc::clone(&certificates)))?;
        Ok(Self {
            data: data.clone(),
            public_url: public_url.to_owned(),
            certificates,
            current: Mutex::new(Arc::new(first)),
            has_file: AtomicBool::new(has_file),
        })
    }

    /// Reads the settings again and returns the names of the providers that are on. If the settings
    /// cannot be used, or are gone, the last ones stay in use.
    pub(crate) fn reread(&self) -> Result<Vec<&'static str>, ProvidersError> {
        match check_present(&self.data) {
            Ok(()) => self.has_file.store(true, Ordering::Relaxed),
            Err(gone) if self.has_file() => return Err(gone),
            Err(_) => {}
        }
        if self.lock().get(generic::NAME).is_some() {
            inbound_secret::check_present(&self.data)?;
        }
        let certificates = Arc::clone(&self.certificates);
        let read = load(&self.data, Some(&self.public_url), Some(certificates))?;
        let names = read.iter().map(InboundProvider::name).collect();
        *self.lock() = Arc::new(read);
        Ok(names)
    }

    /// Returns whether `providers.json` was there when it was last read.
    pub(crate) fn has_file(&self) -> bool {
        self.has_file.load(Ordering::Relaxed)
    }

    /// Reads the settings again and logs why if that fails.
    pub(crate) fn keep_up(&self) {
        if let Err(error) = self.reread() {
            tracing::error!(
                cause = %Causes(&error),
                "cannot read the settings of SMS providers; the last ones stay in use"
            );
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Arc<Providers>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ProviderSource for LiveProviders {
    async fn current(&self) -> Arc<Providers> {
        Arc::clone(&self.lock())
    }
}
