//! Secrets, read once at the start from where the operator keeps them: the providers', and the
//! origin secret.
//!
//! A function's environment holds only where that is: variables can be read by many who have no
//! business with secrets.

use countersign_api::viewer::OriginSecret;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_inbound::{InboundSecret, InboundSecrets};
use serde::Deserialize;

use crate::configuration::SecretSource;
use crate::services::Services;
use crate::told::failed;

const INBOUND: &str = "inbound secrets";
const ORIGIN: &str = "origin secret";

/// Reads what providers' calls are authenticated with.
pub async fn inbound(
    services: &Services,
    source: &SecretSource,
) -> Result<InboundSecrets, Unavailable> {
    let text = read(services, source, INBOUND).await?;
    parse(&text).ok_or_else(|| {
        Unavailable::new(
            INBOUND,
            "neither {\"generic\":\"whsec_…\"} nor a secret of the form whsec_ and the Base64 of 24 to 64 bytes",
        )
    })
}

/// Reads what CloudFront proves itself with: the text as it is, but for spaces around it.
pub async fn origin(
    services: &Services,
    source: &SecretSource,
) -> Result<OriginSecret, Unavailable> {
    let text = read(services, source, ORIGIN).await?;
    OriginSecret::parse(text.trim()).map_err(|error| Unavailable::new(ORIGIN, error))
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
    text.ok_or_else(|| Unavailable::new(what, "there is no text in it"))
}

/// One secret for each provider.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    generic: Option<String>,
}

/// Reads an object of secrets by provider, or the generic provider's alone.
fn parse(text: &str) -> Option<InboundSecrets> {
    let text = text.trim();
    if text.starts_with('{') {
        let written: Written = serde_json::from_str(text).ok()?;
        let generic = match written.generic {
            Some(generic) => Some(secret(&generic)?),
            None => None,
        };
        return Some(InboundSecrets { generic });
    }
    Some(InboundSecrets {
        generic: Some(secret(text)?),
    })
}

/// A secret, with its prefix or without, since services that generate secrets cannot put it there.
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
        let secrets = parse(text)?;
        Some(secrets.generic?.reveal().to_string())
    }

    #[test]
    fn a_secret_is_found_in_each_of_its_forms() {
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
    fn forty_four_generated_letters_and_digits_are_a_secret() {
        let generated = "Zk3vQm9sT1xWb7nYc5pLr2dKh8fJg4aUe6iOo0tSwAqB";
        assert!(generic(&format!(r#"{{"generic":"{generated}"}}"#)).is_some());
    }

    #[test]
    fn a_provider_without_a_secret_is_not_served() {
        assert!(parse("{}").is_some_and(|secrets| secrets.generic.is_none()));
    }

    #[test]
    fn anything_else_is_refused() {
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
