//! Carrier lookups for texts without a carrier from the SMS provider: `DATA/carrier-lookup.json`.
//! Lookups are off without that file.

use std::path::PathBuf;

use countersign_carrier::{BoundedLookup, LookupSettings, LookupSettingsError};
use countersign_domain::primitives::entropy::Entropy;
use countersign_webhook::client::WebhookClient;
use thiserror::Error;

use crate::data_dir::{CARRIER_LOOKUP, DataDir, DataDirError};

/// Why carrier lookups cannot be set up. Messages contain no secrets.
#[derive(Debug, Error)]
pub(crate) enum CarriersError {
    /// The file could not be read.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// The file's content is invalid.
    #[error("{path}")]
    Settings {
        /// Path of the file.
        path: PathBuf,
        #[source]
        cause: LookupSettingsError,
    },
}

/// Reads the settings, and creates the lookup port, which uses this HTTP client.
pub(crate) fn lookup(
    data: &DataDir,
    client: &WebhookClient,
    entropy: &dyn Entropy,
) -> Result<Option<BoundedLookup>, CarriersError> {
    let Some(text) = data.read(CARRIER_LOOKUP)? else {
        return Ok(None);
    };
    let settings = LookupSettings::parse(text.as_bytes());
    let settings = settings.map_err(|cause| CarriersError::Settings {
        path: data.carrier_lookup(),
        cause,
    })?;
    Ok(Some(settings.lookup(client.clone(), None, entropy)))
}
