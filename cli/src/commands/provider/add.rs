//! `countersign provider add`.

use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_inbound::{GeneratedSecret, OptionKind, ProviderSpec};
use countersign_system::entropy::OsEntropy;
use serde_json::{Map, Value, json};
use zeroize::Zeroizing;

use super::settings_store::{Effect, SettingsStore};
use super::{KEYS, SettingsFile, change_of, is_generic, random, secret_input, show, state};
use crate::args::{AddProviderArgs, Output};
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::terminal::print;

/// Turns a provider on, or adds a secret. A running server applies the new settings immediately.
pub(super) async fn add(
    place: &SettingsStore,
    args: &AddProviderArgs,
    output: Output,
) -> Result<(), Failure> {
    let spec = args.provider.0;
    let name = spec.name;
    if !spec.has_settings() {
        return Err(Failure::new(format!(
            "{name} has no settings: `countersign --table NAME provider show {name}` says what to do"
        )));
    }
    refuse_options(spec, args)?;
    let SecretsOutcome {
        generated,
        forgotten,
    } = match place {
        SettingsStore::Data(data) if is_generic(spec) => {
            add_inbound_secret(data, spec, args.replace).await?
        }
        _ => add_to_settings(place, spec, args).await?,
    };
    let effect = place.apply().await?;
    let count = place.secrets(&place.read().await?, spec)?;
    if output.json {
        return print(
            &json!({
                "provider": name,
                "secrets": count,
                "generated": generated,
                "forgotten": forgotten,
                "inUse": effect == Effect::Now,
                "namesCarrier": spec.names_carrier,
            })
            .to_string(),
        );
    }
    let when = match effect {
        Effect::Now => ", and the running server uses it.",
        Effect::AtStart => "; the server will use it when it starts.",
        Effect::WithinAMinute => "; the functions will use it within a minute.",
    };
    let mut text = format!("{} is {}{when}", name, state(count));
    if !forgotten.is_empty() {
        let forgotten = forgotten.join(", ");
        text = format!(
            "{text}\nForgotten: {forgotten}. Calls that it signed are refused from now on."
        );
    }
    if let Some(generated) = generated {
        let generated = match spec.secrets.generated {
            // The token, which `provider show` also prints.
            None => format!("verify token: {generated}"),
            Some(_) => format!("{}: {generated}  (not shown again)", spec.secrets.label),
        };
        text = format!("{text}\n{generated}");
    }
    if !spec.names_carrier && !place.looks_carriers_up() {
        text = format!(
            "{text}\nIts texts do not name the sender's carrier: `carrier` stays empty until a lookup is set, see \
             docs/providers.md#carrier-lookup."
        );
    }
    if let Some(GeneratedSecret::Typed(_)) = spec.secrets.generated {
        let steps = show::steps(place, spec).await?;
        return print(&format!("{text}\n\n{steps}"));
    }
    print(&format!(
        "{text}\nNext: {} provider show {}",
        place.command(),
        name
    ))
}

/// The effect on the secrets.
struct SecretsOutcome {
    /// The generated secret.
    generated: Option<String>,
    /// The last characters of each dropped secret.
    forgotten: Vec<String>,
}

/// Returns just enough of a secret for its owner to recognize it.
fn end_of(secret: &str) -> String {
    let length = secret.chars().count();
    let end: String = secret.chars().skip(length.saturating_sub(4)).collect();
    format!("the one that ends in {end}")
}

async fn add_inbound_secret(
    data: &DataDir,
    spec: &ProviderSpec,
    alone: bool,
) -> Result<SecretsOutcome, Failure> {
    let change = change_of(spec, false);
    let given = match secret_input::piped()? {
        Some(text) => {
            let secret = text.parse::<WebhookSecret>();
            Some(secret.map_err(|malformed| Failure::because(spec.name, &malformed))?)
        }
        None => None,
    };
    let is_made = given.is_none();
    let secret = given.unwrap_or_else(|| WebhookSecret::generate(&OsEntropy));
    let forgotten = match SettingsStore::put_inbound_secret(data, &change, &secret, alone).await? {
        0 => None,
        1 if alone => Some("the former one"),
        1 => Some("the older one"),
        _ => Some("both former ones"),
    };
    Ok(SecretsOutcome {
        generated: is_made.then(|| secret.reveal().to_string()),
        forgotten: forgotten.map(str::to_owned).into_iter().collect(),
    })
}

async fn add_to_settings(
    place: &SettingsStore,
    spec: &ProviderSpec,
    args: &AddProviderArgs,
) -> Result<SecretsOutcome, Failure> {
    let given = match spec.secrets.generated {
        _ if spec.secrets.lists.is_empty() => None,
        Some(_) if args.generate => None,
        Some(GeneratedSecret::Webhook | GeneratedSecret::Typed(_)) => secret_input::piped()?,
        _ => Some(secret_input::read(spec)?),
    };
    let mut made = None;
    let secret = match (given, spec.secrets.generated) {
        (Some(secret), _) => {
            let checked = spec.check_secret(&secret);
            checked.map_err(|mistaken| Failure::new(mistaken.to_string()))?;
            Some(secret)
        }
        (None, Some(form)) => {
            let secret = generate(form);
            made = Some(secret.clone());
            Some(Zeroizing::new(secret))
        }
        (None, None) => None,
    };
    let secret = secret.as_ref().map(|secret| secret.as_str());
    let decide = |settings: &mut SettingsFile| {
        let before = secrets_in(settings, spec);
        let token = enter(&mut settings.0, spec, args, secret)?;
        let after = secrets_in(settings, spec);
        let forgotten = before.iter().filter(|secret| !after.contains(secret));
        Ok(SecretsOutcome {
            generated: token.or_else(|| made.clone()),
            forgotten: forgotten.map(|secret| end_of(secret)).collect(),
        })
    };
    place.change(&change_of(spec, false), decide).await
}

fn secrets_in(settings: &SettingsFile, spec: &ProviderSpec) -> Vec<String> {
    let secrets = settings.secrets(spec).unwrap_or_default();
    let texts = secrets.into_iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// Refuses options that belong to another provider.
fn refuse_options(spec: &ProviderSpec, args: &AddProviderArgs) -> Result<(), Failure> {
    let is_generated = args.generate.then_some("generate").filter(|_| {
        let generated = spec.secrets.generated;
        generated.is_none_or(|generated| generated == GeneratedSecret::Webhook)
    });
    let mut given = args.options.flags();
    let foreign = given.find(|flag| spec.options.iter().all(|option| option.flag != *flag));
    match foreign.or(is_generated) {
        Some(flag) => Err(Failure::new(format!("{} has no --{flag}", spec.name))),
        None => Ok(()),
    }
}

/// Adds a secret and options to the settings. Returns the token for the provider's console if it was
/// generated.
fn enter(
    settings: &mut Map<String, Value>,
    spec: &ProviderSpec,
    args: &AddProviderArgs,
    secret: Option<&str>,
) -> Result<Option<String>, Failure> {
    let name = spec.name;
    let entry = settings.entry(name).or_insert_with(|| json!({}));
    let Value::Object(entry) = entry else {
        return Err(Failure::new(format!(
            "the settings of {name} are not an object"
        )));
    };
    // The list and the API key for the new secret.
    let mut list = spec.secrets.lists.first().copied();
    let mut api_key = None;
    for option in spec.options {
        let given = args.options.get(option.flag);
        match (&option.kind, given) {
            (OptionKind::Required(_) | OptionKind::WithList(..), Some(value)) => {
                entry.insert(option.member.to_owned(), json!(value));
            }
            (OptionKind::List(other), Some(_)) => list = Some(*other),
            (OptionKind::ApiKey, Some(key)) => api_key = Some(key),
            (_, None) => {}
        }
        let is_set = entry.contains_key(option.member);
        match option.kind {
            OptionKind::Required(_) if !is_set => {
                return Err(Failure::new(format!(
                    "{name} needs --{}; `countersign provider add --help` explains it",
                    option.flag
                )));
            }
            OptionKind::WithList(_, other) if is_set => list = Some(other),
            _ => {}
        }
    }
    match (secret, api_key, list) {
        (Some(secret), Some(key), _) => put_for_key(entry, key, args.replace, secret)?,
        (Some(secret), None, Some(list)) => put_first(entry, spec, list, args.replace, secret),
        _ => {}
    }
    let token = spec
        .secrets
        .token
        .filter(|member| !entry.contains_key(*member));
    Ok(token.map(|member| {
        let token = random(32);
        entry.insert(member.to_owned(), json!(token));
        token
    }))
}

/// Puts a secret first in a list, and keeps at most one other secret, or none if all are to be
/// replaced.
fn put_first(
    entry: &mut Map<String, Value>,
    spec: &ProviderSpec,
    list: &str,
    replace: bool,
    secret: &str,
) {
    let mut kept: Option<(&str, Value)> = None;
    for other in spec.secrets.lists {
        let newest = newest_other(entry.remove(*other), secret);
        // The list that receives the new secret takes precedence over the other one.
        if let Some(newest) = newest
            && (kept.is_none() || *other == list)
        {
            kept = Some((*other, newest));
        }
    }
    let kept = kept.filter(|(other, _)| !replace && (!spec.secrets.one_list || *other == list));
    match kept {
        Some((other, old)) if other == list => {
            entry.insert(list.to_owned(), json!([secret, old]));
        }
        Some((other, old)) => {
            entry.insert(list.to_owned(), json!([secret]));
            entry.insert(other.to_owned(), json!([old]));
        }
        None => {
            entry.insert(list.to_owned(), json!([secret]));
        }
    }
}

/// Returns the newest present secret other than the one to add. A repeated command thus drops
/// nothing.
fn newest_other(present: Option<Value>, secret: &str) -> Option<Value> {
    let present = match present {
        Some(Value::Array(several)) => several,
        one => one.into_iter().collect(),
    };
    let mut others = present.into_iter();
    others.find(|other| other.as_str() != Some(secret))
}

/// Puts a secret first in the list of an API key, and keeps at most one other secret, or none if
/// all are to be replaced.
fn put_for_key(
    entry: &mut Map<String, Value>,
    key: &str,
    replace: bool,
    secret: &str,
) -> Result<(), Failure> {
    let keys = entry.entry(KEYS).or_insert_with(|| json!({}));
    let Value::Object(keys) = keys else {
        return Err(Failure::new("the setting keys is not an object"));
    };
    let kept = newest_other(keys.remove(key), secret).filter(|_| !replace);
    let list: Vec<_> = [Some(json!(secret)), kept].into_iter().flatten().collect();
    keys.insert(key.to_owned(), Value::Array(list));
    Ok(())
}

fn generate(form: GeneratedSecret) -> String {
    match form {
        GeneratedSecret::Webhook => WebhookSecret::generate(&OsEntropy).reveal().to_string(),
        GeneratedSecret::Typed(bytes) | GeneratedSecret::Hex(bytes) => random(bytes),
        GeneratedSecret::Credentials(bytes) => format!("countersign:{}", random(bytes)),
    }
}

#[cfg(test)]
mod tests;
