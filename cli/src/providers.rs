//! The enabled SMS providers: `DATA/providers.json`, and `DATA/inbound-secret` for the generic one.

mod live;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_inbound::generic::{self, Generic};
use countersign_inbound::sns::{CertificateSource, CertificateUnavailable, CertificateUrl};
use countersign_inbound::{Providers, Settings, SettingsError};
use thiserror::Error;

use crate::data_dir::{DataDir, DataDirError, PROVIDERS};
use crate::inbound_secret::{self, SecretError};

pub(crate) use live::{LiveProviders, REREAD_INTERVAL};

/// Why the providers' settings cannot be used. The messages contain no secrets.
#[derive(Debug, Error)]
pub(crate) enum ProvidersError {
    /// A file could not be read.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// The generic provider's secret cannot be used.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The file's content is invalid.
    #[error("{path}")]
    Settings {
        /// Path of the file.
        path: PathBuf,
        #[source]
        cause: SettingsError,
    },
    /// The file is missing although it existed.
    #[error(
        "{path} is missing: restore it from a backup, or write {{}} into it if no provider shall be on but the \
         generic one", path = .0.display()
    )]
    Missing(PathBuf),
    /// The file contains a secret that belongs in a different file.
    #[error("{0}: the generic provider has its secrets in the file inbound-secret, one per line")]
    GenericElsewhere(PathBuf),
}

/// Reads the enabled providers. `public_url` applies unless the file specifies a different one;
/// only SNS uses `certificates`.
pub(crate) fn load(
    data: &DataDir,
    public_url: Option<&str>,
    certificates: Option<Arc<dyn CertificateSource>>,
) -> Result<Providers, ProvidersError> {
    let text = data.read(PROVIDERS)?.unwrap_or_else(|| "{}".to_owned());
    let mut providers = parse(data, &text, public_url, certificates)?;
    if let Some(secrets) = inbound_secret::read_all(data)? {
        providers = providers.with(Arc::new(Generic::new(secrets)));
    }
    Ok(providers)
}

/// Checks that the file exists.
pub(crate) fn check_present(data: &DataDir) -> Result<(), ProvidersError> {
    if data.has(PROVIDERS)? {
        Ok(())
    } else {
        Err(ProvidersError::Missing(data.providers()))
    }
}

/// Parses the content of `providers.json`.
pub(crate) fn parse(
    data: &DataDir,
    text: &str,
    public_url: Option<&str>,
    certificates: Option<Arc<dyn CertificateSource>>,
) -> Result<Providers, ProvidersError> {
    let refused = |cause| ProvidersError::Settings {
        path: data.providers(),
        cause,
    };
    let mut settings = Settings::parse(text.as_bytes()).map_err(refused)?;
    if let Some(url) = public_url {
        settings = settings.or_public_url(url);
    }
    let providers = settings.providers(certificates).map_err(refused)?;
    if providers.get(generic::NAME).is_some() {
        return Err(ProvidersError::GenericElsewhere(data.providers()));
    }
    Ok(providers)
}

/// Returns a certificate source for commands, which never verify provider requests.
pub(crate) fn no_certificates() -> Arc<dyn CertificateSource> {
    Arc::new(NoCertificates)
}

struct NoCertificates;

#[async_trait]
impl CertificateSource for NoCertificates {
    async fn fetch(&self, _: &CertificateUrl) -> Result<Vec<u8>, CertificateUnavailable> {
        Err(CertificateUnavailable)
    }
}

#[cfg(test)]
mod tests;
