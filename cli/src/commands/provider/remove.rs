//! `countersign provider remove`.

use countersign_inbound::ProviderSpec;
use serde_json::json;

use super::settings_store::{Effect, SettingsStore};
use super::{SettingsFile, change_of, is_generic};
use crate::args::Output;
use crate::failure::Failure;
use crate::terminal::print;

/// Turns a provider off and forgets its settings. A running server stops accepting its requests
/// immediately.
pub(super) async fn remove(
    place: &SettingsStore,
    spec: &ProviderSpec,
    output: Output,
) -> Result<(), Failure> {
    if !spec.has_settings() {
        return Err(Failure::new(format!(
            "{} has no settings: unsubscribe the function from the topic instead",
            spec.name
        )));
    }
    if is_generic(spec) && matches!(place, SettingsStore::Data(_)) {
        return Err(Failure::new(
            "the generic provider is always on. To refuse calls with its present secrets, run \
             `countersign provider add generic --replace`",
        ));
    }
    let decide = |settings: &mut SettingsFile| Ok(settings.0.remove(spec.name).is_some());
    let was_on = place.change(&change_of(spec, true), decide).await?;
    // Also if the provider was off: the file may have been edited manually and not be in use yet.
    let effect = place.apply().await?;
    if output.json {
        return print(
            &json!({
                "provider": spec.name,
                "removed": was_on,
                "inUse": effect == Effect::Now,
            })
            .to_string(),
        );
    }
    let now = match effect {
        Effect::Now => ", and the running server answers its calls with 404.",
        Effect::AtStart => ".",
        Effect::WithinAMinute => "; within a minute the functions answer its calls with 404.",
    };
    if !was_on {
        return print(&format!("{} was off already{now}", spec.name));
    }
    print(&format!(
        "{} is off{now}\nNext: remove the URL from its console.",
        spec.name
    ))
}
