//! `countersign provider`: sets up SMS providers, in `DATA/providers.json` or on AWS.

mod add;
mod kind;
mod remove;
mod secret_input;
mod settings_store;
mod show;
mod test;

use std::fmt::Display;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use crate::admin::target::Target;
use crate::args::{PROVIDER_NAMES, ProviderArgs, ProviderCommand, ProviderName};
use crate::console::say;
use crate::failure::Failure;
use kind::Kind;
use settings_store::SettingsStore;

/// Runs a command of `countersign provider`.
pub(super) async fn run(target: Target<'_>, args: &ProviderArgs) -> Result<ExitCode, Failure> {
    let place = SettingsStore::existing(target).await?;
    match &args.what {
        ProviderCommand::Add(new) => add::add(&place, new, args.output).await?,
        ProviderCommand::List => list(&place, args.output.json).await?,
        ProviderCommand::Show(named) => show::show(&place, named.provider).await?,
        ProviderCommand::Test(test) => test::test(&place, test, args.output).await?,
        ProviderCommand::Remove(named) => {
            remove::remove(&place, named.provider, args.output).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The settings as they are written.
#[derive(Clone, Default, PartialEq)]
struct SettingsFile(Map<String, Value>);

impl SettingsFile {
    /// Parses settings from `place`; `None` if none have been written.
    fn parse(text: Option<&str>, place: impl Display) -> Result<Self, Failure> {
        let Some(text) = text else {
            return Ok(Self::default());
        };
        match serde_json::from_str(text) {
            Ok(Value::Object(members)) => Ok(Self(members)),
            // The parser's own message would repeat values.
            _ => Err(Failure::new(format!("{place} is not a JSON object"))),
        }
    }

    /// Returns the settings in the form in which they are written.
    fn text(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(&self.0);
        let text = text.map_err(|error| Failure::because("the settings", &error))?;
        Ok(format!("{text}\n"))
    }

    fn public_url(&self) -> Option<&str> {
        self.0.get("publicUrl")?.as_str()
    }

    fn verify_token(&self, kind: &Kind) -> Option<&str> {
        self.0.get(kind.name)?.get("verifyToken")?.as_str()
    }

    fn topic(&self) -> Option<&str> {
        self.0.get("sns")?.get("topic")?.as_str()
    }

    /// Returns how many secrets a provider has; `None` if it is off.
    fn secrets(&self, kind: &Kind) -> Option<usize> {
        let settings = self.0.get(kind.name)?;
        let count = |member: &&str| match settings.get(*member) {
            Some(Value::Array(several)) => several.len(),
            Some(_) => 1,
            None => 0,
        };
        let one_key = |list: &Value| list.as_array().map_or(1, Vec::len);
        let keys = settings.get("keys").and_then(Value::as_object);
        let of_keys = keys.map_or(0, |keys| keys.values().map(one_key).sum());
        Some(kind.secrets.iter().map(count).sum::<usize>() + of_keys)
    }
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
    for name in PROVIDER_NAMES {
        let kind = Kind::of(ProviderName(name));
        if !place.has(kind) {
            continue;
        }
        let secrets = place.secrets(&settings, kind)?;
        lines.push(format!("{name:<18}  {}", state(secrets)));
        objects.push(json!({ "provider": name, "on": secrets.is_some(), "secrets": secrets }));
    }
    if as_json {
        say(&Value::Array(objects).to_string())
    } else {
        say(&lines.join("\n"))
    }
}
