//! `countersign provider show`.

use countersign_inbound::ProviderSpec;

use super::settings_store::SettingsStore;
use crate::admin::providers::steps::{Shown, text};
use crate::failure::Failure;
use crate::terminal::print;

/// Prints the URL to paste and what to set in the provider's console.
pub(super) async fn show(place: &SettingsStore, spec: &ProviderSpec) -> Result<(), Failure> {
    if !place.has(spec) {
        return Err(Failure::new(format!(
            "{} is part of a deployment on AWS: name it with --table, or use sns",
            spec.name
        )));
    }
    print(&steps(place, spec).await?)
}

/// Returns the text that `provider show` prints about a provider.
pub(super) async fn steps(place: &SettingsStore, spec: &ProviderSpec) -> Result<String, Failure> {
    let settings = place.read().await?;
    let url = place.public_url(&settings).await?;
    Ok(text(&Shown {
        spec,
        secrets: place.secrets(&settings, spec)?,
        public_url: url.as_deref(),
        topic: place.topic(&settings, spec),
        token: settings.token(spec),
        command: &place.command(),
    }))
}
