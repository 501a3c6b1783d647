//! Foreign implementations as the core's ports.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_sdk as core;

use super::{
    AnswerStore, AssociationKeys, Header, Http, KeyError, NetworkError, Request, Response,
    SecretStore, StoreError, Timer,
};

pub(crate) struct ForeignHttp(pub(crate) Arc<dyn Http>);
pub(crate) struct ForeignTimer(pub(crate) Arc<dyn Timer>);
pub(crate) struct ForeignSecrets(pub(crate) Arc<dyn SecretStore>);
pub(crate) struct ForeignAnswers(pub(crate) Arc<dyn AnswerStore>);
pub(crate) struct ForeignKeys(pub(crate) Arc<dyn AssociationKeys>);

#[async_trait]
impl core::Http for ForeignHttp {
    async fn send(&self, request: core::Request) -> Result<core::Response, core::NetworkError> {
        let header = |core::Header { name, value }| Header { name, value };
        let request = Request {
            url: request.url,
            headers: request.headers.into_iter().map(header).collect(),
            body: request.body,
        };
        let Response {
            status,
            headers,
            body,
        } = self.0.send(request).await?;
        let header = |Header { name, value }| core::Header { name, value };
        let headers = headers.into_iter().map(header).collect();
        Ok(core::Response {
            status,
            headers,
            body,
        })
    }
}

#[async_trait]
impl core::Timer for ForeignTimer {
    async fn sleep(&self, duration: Duration) {
        // Rounded up: the core counts on the time to have passed.
        let millis = duration.as_nanos().div_ceil(1_000_000);
        self.0
            .sleep(i64::try_from(millis).unwrap_or(i64::MAX))
            .await;
    }
}

impl core::SecretStore for ForeignSecrets {
    fn load(&self) -> Result<Option<Vec<u8>>, core::StoreError> {
        Ok(self.0.load()?)
    }

    fn save_new(&self, secret: Vec<u8>) -> Result<Vec<u8>, core::StoreError> {
        Ok(self.0.save_new(secret)?)
    }
}

impl core::AnswerStore for ForeignAnswers {
    fn load(&self, name: String) -> Result<Option<Vec<u8>>, core::StoreError> {
        Ok(self.0.load(name)?)
    }

    fn save_new(&self, name: String, answer: Vec<u8>) -> Result<Option<Vec<u8>>, core::StoreError> {
        Ok(self.0.save_new(name, answer)?)
    }

    fn replace(&self, name: String, answer: Vec<u8>) -> Result<(), core::StoreError> {
        Ok(self.0.replace(name, answer)?)
    }

    fn remove(&self, name: String) -> Result<(), core::StoreError> {
        Ok(self.0.remove(name)?)
    }

    fn names(&self) -> Result<Vec<String>, core::StoreError> {
        Ok(self.0.names()?)
    }
}

impl core::AssociationKeys for ForeignKeys {
    fn generate(&self, id: String) -> Result<Vec<u8>, core::KeyError> {
        Ok(self.0.generate(id)?)
    }

    fn public_key(&self, id: String) -> Result<Option<Vec<u8>>, core::KeyError> {
        Ok(self.0.public_key(id)?)
    }

    fn list(&self) -> Result<Vec<String>, core::KeyError> {
        Ok(self.0.list()?)
    }

    fn sign(&self, id: String, data: Vec<u8>) -> Result<Vec<u8>, core::KeyError> {
        Ok(self.0.sign(id, data)?)
    }
}

impl From<NetworkError> for core::NetworkError {
    fn from(error: NetworkError) -> Self {
        match error {
            NetworkError::Temporary { detail: message } => Self::Temporary { message },
            NetworkError::Permanent { detail: message } => Self::Permanent { message },
            NetworkError::AnswerTooLong => Self::AnswerTooLong,
        }
    }
}

impl From<StoreError> for core::StoreError {
    fn from(StoreError::Failed { detail: message }: StoreError) -> Self {
        Self { message }
    }
}

impl From<KeyError> for core::KeyError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Unknown => Self::Unknown,
            KeyError::UserAuthenticationRequired => Self::UserAuthenticationRequired,
            KeyError::Failed { detail: message } => Self::Failed { message },
        }
    }
}
