//! The interface for foreign languages, which packages such as `svc-core` make idiomatic. Types and
//! ports are the core's own.

mod client;
mod configuration;
mod session;
mod stores;

pub use client::Client;
pub use configuration::{Configuration, ConfigurationError};
pub use session::{Session, SessionDetails};
pub use stores::{file_answers, file_association_keys, file_secrets};

use countersign_domain::login::ReturnLink;
use countersign_domain::login::identity::IdentityError;
use countersign_domain::login::link::LinkError;
use uniffi::UnexpectedUniFFICallbackError;

use crate::error::AnswerFault;
use crate::ports::StoreError;
use crate::ports::http::NetworkError;
use crate::ports::keys::KeyError;

uniffi::custom_type!(ReturnLink, String, {
    remote,
    lower: |link| link.into(),
    try_lift: |text| Ok(Self::try_from(text)?),
});
// Foreign code gets the log message. Foreign code never creates such an error.
uniffi::custom_type!(AnswerFault, String, {
    lower: |error| error.to_string(),
    try_lift: |text| Err(uniffi::deps::anyhow::anyhow!("not made by the core: {text}")),
});
uniffi::custom_type!(IdentityError, String, {
    remote,
    lower: |error| error.to_string(),
    try_lift: |text| Err(uniffi::deps::anyhow::anyhow!("not made by the core: {text}")),
});
uniffi::custom_type!(LinkError, String, {
    remote,
    lower: |error| error.to_string(),
    try_lift: |text| Err(uniffi::deps::anyhow::anyhow!("not made by the core: {text}")),
});

impl From<UnexpectedUniFFICallbackError> for NetworkError {
    fn from(error: UnexpectedUniFFICallbackError) -> Self {
        let detail = error.reason;
        Self::Permanent { detail }
    }
}

impl From<UnexpectedUniFFICallbackError> for StoreError {
    fn from(error: UnexpectedUniFFICallbackError) -> Self {
        let detail = error.reason;
        Self::Failed { detail }
    }
}

impl From<UnexpectedUniFFICallbackError> for KeyError {
    fn from(error: UnexpectedUniFFICallbackError) -> Self {
        let detail = error.reason;
        Self::Failed { detail }
    }
}
