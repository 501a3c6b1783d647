//! Stores in files that only their owner can read (0600), for the JVM, for commands and for tests.
//!
//! Changes are atomic and durable, and processes that share a directory take a lock. No file or
//! directory is created before something is stored.

mod answers;
mod association_keys;
mod folder;
mod secret;

pub use answers::FileAnswers;
pub use association_keys::FileAssociationKeys;
pub use secret::FileSecrets;
