//! `countersign provider remove`.

use std::path::Path;

use serde_json::json;

use super::SettingsFile;
use super::kind::Kind;
use crate::admin::target;
use crate::args::{Output, ProviderName};
use crate::console::say;
use crate::data_dir::{DataDir, PROVIDERS};
use crate::failure::Failure;

/// Turns a provider off and forgets its settings. A running server stops taking its calls at once.
pub(super) async fn remove(path: &Path, name: ProviderName, output: Output) -> Result<(), Failure> {
    let data = DataDir::existing(path).map_err(|error| Failure::of(&error))?;
    let kind = Kind::of(name);
    if kind.is_generic() {
        return Err(Failure::new(
            "the generic provider is always on. To refuse calls with its present secrets, run \
             `countersign provider add generic` twice",
        ));
    }
    let mut settings = SettingsFile::read(&data)?;
    let was_on = settings.0.remove(kind.name).is_some();
    if was_on {
        let text = settings.text()?;
        data.write(PROVIDERS, &text)
            .map_err(|error| Failure::of(&error))?;
    }
    // Even if it was off: a change of the file by hand may not be in use yet.
    let running = target::reread_providers(&data).await?;
    if output.json {
        return say(&json!({
            "provider": kind.name,
            "removed": was_on,
            "inUse": running,
        })
        .to_string());
    }
    let now = if running {
        ", and the running server answers its calls with 404."
    } else {
        "."
    };
    if !was_on {
        return say(&format!("{} was off already{now}", kind.name));
    }
    say(&format!(
        "{} is off{now}\nNext: remove the URL from its console.",
        kind.name
    ))
}
