//! The port that reports whether storage accepts writes.

/// Reports whether storage accepts writes.
pub trait StorageHealth: Send + Sync {
    /// Returns the present condition. Called for each new confirmation and login, so it MUST be
    /// quick.
    fn condition(&self) -> StorageCondition;

    /// Returns what of the host's files was changed while it ran, if that is why writes fail. It is shown to strangers.
    fn changed_outside(&self) -> Option<String> {
        None
    }

    /// Returns whether storage is known to be damaged. It is used nonetheless.
    fn is_damaged(&self) -> bool {
        false
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageCondition {
    /// Storage accepts all writes.
    Ready,
    /// Space is running out. The rest is reserved for existing confirmations and logins; new ones
    /// are refused.
    Low,
    /// Writes fail.
    NotWritable,
}

/// Storage that someone else operates and that does not fill up, such as a cloud table.
#[derive(Clone, Copy, Debug)]
pub struct ManagedStorage;

impl StorageHealth for ManagedStorage {
    fn condition(&self) -> StorageCondition {
        StorageCondition::Ready
    }
}
