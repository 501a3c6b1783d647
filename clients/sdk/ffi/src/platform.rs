//! The core's ports as interfaces that foreign code implements.
#![expect(
    clippy::missing_errors_doc,
    reason = "the error types say when a platform fails"
)]

mod adapters;

use thiserror::Error;
use uniffi::UnexpectedUniFFICallbackError;

pub(crate) use adapters::{ForeignAnswers, ForeignHttp, ForeignKeys, ForeignSecrets, ForeignTimer};

/// A header of a request or an answer.
#[derive(uniffi::Record)]
pub struct Header {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// A POST request.
#[derive(uniffi::Record)]
pub struct Request {
    /// The absolute URL, of the configured service.
    pub url: String,
    /// The headers, to be sent as they are.
    pub headers: Vec<Header>,
    /// The body.
    pub body: Vec<u8>,
}

/// An answer, whatever its status.
#[derive(uniffi::Record)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: Vec<Header>,
    /// The body, decoded if it was compressed.
    pub body: Vec<u8>,
}

/// The reason why there is no answer.
#[derive(Debug, Error, uniffi::Error)]
pub enum NetworkError {
    /// Trying again may help.
    #[error("{detail}")]
    Temporary {
        /// The cause, for logs.
        detail: String,
    },
    /// Trying again does not help.
    #[error("{detail}")]
    Permanent {
        /// The cause, for logs.
        detail: String,
    },
    /// The answer is longer than 64 KiB.
    #[error("the answer is too long")]
    AnswerTooLong,
}

/// Sends requests. Redirects must not be followed.
#[uniffi::export(with_foreign)]
#[async_trait::async_trait]
pub trait Http: Send + Sync {
    /// Sends a request, and returns the answer. The call may be cancelled.
    async fn send(&self, request: Request) -> Result<Response, NetworkError>;
}

/// Waits.
#[uniffi::export(with_foreign)]
#[async_trait::async_trait]
pub trait Timer: Send + Sync {
    /// Returns after this time. The call may be cancelled.
    async fn sleep(&self, millis: i64);
}

/// The error of a store.
#[derive(Debug, Error, uniffi::Error)]
pub enum StoreError {
    /// The store failed.
    #[error("{detail}")]
    Failed {
        /// The cause, for logs: without secrets.
        detail: String,
    },
}

/// Keeps the device secret, where no other app and no backup can read it.
#[uniffi::export(with_foreign)]
pub trait SecretStore: Send + Sync {
    /// Returns the secret, if there is one. Fails if it cannot be read.
    fn load(&self) -> Result<Option<Vec<u8>>, StoreError>;

    /// Saves a secret durably unless there is one, and returns the secret that is saved now.
    fn save_new(&self, secret: Vec<u8>) -> Result<Vec<u8>, StoreError>;
}

/// Keeps answers until their logins have ended, where no other app and no backup can read them.
#[uniffi::export(with_foreign)]
pub trait AnswerStore: Send + Sync {
    /// Returns the answer with this name, if there is one.
    fn load(&self, name: String) -> Result<Option<Vec<u8>>, StoreError>;

    /// Saves an answer durably unless there is one with this name. Returns the one that was there.
    fn save_new(&self, name: String, answer: Vec<u8>) -> Result<Option<Vec<u8>>, StoreError>;

    /// Saves an answer durably and atomically in place of the one with this name, if any.
    fn replace(&self, name: String, answer: Vec<u8>) -> Result<(), StoreError>;

    /// Removes the answer with this name, if there is one.
    fn remove(&self, name: String) -> Result<(), StoreError>;

    /// Returns the names of all answers, in any order.
    fn names(&self) -> Result<Vec<String>, StoreError>;
}

/// The reason why a store of keys did not do what was asked.
#[derive(Debug, Error, uniffi::Error)]
pub enum KeyError {
    /// There is no key of this user.
    #[error("there is no association key of this user")]
    Unknown,
    /// The key may be used only after the person has unlocked it.
    #[error("the association key can be used only after the person has unlocked it")]
    UserAuthenticationRequired,
    /// The store failed.
    #[error("{detail}")]
    Failed {
        /// The cause, for logs: without secrets.
        detail: String,
    },
}

/// Keeps association keys, P-256 key pairs, and signs with them. Private keys never leave the store.
#[uniffi::export(with_foreign)]
pub trait AssociationKeys: Send + Sync {
    /// Generates a key pair for a user, stores it durably, and returns the public key: X.509
    /// `SubjectPublicKeyInfo` in DER. A pair that the user had is replaced.
    fn generate(&self, id: String) -> Result<Vec<u8>, KeyError>;

    /// Returns a user's public key, if there is one.
    fn public_key(&self, id: String) -> Result<Option<Vec<u8>>, KeyError>;

    /// Returns the ids of all users with a key.
    fn list(&self) -> Result<Vec<String>, KeyError>;

    /// Signs data with a user's key: ECDSA with SHA-256, in DER.
    fn sign(&self, id: String, data: Vec<u8>) -> Result<Vec<u8>, KeyError>;
}

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
