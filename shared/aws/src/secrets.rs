//! Secrets in Secrets Manager: the settings of SMS providers, Twilio's credentials, the origin secret,
//! and the secret for webhooks.
//!
//! The environment of a function holds only the name of each: more people can read environment
//! variables than should read secrets.

use aws_sdk_secretsmanager::error::SdkError;
use countersign_api::viewer::OriginSecret;
use countersign_carrier::LookupSettings;
use countersign_domain::delivery::master_secret::MasterSecret;
use countersign_domain::primitives::unavailable::Unavailable;

use crate::config::SecretName;
use crate::error::failed;
use crate::services::Services;

const PROVIDERS: &str = "settings of SMS providers";
const ORIGIN: &str = "origin secret";
const WEBHOOKS: &str = "secret for webhooks";
const CARRIER_LOOKUP: &str = "carrier lookup settings";

/// Reads the settings of SMS providers, a JSON document. Returns `None` if nothing has been written.
///
/// # Errors
/// Fails if they cannot be read.
pub async fn providers(
    services: &Services,
    secret: &SecretName,
) -> Result<Option<String>, Unavailable> {
    read(services, secret, PROVIDERS).await
}

/// Writes the settings of SMS providers. The secret must exist.
///
/// # Errors
/// Fails if they cannot be written.
pub async fn write_providers(
    services: &Services,
    secret: &SecretName,
    text: &str,
) -> Result<(), Unavailable> {
    let put = services.secrets_manager().put_secret_value();
    let put = put.secret_id(secret.as_str()).secret_string(text);
    let written = put.send().await;
    written.map_err(|error| failed(PROVIDERS, &error))?;
    Ok(())
}

/// Reads the secret that CloudFront adds to requests: the text without spaces around it.
///
/// # Errors
/// Fails if the secret cannot be read, or is malformed.
pub async fn origin(services: &Services, secret: &SecretName) -> Result<OriginSecret, Unavailable> {
    let text = existing(services, secret, ORIGIN).await?;
    let origin = text.trim().parse();
    origin.map_err(|error| Unavailable::new(ORIGIN, error))
}

/// Reads the secret from which the webhook secrets of apps derive: the text without spaces around it.
///
/// # Errors
/// Fails if the secret cannot be read, or is malformed.
pub async fn webhooks(
    services: &Services,
    secret: &SecretName,
) -> Result<MasterSecret, Unavailable> {
    let text = existing(services, secret, WEBHOOKS).await?;
    let master = text.trim().parse();
    master.map_err(|error| Unavailable::new(WEBHOOKS, error))
}

/// Reads the settings of look-ups with Twilio, which hold its credentials.
///
/// # Errors
/// Fails if the secret cannot be read, or is malformed.
pub async fn carrier_lookup(
    services: &Services,
    secret: &SecretName,
) -> Result<LookupSettings, Unavailable> {
    let text = existing(services, secret, CARRIER_LOOKUP).await?;
    LookupSettings::parse(text.as_bytes()).map_err(|error| Unavailable::new(CARRIER_LOOKUP, error))
}

async fn existing(
    services: &Services,
    secret: &SecretName,
    what: &'static str,
) -> Result<String, Unavailable> {
    let text = read(services, secret, what).await?;
    text.ok_or_else(|| Unavailable::new(what, "it does not exist"))
}

/// Returns the text of a secret, or `None` if there is no such secret, or it has no value yet.
async fn read(
    services: &Services,
    secret: &SecretName,
    what: &'static str,
) -> Result<Option<String>, Unavailable> {
    let get = services.secrets_manager().get_secret_value();
    match get.secret_id(secret.as_str()).send().await {
        Ok(value) => {
            let text = value.secret_string;
            let text = text.ok_or_else(|| Unavailable::new(what, "it holds no text"))?;
            Ok(Some(text))
        }
        Err(SdkError::ServiceError(refusal)) if refusal.err().is_resource_not_found_exception() => {
            Ok(None)
        }
        Err(error) => Err(failed(what, &error)),
    }
}
