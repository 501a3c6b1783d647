//! The port of the device secret.

use super::StoreError;

/// Stores the device secret: 32 bytes from which the phone's tokens are derived.
///
/// Calls are local and short, and may block.
#[cfg_attr(feature = "uniffi", uniffi::export(with_foreign))]
pub trait SecretStore: Send + Sync {
    /// Returns the secret; `None` if no secret was saved.
    ///
    /// Implementations MUST keep it out of backups: a phone restored from one would be the same
    /// phone as the old one.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read. An unreadable secret MUST NOT be reported as missing.
    fn load(&self) -> Result<Option<Vec<u8>>, StoreError>;

    /// Saves a secret durably unless one exists, and returns the saved one. Two callers, in any
    /// process, MUST both get the same secret.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn save_new(&self, secret: Vec<u8>) -> Result<Vec<u8>, StoreError>;
}
