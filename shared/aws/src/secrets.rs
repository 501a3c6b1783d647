//! Secrets in Secrets Manager or the Parameter Store: the settings of SMS providers, and the origin
//! secret.
//!
//! The environment of a function holds only the place of each: more people can read environment
//! variables than should read secrets.

use base16ct::lower;
use countersign_api::viewer::OriginSecret;
use countersign_carrier::LookupSettings;
use countersign_domain::primitives::entropy::Entropy as _;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_system::entropy::OsEntropy;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::config::SecretSource;
use crate::services::{CallError, Services};

const PROVIDERS: &str = "settings of SMS providers";
const ORIGIN: &str = "origin secret";
const CARRIER_LOOKUP: &str = "carrier lookup settings";

/// The input of `GetSecretValue`.
///
/// Source: [AWS Secrets Manager API reference](https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct GetSecretValue<'a> {
    secret_id: &'a str,
}

/// What is read of the answer to `GetSecretValue`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SecretValue {
    secret_string: Option<String>,
}

/// The input of `PutSecretValue`.
///
/// Source: [AWS Secrets Manager API reference](https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutSecretValue.html).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct PutSecretValue<'a> {
    secret_id: &'a str,
    secret_string: &'a str,
    /// Makes a repeated call have one effect.
    client_request_token: String,
}

/// The input of `GetParameter`.
///
/// Source: [AWS Systems Manager API reference](https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct GetParameter<'a> {
    name: &'a str,
    with_decryption: bool,
}

/// What is read of the answer to `GetParameter`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ParameterAnswer {
    parameter: Option<Parameter>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Parameter {
    value: Option<String>,
}

/// The input of `PutParameter`.
///
/// Source: [AWS Systems Manager API reference](https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct PutParameter<'a> {
    name: &'a str,
    value: &'a str,
    overwrite: bool,
    r#type: &'static str,
}

/// Reads the settings of SMS providers, a JSON document. Returns `None` if nothing has been written.
///
/// # Errors
/// Fails if they cannot be read.
pub async fn providers(
    services: &Services,
    source: &SecretSource,
) -> Result<Option<String>, Unavailable> {
    read(services, source, PROVIDERS).await
}

/// Writes the settings of SMS providers. A secret in Secrets Manager must exist; a parameter is
/// created.
///
/// # Errors
/// Fails if they cannot be written.
pub async fn write_providers(
    services: &Services,
    source: &SecretSource,
    text: &str,
) -> Result<(), Unavailable> {
    let answered = match source {
        SecretSource::SecretsManager(name) => {
            let put = PutSecretValue {
                secret_id: name,
                secret_string: text,
                client_request_token: request_token(),
            };
            let client = services.secrets_manager();
            client.call("PutSecretValue", &put).await
        }
        SecretSource::Parameter(name) => {
            let put = PutParameter {
                name,
                value: text,
                overwrite: true,
                r#type: "SecureString",
            };
            services.parameter_store().call("PutParameter", &put).await
        }
    };
    let _: IgnoredAny = answered.map_err(|error| error.unavailable(PROVIDERS))?;
    Ok(())
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
    let text = text.ok_or_else(|| Unavailable::new(ORIGIN, "it does not exist"))?;
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
    let text = text.ok_or_else(|| Unavailable::new(CARRIER_LOOKUP, "it does not exist"))?;
    LookupSettings::parse(text.as_bytes()).map_err(|error| Unavailable::new(CARRIER_LOOKUP, error))
}

/// Reads a text. Returns `None` if there is no such secret or parameter, or it has no value yet.
async fn read(
    services: &Services,
    source: &SecretSource,
    what: &'static str,
) -> Result<Option<String>, Unavailable> {
    let found = match source {
        SecretSource::SecretsManager(name) => {
            let get = GetSecretValue { secret_id: name };
            let client = services.secrets_manager();
            let answered = client.call::<SecretValue>("GetSecretValue", &get).await;
            unless(answered, "ResourceNotFoundException")
                .map(|found| found.map(|secret| secret.secret_string))
        }
        SecretSource::Parameter(name) => {
            let get = GetParameter {
                name,
                with_decryption: true,
            };
            let client = services.parameter_store();
            let answered = client.call::<ParameterAnswer>("GetParameter", &get).await;
            unless(answered, "ParameterNotFound")
                .map(|found| found.map(|answer| answer.parameter?.value))
        }
    };
    let Some(text) = found.map_err(|error| error.unavailable(what))? else {
        return Ok(None);
    };
    let text = text.ok_or_else(|| Unavailable::new(what, "it holds no text"))?;
    Ok(Some(text))
}

/// Returns a new random token.
fn request_token() -> String {
    let mut bytes = [0; 16];
    OsEntropy.fill(&mut bytes);
    lower::encode_string(&bytes)
}

/// Turns the refusal with this code into `None`.
fn unless<T>(answered: Result<T, CallError>, refused: &str) -> Result<Option<T>, CallError> {
    match answered {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.code() == Some(refused) => Ok(None),
        Err(error) => Err(error),
    }
}
