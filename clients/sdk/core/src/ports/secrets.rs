//! The port of the device secret.

use super::StoreError;

/// Keeps the device secret: 32 bytes from which the phone's tokens are derived.
///
/// Calls are local and short, and may block.
#[cfg_attr(feature = "uniffi", uniffi::export(with_foreign))]
pub trait SecretStore: Send + Sync {
    /// Returns the secret; `None` if none was saved.
    ///
    /// Implementations MUST NOT let it into backups: a phone restored from one would be the same
    /// phone as the old one.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read. A secret that cannot be read MUST NOT be reported as
    /// missing.
    fn load(&self) -> Result<Option<Vec<u8>>, StoreError>;

    /// Saves a secret durably unless there is one, and returns the secret that is saved now. Of two
    /// callers, of any process, both MUST get the same.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn save_new(&self, secret: Vec<u8>) -> Result<Vec<u8>, StoreError>;
}
