//! Whether storage takes writes, as a port.

/// Tells whether storage takes writes.
pub trait StorageHealth: Send + Sync {
    /// The condition now. Asked for each new session: MUST be quick.
    fn condition(&self) -> StorageCondition;
}

/// Whether storage takes writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageCondition {
    /// It takes everything.
    Ready,
    /// Space runs out. What is left is for sessions that are there: no new ones.
    Low,
    /// Writes fail.
    NotWritable,
}

/// Storage that others look after and that does not run full, such as a table in a cloud.
#[derive(Clone, Copy, Debug)]
pub struct ManagedStorage;

impl StorageHealth for ManagedStorage {
    fn condition(&self) -> StorageCondition {
        StorageCondition::Ready
    }
}
