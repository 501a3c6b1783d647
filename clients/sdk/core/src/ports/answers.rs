//! The port of stored answers.

use super::StoreError;

/// Stores the phone's answers, from before they are first sent until their logins have ended. An
/// answer is a string created by the core; it contains the payload, encrypted if the login's
/// browser has a key.
///
/// Implementations MUST protect answers from other apps and keep them out of backups. A name is 43
/// characters of base64url. Calls are local and short, and may block.
#[cfg_attr(feature = "uniffi", uniffi::export(with_foreign))]
pub trait AnswerStore: Send + Sync {
    /// Returns the answer with this name; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn load(&self, name: String) -> Result<Option<Vec<u8>>, StoreError>;

    /// Saves an answer durably unless one with this name exists. Returns the existing one, if any:
    /// of two callers, in any process, exactly one gets `None`.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn save_new(&self, name: String, answer: Vec<u8>) -> Result<Option<Vec<u8>>, StoreError>;

    /// Saves an answer durably, replacing any answer with this name. After a crash,
    /// either the old or the new answer MUST exist.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn replace(&self, name: String, answer: Vec<u8>) -> Result<(), StoreError>;

    /// Removes the answer with this name, if it exists.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn remove(&self, name: String) -> Result<(), StoreError>;

    /// Returns the names of all answers, in any order.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn names(&self) -> Result<Vec<String>, StoreError>;
}
