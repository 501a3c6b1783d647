//! The port that reports whether storage accepts writes.

/// Reports whether storage accepts writes.
pub trait StorageHealth: Send + Sync {
    /// Returns the current condition. Called for each new confirmation and login, so it MUST be
    /// fast.
    fn condition(&self) -> StorageCondition;

    /// Returns which of the host's files were changed by others while it ran, if this is why writes fail. The text is
    /// shown to strangers.
    fn changed_outside(&self) -> Option<String> {
        None
    }

    /// Returns whether storage is known to be corrupt. The host continues to use it.
    fn is_damaged(&self) -> bool {
        false
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageCondition {
    /// Storage accepts all writes.
    Ready,
    /// Space is running out. The remaining space is reserved for existing confirmations and logins;
    /// new ones are refused.
    Low,
    /// Writes fail.
    NotWritable,
}

/// Storage operated by someone else that does not run out of space, such as a cloud table.
#[derive(Clone, Copy, Debug)]
pub struct ManagedStorage;

impl StorageHealth for ManagedStorage {
    fn condition(&self) -> StorageCondition {
        StorageCondition::Ready
    }
}
