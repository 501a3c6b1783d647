//! `countersign provider add`.

use countersign_domain::primitives::entropy::Entropy as _;
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_system::entropy::OsEntropy;
use serde_json::{Map, Value, json};
use zeroize::Zeroizing;

use super::kind::Kind;
use super::settings_store::{Effect, SettingsStore};
use super::{SettingsFile, secret_input, show, state};
use crate::args::{AddProviderArgs, Output};
use crate::console::say;
use crate::data_dir::DataDir;
use crate::failure::Failure;

/// Turns a provider on, or adds a secret. A running server uses the new settings at once.
pub(super) async fn add(
    place: &SettingsStore,
    args: &AddProviderArgs,
    output: Output,
) -> Result<(), Failure> {
    let kind = Kind::of(args.provider);
    if kind.is_on_aws_alone() {
        return Err(Failure::new(format!(
            "{} has no settings: `countersign --table NAME provider show {}` says what to do",
            kind.name, kind.name
        )));
    }
    refuse_options(kind, args)?;
    let Added {
        generated,
        forgotten,
    } = match place {
        SettingsStore::Data(data) if kind.is_generic() => {
            add_inbound_secret(data, kind, args.replace).await?
        }
        _ => add_to_settings(place, kind, args).await?,
    };
    let effect = place.apply().await?;
    let count = place.secrets(&place.read().await?, kind)?;
    if output.json {
        return say(&json!({
            "provider": kind.name,
            "secrets": count,
            "generated": generated,
            "forgotten": forgotten,
            "inUse": effect == Effect::Now,
            "namesCarrier": !kind.names_no_carrier(),
        })
        .to_string());
    }
    let when = match effect {
        Effect::Now => ", and the running server uses it.",
        Effect::AtStart => "; the server will use it when it starts.",
        Effect::WithinAMinute => "; the functions will use it within a minute.",
    };
    let mut text = format!("{} is {}{when}", kind.name, state(count));
    if !forgotten.is_empty() {
        let forgotten = forgotten.join(", ");
        text = format!(
            "{text}\nForgotten: {forgotten}. Calls that it signed are refused from now on."
        );
    }
    if let Some(generated) = generated {
        let generated = if kind.name == "whatsapp" {
            format!("verify token: {generated}")
        } else {
            format!("{}: {generated}  (not shown again)", kind.secret)
        };
        text = format!("{text}\n{generated}");
    }
    if kind.names_no_carrier() && !place.looks_carriers_up() {
        text = format!(
            "{text}\nIts texts do not name the sender's carrier: `carrier` stays empty until a look-up is set, see \
             docs/providers.md#carrier-lookup."
        );
    }
    if kind.is_phone() {
        let steps = show::steps(place, kind).await?;
        return say(&format!("{text}\n\n{steps}"));
    }
    say(&format!(
        "{text}\nNext: {} provider show {}",
        place.command(),
        kind.name
    ))
}

/// The providers whose secret is our choice.
const GENERATED: [&str; 5] = [
    "sinch",
    "sinch-conversation",
    "bandwidth",
    "infobip",
    "sms-gate",
];

/// Outcome for the secrets.
struct Added {
    /// A secret that was generated.
    generated: Option<String>,
    /// The secrets that were dropped, by their ends.
    forgotten: Vec<String>,
}

/// Returns every secret in the settings of a provider.
fn secrets_in(settings: &Map<String, Value>, kind: &Kind) -> Vec<String> {
    let entry = settings.get(kind.name);
    let members = entry.into_iter().flat_map(|entry| {
        let by_key = entry["keys"].as_object().into_iter().flat_map(Map::values);
        kind.secrets.iter().map(|name| &entry[*name]).chain(by_key)
    });
    let texts = members.flat_map(|member| match member {
        Value::Array(several) => several.iter().collect(),
        one => vec![one],
    });
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns enough of a secret for its owner to recognise it.
fn end_of(secret: &str) -> String {
    let length = secret.chars().count();
    let end: String = secret.chars().skip(length.saturating_sub(4)).collect();
    format!("the one that ends in {end}")
}

async fn add_inbound_secret(data: &DataDir, kind: &Kind, alone: bool) -> Result<Added, Failure> {
    let change = kind.change(false);
    let given = match secret_input::piped()? {
        Some(text) => {
            let secret = text.parse::<WebhookSecret>();
            Some(secret.map_err(|malformed| Failure::because(kind.name, &malformed))?)
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
    Ok(Added {
        generated: is_made.then(|| secret.reveal().to_string()),
        forgotten: forgotten.map(str::to_owned).into_iter().collect(),
    })
}

async fn add_to_settings(
    place: &SettingsStore,
    kind: &Kind,
    args: &AddProviderArgs,
) -> Result<Added, Failure> {
    let given = match (kind.secrets, args.generate) {
        ([], _) | (_, true) => None,
        (_, false) if kind.is_phone() || kind.is_generic() => secret_input::piped()?,
        (_, false) => Some(secret_input::read(kind)?),
    };
    let mut made = None;
    let secret = match (kind.secrets, given) {
        ([], _) => None,
        (_, Some(secret)) => {
            kind.check_secret(&secret)?;
            Some(secret)
        }
        (_, None) => {
            let secret = generate(kind)?;
            made = Some(secret.clone());
            Some(Zeroizing::new(secret))
        }
    };
    let secret = secret.as_ref().map(|secret| secret.as_str());
    let decide = |settings: &mut SettingsFile| {
        let before = secrets_in(&settings.0, kind);
        let token = enter(&mut settings.0, kind, args, secret)?;
        let after = secrets_in(&settings.0, kind);
        let forgotten = before.iter().filter(|secret| !after.contains(secret));
        Ok(Added {
            generated: token.or_else(|| made.clone()),
            forgotten: forgotten.map(|secret| end_of(secret)).collect(),
        })
    };
    place.change(&kind.change(false), decide).await
}

/// Refuses options that belong to another provider.
fn refuse_options(kind: &Kind, args: &AddProviderArgs) -> Result<(), Failure> {
    let hmac = kind.name == "infobip";
    for (given, option, belongs) in [
        (args.shared_key, "--shared-key", kind.name == "twilio"),
        (
            args.algorithm.is_some(),
            "--algorithm",
            hmac || kind.options.contains(&"algorithm"),
        ),
        (
            args.signature.is_some(),
            "--signature",
            kind.options.contains(&"signature"),
        ),
        (args.header.is_some(), "--header", hmac),
        (args.key.is_some(), "--key", kind.name == "vonage-messages"),
        (
            args.topic.is_some(),
            "--topic",
            kind.options.contains(&"topic"),
        ),
        (
            args.signature_version.is_some(),
            "--signature-version",
            kind.options.contains(&"signatureVersion"),
        ),
        (
            args.number.is_some(),
            "--number",
            kind.options.contains(&"number"),
        ),
        (
            args.country.is_some(),
            "--country",
            kind.options.contains(&"country"),
        ),
        (args.generate, "--generate", GENERATED.contains(&kind.name)),
    ] {
        if given && !belongs {
            return Err(Failure::new(format!("{} has no {option}", kind.name)));
        }
    }
    Ok(())
}

/// Enters a secret and options into the settings. Returns the verify token of WhatsApp if it had to be
/// generated.
fn enter(
    settings: &mut Map<String, Value>,
    kind: &Kind,
    args: &AddProviderArgs,
    secret: Option<&str>,
) -> Result<Option<String>, Failure> {
    let entry = settings.entry(kind.name).or_insert_with(|| json!({}));
    let Value::Object(entry) = entry else {
        return Err(Failure::new(format!(
            "the settings of {} are not an object",
            kind.name
        )));
    };
    for (member, value) in [
        ("algorithm", &args.algorithm),
        ("signature", &args.signature),
        ("header", &args.header),
        ("topic", &args.topic),
        ("signatureVersion", &args.signature_version),
        ("number", &args.number),
        ("country", &args.country),
    ] {
        if let Some(value) = value {
            entry.insert(member.to_owned(), json!(value));
        }
    }
    for option in kind.options {
        if !entry.contains_key(*option) {
            let option = option.replace("signatureVersion", "signature-version");
            return Err(Failure::new(format!(
                "{} needs --{option}; `countersign provider add --help` explains it",
                kind.name
            )));
        }
    }
    match (secret, &args.key) {
        (Some(secret), Some(key)) => put_for_key(entry, key, args.replace, secret)?,
        (Some(secret), None) => put_first(entry, kind, args, secret),
        (None, _) => {}
    }
    if kind.name != "whatsapp" || entry.contains_key("verifyToken") {
        return Ok(None);
    }
    let token = random::<32>();
    entry.insert("verifyToken".to_owned(), json!(token));
    Ok(Some(token))
}

/// Puts a secret first, and keeps at most one other unless all are to be replaced.
fn put_first(entry: &mut Map<String, Value>, kind: &Kind, args: &AddProviderArgs, secret: &str) {
    let member = match kind.name {
        "twilio" if args.shared_key => "sharedKeys",
        "infobip" if entry.contains_key("algorithm") => "secrets",
        _ => kind.secrets.first().copied().unwrap_or_default(),
    };
    let mut kept: Option<(&str, Value)> = None;
    for other in kind.secrets {
        let newest = newest_other(entry.remove(*other), secret);
        // The member that the new secret goes into counts before the other.
        if let Some(newest) = newest
            && (kept.is_none() || *other == member)
        {
            kept = Some((*other, newest));
        }
    }
    // Infobip has one kind of proof at a time.
    let kept =
        kept.filter(|(other, _)| !args.replace && (kind.name != "infobip" || *other == member));
    match kept {
        Some((other, old)) if other == member => {
            entry.insert(member.to_owned(), json!([secret, old]));
        }
        Some((other, old)) => {
            entry.insert(member.to_owned(), json!([secret]));
            entry.insert(other.to_owned(), json!([old]));
        }
        None => {
            entry.insert(member.to_owned(), json!([secret]));
        }
    }
}

/// Returns the newest of the present secrets that is not the one to be added. A command that is
/// repeated then forgets nothing.
fn newest_other(present: Option<Value>, secret: &str) -> Option<Value> {
    let present = match present {
        Some(Value::Array(several)) => several,
        one => one.into_iter().collect(),
    };
    let mut others = present.into_iter();
    others.find(|other| other.as_str() != Some(secret))
}

/// Puts a secret first among those of an API key, and keeps at most one other unless all are to be
/// replaced.
fn put_for_key(
    entry: &mut Map<String, Value>,
    key: &str,
    replace: bool,
    secret: &str,
) -> Result<(), Failure> {
    let keys = entry.entry("keys").or_insert_with(|| json!({}));
    let Value::Object(keys) = keys else {
        return Err(Failure::new("the setting keys is not an object"));
    };
    let kept = newest_other(keys.remove(key), secret).filter(|_| !replace);
    let list: Vec<_> = [Some(json!(secret)), kept].into_iter().flatten().collect();
    keys.insert(key.to_owned(), Value::Array(list));
    Ok(())
}

fn generate(kind: &Kind) -> Result<String, Failure> {
    match kind.name {
        "generic" => Ok(WebhookSecret::generate(&OsEntropy).reveal().to_string()),
        "sinch" | "sinch-conversation" => Ok(random::<32>()),
        // Somebody may have to type it on a phone.
        "sms-gate" => Ok(random::<16>()),
        "bandwidth" | "infobip" => Ok(format!("countersign:{}", random::<32>())),
        name => Err(Failure::new(format!("{name} has no --generate"))),
    }
}

/// Returns random bytes in hexadecimal.
fn random<const BYTES: usize>() -> String {
    let mut bytes = [0; BYTES];
    OsEntropy.fill(&mut bytes);
    let hex = bytes.iter().map(|byte| format!("{byte:02x}"));
    hex.collect()
}

#[cfg(test)]
mod tests;
