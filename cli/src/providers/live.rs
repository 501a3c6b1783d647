//! Providers of a running server; their settings may change.

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

/// Interval at which the settings are reloaded.
pub(crate) const REREAD_INTERVAL: Duration = Duration::from_mins(1);

/// The enabled providers, according to the last read of the settings.
pub(crate) struct LiveProviders {
    data: DataDir,
    public_url: String,
    certificates: Arc<dyn CertificateSource>,
    current: Mutex<Arc<Providers>>,
    /// True if `providers.json` existed at the last read.
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

    /// Reloads the settings and returns the names of the enabled providers. If the settings are
    /// invalid or missing, the previous ones stay in use.
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

    /// Returns whether `providers.json` existed at the last read.
    pub(crate) fn has_file(&self) -> bool {
        self.has_file.load(Ordering::Relaxed)
    }

    /// Reloads the settings and logs any error.
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
