//! `countersign provider`: sets up SMS providers in `DATA/providers.json`.

mod add;
mod kind;
mod remove;
mod secret_input;
mod show;
mod test;

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use crate::admin::target;
use crate::args::{PROVIDER_NAMES, ProviderArgs, ProviderCommand, ProviderName};
use crate::console::say;
use crate::data_dir::{DataDir, PROVIDERS};
use crate::failure::Failure;
use crate::inbound_secret;
use kind::Kind;

/// Runs a command of `countersign provider`.
pub(super) async fn run(path: &Path, args: &ProviderArgs) -> Result<ExitCode, Failure> {
    match &args.what {
        ProviderCommand::Add(new) => add::add(path, new, args.output).await?,
        ProviderCommand::List => list(path, args.output.json)?,
        ProviderCommand::Show(named) => show::show(path, named.provider).await?,
        ProviderCommand::Test(test) => test::test(path, test, args.output).await?,
        ProviderCommand::Remove(named) => {
            remove::remove(path, named.provider, args.output).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The settings as they are in the file.
#[derive(Default)]
struct SettingsFile(Map<String, Value>);

impl SettingsFile {
    fn read(data: &DataDir) -> Result<Self, Failure> {
        let text = data.read(PROVIDERS).map_err(|error| Failure::of(&error))?;
        let Some(text) = text else {
            return Ok(Self::default());
        };
        match serde_json::from_str(&text) {
            Ok(Value::Object(members)) => Ok(Self(members)),
            // The parser's own message would repeat values.
            _ => Err(Failure::new(format!(
                "{} is not a JSON object",
                data.providers().display()
            ))),
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

/// Returns how many secrets a provider has; `None` if it is off.
fn secrets(
    data: &DataDir,
    settings: &SettingsFile,
    name: ProviderName,
) -> Result<Option<usize>, Failure> {
    let kind = Kind::of(name);
    if !kind.is_generic() {
        return Ok(settings.secrets(kind));
    }
    let secrets = inbound_secret::read_all(data).map_err(|error| Failure::of(&error))?;
    Ok(secrets.map(|secrets| if secrets.is_pair() { 2 } else { 1 }))
}

fn state(secrets: Option<usize>) -> String {
    match secrets {
        None => "off".to_owned(),
        Some(0) => "on".to_owned(),
        Some(1) => "on with 1 secret".to_owned(),
        Some(count) => format!("on with {count} secrets"),
    }
}

fn list(path: &Path, as_json: bool) -> Result<(), Failure> {
    let data = DataDir::existing(path).map_err(|error| Failure::of(&error))?;
    let settings = SettingsFile::read(&data)?;
    let mut lines = Vec::new();
    let mut objects = Vec::new();
    for name in PROVIDER_NAMES {
        let secrets = secrets(&data, &settings, ProviderName(name))?;
        lines.push(format!("{name:<16}  {}", state(secrets)));
        objects.push(json!({ "provider": name, "on": secrets.is_some(), "secrets": secrets }));
    }
    if as_json {
        say(&Value::Array(objects).to_string())
    } else {
        say(&lines.join("\n"))
    }
}

/// Returns the public URL: the one of the settings, or else the running server's.
async fn public_url(data: &DataDir, settings: &SettingsFile) -> Result<Option<String>, Failure> {
    match settings.public_url() {
        Some(url) => Ok(Some(url.to_owned())),
        None => target::public_url(data).await,
    }
}
