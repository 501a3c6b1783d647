//! Secrets, read once at the start from Secrets Manager or the Parameter Store: the SMS providers',
//! and the origin secret.
//!
//! The environment of a function holds only the place of each: more people can read environment
//! variables than should read secrets.

use countersign_api::viewer::OriginSecret;
use countersign_carrier::LookupSettings;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_inbound::generic::Generic;
use countersign_inbound::{InboundSecret, Providers};
use serde::Deserialize;

use crate::config::SecretSource;
use crate::error::failed;
use crate::services::Services;

const INBOUND: &str = "inbound secrets";
const ORIGIN: &str = "origin secret";
const CARRIER_LOOKUP: &str = "carrier lookup settings";

/// Reads the secrets that authenticate the calls of SMS providers.
///
/// # Errors
/// Fails if the secret cannot be read, or is malformed.
pub async fn inbound(services: &Services, source: &SecretSource) -> Result<Providers, Unavailable> {
    let text = read(services, source, INBOUND).await?;
    let generic = parse(&text).ok_or_else(|| {
        Unavailable::new(
            INBOUND,
            "neither {\"generic\":\"whsec_…\"} nor whsec_ and the Base64 of 24 to 64 bytes",
        )
    })?;
    let providers = Providers::default();
    Ok(match generic {
        Some(secret) => providers.with(Generic::new(secret)),
        None => providers,
    })
}

/// Reads the secret that CloudFront adds to requests: the text without spaces around it.
///
/// # Errors
/// Fails if the secret cannot be read, or is malformed.
pub async fn origin(
    services: &Services,
    source: &SecretSource,
) -> Result<OriginSecret, Unavailable> {
    let text = read(services, source, ORIGIN).await?;
    text.trim()
        .parse()
        .map_err(|error| Unavailable::new(ORIGIN, error))
}

/// Reads the settings of look-ups with Twilio, which hold its credentials.
///
/// # Errors
/// Fails if the secret cannot be read, or is malformed.
pub async fn carrier_lookup(
    services: &Services,
    source: &SecretSource,
) -> Result<LookupSettings, Unavailable> {
    let text = read(services, source, CARRIER_LOOKUP).await?;
    LookupSettings::parse(text.as_bytes()).map_err(|error| Unavailable::new(CARRIER_LOOKUP, error))
}

async fn read(
    services: &Services,
    source: &SecretSource,
    what: &'static str,
) -> Result<String, Unavailable> {
    let text = match source {
        SecretSource::SecretsManager(name) => {
            services
                .secrets_manager()
                .get_secret_value()
                .secret_id(name)
                .send()
                .await
                .map_err(|error| failed(what, &error))?
                .secret_string
        }
        SecretSource::Parameter(name) => services
            .parameter_store()
            .get_parameter()
            .name(name)
            .with_decryption(true)
            .send()
            .await
            .map_err(|error| failed(what, &error))?
            .parameter
            .and_then(|parameter| parameter.value),
    };
    text.ok_or_else(|| Unavailable::new(what, "it holds no text"))
}

/// The JSON form: one secret for each provider.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ByProvider {
    #[serde(default)]
    generic: Option<String>,
}

/// Parses secrets by provider, or the secret of the generic provider, which may have none.
#[expect(clippy::option_option, reason = "malformed, off, on")]
fn parse(text: &str) -> Option<Option<InboundSecret>> {
    let text = text.trim();
    if text.starts_with('{') {
        let secrets: ByProvider = serde_json::from_str(text).ok()?;
        return match secrets.generic {
            Some(generic) => Some(Some(secret(&generic)?)),
            None => Some(None),
        };
    }
    Some(Some(secret(text)?))
}

/// Parses a secret with or without its prefix: services that generate secrets cannot add one.
fn secret(text: &str) -> Option<InboundSecret> {
    text.parse::<InboundSecret>()
        .or_else(|_| format!("whsec_{text}").parse())
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE64: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    fn generic(text: &str) -> Option<String> {
        Some(parse(text)??.reveal().to_string())
    }

    #[test]
    fn secret_is_read_in_each_of_its_forms() {
        let whole = format!("whsec_{BASE64}");
        for text in [
            whole.clone(),
            BASE64.to_owned(),
            format!("{whole}\n"),
            format!(r#"{{"generic":"{whole}"}}"#),
            format!(r#"{{ "generic": "{BASE64}" }}"#),
        ] {
            assert_eq!(generic(&text), Some(whole.clone()), "{text}");
        }
    }

    #[test]
    fn generated_letters_and_digits_are_a_secret() {
        let generated = "Zk3vQm9sT1xWb7nYc5pLr2dKh8fJg4aUe6iOo0tSwAqB";
        assert!(generic(&format!(r#"{{"generic":"{generated}"}}"#)).is_some());
    }

    #[test]
    fn provider_without_a_secret_has_none() {
        assert!(parse("{}").is_some_and(|secret| secret.is_none()));
    }

    #[test]
    fn malformed_secret_is_refused() {
        for text in [
            "",
            "{",
            "short",
            r#"{"generic":"short"}"#,
            r#"{"twilio":"x"}"#,
            "[]",
        ] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
