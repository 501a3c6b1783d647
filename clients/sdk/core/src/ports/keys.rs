//! The port of association keys.

use thiserror::Error;

/// Why a key store failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Error))]
pub enum KeyError {
    /// This user has no key.
    #[error("there is no association key of this user")]
    Unknown,
    /// The key can only be used after the user has unlocked it.
    #[error("the association key can only be used after the user has unlocked it")]
    UserAuthenticationRequired,
    /// The store failed.
    #[error("{detail}")]
    Failed {
        /// The cause, for logs, without secrets.
        detail: String,
    },
}

/// Stores association keys, P-256 key pairs, and signs with them. Private keys never leave the
/// store.
///
/// Calls are local and short, and may block. A public user id is up to 256 characters without control
/// characters; ids are compared exactly. Public keys are X.509 `SubjectPublicKeyInfo` in DER with an
/// uncompressed point, as Android's `PublicKey.getEncoded()` returns them.
#[cfg_attr(feature = "uniffi", uniffi::export(with_foreign))]
pub trait AssociationKeys: Send + Sync {
    /// Generates a key pair for a user, stores it durably, and returns the public key. An existing
    /// pair of the user is replaced and lost.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written. The former pair MUST then be kept.
    fn generate(&self, id: String) -> Result<Vec<u8>, KeyError>;

    /// Returns a user's public key; `None` for a user without a key.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn public_key(&self, id: String) -> Result<Option<Vec<u8>>, KeyError>;

    /// Returns the ids of all users with a key, in any order.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn list(&self) -> Result<Vec<String>, KeyError>;

    /// Signs data with a user's private key: ECDSA with SHA-256 (`SHA256withECDSA`), in DER. The core
    /// has already decided that the data may be signed.
    ///
    /// # Errors
    ///
    /// Fails with [`KeyError::Unknown`] if the user has no key.
    fn sign(&self, id: String, data: Vec<u8>) -> Result<Vec<u8>, KeyError>;
}
