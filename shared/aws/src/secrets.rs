//! Secrets in Secrets Manager: the settings of SMS providers, Twilio's credentials, the origin secret,
//! and the secret for webhooks.
//!
//! The environment of a function contains only the name of each secret: more people can read
//! environment variables than should read secrets.

use std::fmt;

use aws_sdk_secretsmanager::error::SdkError;
use countersign_api::viewer::OriginSecret;
use countersign_carrier::LookupSettings;
use countersign_domain::delivery::master_secret::MasterSecrets;
use countersign_domain::openid::secret::OpenIdSecret;
use countersign_domain::primitives::unavailable::Unavailable;

use crate::config::SecretName;
use crate::error::failed;
use crate::services::Services;

const PROVIDERS: &str = "settings of SMS providers";
const ORIGIN: &str = "origin secret";
const WEBHOOKS: &str = "secret for webhooks";
const OPENID: &str = "secret of the OpenID provider";
const CHANGE: &str = "change of a secret";
const CARRIER_LOOKUP: &str = "carrier lookup settings";

/// Reads the settings of SMS providers, a JSON document. Returns `None` if nothing has been written.
///
/// # Errors
/// Fails if the settings cannot be read.
pub async fn providers(
    services: &Services,
    secret: &SecretName,
) -> Result<Option<String>, Unavailable> {
    read(services, secret, PROVIDERS).await
}

/// The label of a value that is not yet active.
const PENDING: &str = "countersign-pending";

/// The label of the active value.
const CURRENT: &str = "AWSCURRENT";

/// The value of a secret, read in order to change it.
pub struct Value {
    /// The text; `None` if nothing has been written.
    pub text: Option<String>,
    version: Option<String>,
}

/// `Debug` hides the text.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Value")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

/// Reads a secret in order to change it. The secret must exist.
///
/// # Errors
/// Fails if the secret cannot be read.
pub async fn read_to_change(
    services: &Services,
    secret: &SecretName,
) -> Result<Value, Unavailable> {
    let found = get(services, secret, CHANGE).await?;
    Ok(found.unwrap_or(Value {
        text: None,
        version: None,
    }))
}

/// Replaces the value of a secret if it is still the value that was read. Returns whether it was
/// replaced: another administrator may have written in the meantime.
///
/// The service has no conditional write, but it moves a label between values only if the caller knows which
/// value has it.
///
/// # Errors
/// Fails if the secret cannot be written.
pub async fn replace(
    services: &Services,
    secret: &SecretName,
    seen: &Value,
    text: &str,
) -> Result<bool, Unavailable> {
    let client = services.secrets_manager();
    let put = client.put_secret_value().secret_id(secret.as_str());
    let put = put.secret_string(text).version_stages(PENDING).send().await;
    let put = put.map_err(|error| failed(CHANGE, &error))?;
    // The first value of a secret is active immediately.
    if put.version_stages().iter().any(|stage| stage == CURRENT) {
        return Ok(true);
    }
    let moved = client
        .update_secret_version_stage()
        .secret_id(secret.as_str())
        .version_stage(CURRENT)
        .set_remove_from_version_id(seen.version.clone())
        .set_move_to_version_id(put.version_id)
        .send()
        .await;
    match moved {
        Ok(_) => Ok(true),
        Err(error) => {
            let now = read_to_change(services, secret).await?;
            if now.version == seen.version {
                return Err(failed(CHANGE, &error));
            }
            Ok(false)
        }
    }
}

/// Reads the secret of the `OpenID` provider.
///
/// # Errors
/// Fails if the secret cannot be read, or is malformed.
pub async fn openid(services: &Services, secret: &SecretName) -> Result<OpenIdSecret, Unavailable> {
    let text = existing(services, secret, OPENID).await?;
    text.parse()
        .map_err(|error| Unavailable::new(OPENID, error))
}

/// Reads the secret that CloudFront adds to requests: the text without surrounding spaces.
///
/// # Errors
/// Fails if the secret cannot be read, or is malformed.
pub async fn origin(services: &Services, secret: &SecretName) -> Result<OriginSecret, Unavailable> {
    let text = existing(services, secret, ORIGIN).await?;
    let origin = text.trim().parse();
    origin.map_err(|error| Unavailable::new(ORIGIN, error))
}

/// Reads the secrets from which the webhook secrets of apps are derived, one per line.
///
/// # Errors
/// Fails if the secret cannot be read, or is malformed.
pub async fn webhooks(
    services: &Services,
    secret: &SecretName,
) -> Result<MasterSecrets, Unavailable> {
    let text = existing(services, secret, WEBHOOKS).await?;
    let master = text.parse();
    master.map_err(|error| Unavailable::new(WEBHOOKS, error))
}

/// Reads the settings of Twilio lookups, including the credentials.
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

/// Returns the text of a secret, or `None` if the secret does not exist or has no value yet.
async fn read(
    services: &Services,
    secret: &SecretName,
    what: &'static str,
) -> Result<Option<String>, Unavailable> {
    let found = get(services, secret, what).await?;
    Ok(found.and_then(|found| found.text))
}

/// Returns the active value of a secret.
async fn get(
    services: &Services,
    secret: &SecretName,
    what: &'static str,
) -> Result<Option<Value>, Unavailable> {
    let get = services.secrets_manager().get_secret_value();
    match get.secret_id(secret.as_str()).send().await {
        Ok(value) => {
            if value.secret_binary.is_some() {
                return Err(Unavailable::new(what, "it holds no text"));
            }
            Ok(Some(Value {
                text: value.secret_string,
                version: value.version_id,
            }))
        }
        Err(SdkError::ServiceError(refusal)) if refusal.err().is_resource_not_found_exception() => {
            Ok(None)
        }
        Err(error) => Err(failed(what, &error)),
    }
}
