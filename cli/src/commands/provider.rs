//! `countersign provider`: sets up SMS providers, in `DATA/providers.json` or on AWS.

mod add;
mod remove;
mod secret_input;
mod settings_store;
mod show;
mod test;

use std::process::ExitCode;

use countersign_inbound::{ProviderSpec, SPECS};
use serde_json::{Value, json};

use crate::admin::audit::ChangeProvider;
use crate::admin::providers::settings_store::{KEYS, is_generic};
use crate::admin::providers::steps::state;
use crate::admin::providers::trial::random;
use crate::admin::target::Target;
use crate::args::{ProviderArgs, ProviderCommand};
use crate::failure::Failure;
use crate::terminal::print;
use settings_store::{SettingsFile, SettingsStore};

/// Runs a command of `countersign provider`.
pub(super) async fn run(target: Target<'_>, args: &ProviderArgs) -> Result<ExitCode, Failure> {
    let place = SettingsStore::existing(target).await?;
    match &args.command {
        ProviderCommand::Add(new) => add::add(&place, new, args.output).await?,
        ProviderCommand::List => list(&place, args.output.json).await?,
        ProviderCommand::Show(named) => show::show(&place, named.provider.0).await?,
        ProviderCommand::Test(test) => test::test(&place, test, args.output).await?,
        ProviderCommand::Remove(named) => {
            remove::remove(&place, named.provider.0, args.output).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the audit record for a change of a provider's settings.
fn change_of(spec: &ProviderSpec, removed: bool) -> ChangeProvider {
    ChangeProvider {
        provider: spec.name.to_owned(),
        removed,
    }
}

async fn list(place: &SettingsStore, as_json: bool) -> Result<(), Failure> {
    let settings = place.read().await?;
    let mut lines = Vec::new();
    let mut objects = Vec::new();
    for spec in SPECS {
        if !place.has(spec) {
            continue;
        }
        let (name, secrets) = (spec.name, place.secrets(&settings, spec)?);
        lines.push(format!("{name:<18}  {}", state(secrets)));
        objects.push(json!({ "provider": name, "on": secrets.is_some(), "secrets": secrets }));
    }
    if as_json {
        print(&Value::Array(objects).to_string())
    } else {
        print(&lines.join("\n"))
    }
}
