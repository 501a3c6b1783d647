//! The port of stored answers.

use super::StoreError;

/// Keeps the answers that the phone gave, from before they are first sent until their logins have
/// ended. An answer is a text that the core writes; it holds the payload, encrypted if the login's
/// browser has a key.
///
/// Implementations MUST keep answers from other apps and from backups. A name is 43 characters of
/// base64url. Calls are local and short, and may block.
#[cfg_attr(feature = "uniffi", uniffi::export(with_foreign))]
pub trait AnswerStore: Send + Sync {
    /// Returns the answer with this name; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn load(&self, name: String) -> Result<Option<Vec<u8>>, StoreError>;

    /// Saves an answer durably unless there is one with this name. Returns the one that was there,
    /// if any: of two callers, of any process, one gets `None`.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn save_new(&self, name: String, answer: Vec<u8>) -> Result<Option<Vec<u8>>, StoreError>;

    /// Saves an answer durably in place of the one with this name, if any. After a crash there MUST
    /// be either of the two.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn replace(&self, name: String, answer: Vec<u8>) -> Result<(), StoreError>;

    /// Removes the answer with this name, if there is one.
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
