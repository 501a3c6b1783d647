//! Secrets in Secrets Manager or the Parameter Store: the settings of SMS providers, and the origin
//! secret.
//!
//! The environment of a function holds only the place of each: more people can read environment
//! variables than should read secrets.

use aws_sdk_secretsmanager::operation::get_secret_value::GetSecretValueError;
use aws_sdk_ssm::operation::get_parameter::GetParameterError;
use aws_sdk_ssm::types::ParameterType;
use countersign_api::viewer::OriginSecret;
use countersign_domain::primitives::unavailable::Unavailable;

use crate::config::SecretSource;
use crate::error::failed;
use crate::services::Services;

const PROVIDERS: &str = "settings of SMS providers";
const ORIGIN: &str = "origin secret";

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
    match source {
        SecretSource::SecretsManager(name) => {
            let put = services.secrets_manager().put_secret_value();
            let put = put.secret_id(name).secret_string(text).send().await;
            put.map_err(|error| failed(PROVIDERS, &error))?;
        }
        SecretSource::Parameter(name) => {
            let put = services.parameter_store().put_parameter();
            let put = put.name(name).value(text).overwrite(true);
            let put = put.r#type(ParameterType::SecureString).send().await;
            put.map_err(|error| failed(PROVIDERS, &error))?;
        }
    }
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

/// Reads a text. Returns `None` if there is no such secret or parameter, or it has no value yet.
async fn read(
    services: &Services,
    source: &SecretSource,
    what: &'static str,
) -> Result<Option<String>, Unavailable> {
    let text = match source {
        SecretSource::SecretsManager(name) => {
            let get = services.secrets_manager().get_secret_value();
            match get.secret_id(name).send().await {
                Ok(found) => found.secret_string,
                Err(error) => {
                    let refusal = error.as_service_error();
                    if refusal.is_some_and(GetSecretValueError::is_resource_not_found_exception) {
                        return Ok(None);
                    }
                    return Err(failed(what, &error));
                }
            }
        }
        SecretSource::Parameter(name) => {
            let get = services.parameter_store().get_parameter();
            match get.name(name).with_decryption(true).send().await {
                Ok(found) => found.parameter.and_then(|parameter| parameter.value),
                Err(error) => {
                    let refusal = error.as_service_error();
                    if refusal.is_some_and(GetParameterError::is_parameter_not_found) {
                        return Ok(None);
                    }
                    return Err(failed(what, &error));
                }
            }
        }
    };
    let text = text.ok_or_else(|| Unavailable::new(what, "it holds no text"))?;
    Ok(Some(text))
}
