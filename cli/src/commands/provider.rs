//! `countersign provider`: sets up SMS providers, in `DATA/providers.json` or on AWS.

mod add;
mod remove;
mod secret_input;
mod settings_store;
mod show;
mod test;

use std::fmt::Display;
use std::process::ExitCode;

use countersign_domain::primitives::entropy::Entropy as _;
use countersign_inbound::{ProviderSpec, SPECS, generic, sns};
use countersign_system::entropy::OsEntropy;
use serde_json::{Map, Value, json};

use crate::admin::audit::ChangeProvider;
use crate::admin::target::Target;
use crate::args::{ProviderArgs, ProviderCommand};
use crate::failure::Failure;
use crate::terminal::print;
use settings_store::SettingsStore;

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

/// The settings as stored.
#[derive(Clone, Default, PartialEq)]
struct SettingsFile(Map<String, Value>);

impl SettingsFile {
    /// Parses settings from `place`; `None` if they were never written.
    fn parse(text: Option<&str>, place: impl Display) -> Result<Self, Failure> {
        let Some(text) = text else {
            return Ok(Self::default());
        };
        match serde_json::from_str(text) {
            Ok(Value::Object(members)) => Ok(Self(members)),
            // The parser's own message would quote values.
            _ => Err(Failure::new(format!("{place} is not a JSON object"))),
        }
    }

    /// Returns the settings in their stored form.
    fn text(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(&self.0);
        let text = text.map_err(|error| Failure::because("the settings", &error))?;
        Ok(format!("{text}\n"))
    }

    fn public_url(&self) -> Option<&str> {
        self.0.get("publicUrl")?.as_str()
    }

    /// Returns the token for the provider's console.
    fn token(&self, spec: &ProviderSpec) -> Option<&str> {
        self.0.get(spec.name)?.get(spec.secrets.token?)?.as_str()
    }

    fn topic(&self) -> Option<&str> {
        self.0.get(sns::NAME)?.get("topic")?.as_str()
    }

    /// Returns the secrets of a provider; `None` if it is off.
    fn secrets(&self, spec: &ProviderSpec) -> Option<Vec<&Value>> {
        let settings = self.0.get(spec.name)?;
        let lists = spec
            .secrets
            .lists
            .iter()
            .filter_map(|list| settings.get(*list));
        let keys = settings.get(KEYS).filter(|_| spec.secrets.by_key);
        let keys = keys
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::values);
        let secrets = lists.chain(keys).flat_map(|list| match list {
            Value::Array(several) => several.as_slice(),
            one => std::slice::from_ref(one),
        });
        Some(secrets.collect())
    }
}

/// The member that contains the secrets of each API key.
const KEYS: &str = "keys";

/// Returns the audit record for a change of a provider's settings.
fn change_of(spec: &ProviderSpec, removed: bool) -> ChangeProvider {
    ChangeProvider {
        provider: spec.name.to_owned(),
        removed,
    }
}

/// Returns whether this is the generic provider, which has a separate file for its secrets in a data
/// directory.
fn is_generic(spec: &ProviderSpec) -> bool {
    spec.name == generic::NAME
}

/// Returns random bytes in hexadecimal.
fn random(bytes: usize) -> String {
    let mut random = vec![0; bytes];
    OsEntropy.fill(&mut random);
    let hex = random.iter().map(|byte| format!("{byte:02x}"));
    hex.collect()
}

fn state(secrets: Option<usize>) -> String {
    match secrets {
        None => "off".to_owned(),
        Some(0) => "on".to_owned(),
        Some(1) => "on with 1 secret".to_owned(),
        Some(count) => format!("on with {count} secrets"),
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
