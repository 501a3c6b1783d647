//! Watches the free disk space, so that a full disk does not interrupt confirmations and logins in
//! progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use countersign_domain::primitives::storage::{StorageCondition, StorageHealth};
use countersign_system::private_files::PrivateDirectory;

use crate::store::SqliteItems;

/// The state of the store and of its disk.
///
/// While there is less free space than the reserve, new confirmations, logins and association keys are
/// refused. The reserve is for existing ones, which grow when they are verified and when their webhooks
/// are delivered.
#[derive(Debug)]
pub struct DiskHealth {
    store: Arc<SqliteItems>,
    directory: PrivateDirectory,
    reserve_bytes: u64,
    /// Whether space was low when it was last logged.
    low: AtomicBool,
}

impl DiskHealth {
    /// Creates the check for a store and its directory.
    #[must_use]
    pub const fn new(
        store: Arc<SqliteItems>,
        directory: PrivateDirectory,
        reserve_bytes: u64,
    ) -> Self {
        Self {
            store,
            directory,
            reserve_bytes,
            low: AtomicBool::new(false),
        }
    }

    fn is_low(&self) -> bool {
        match self.directory.free_bytes() {
            Ok(free) => {
                let low = free < self.reserve_bytes;
                let reserve = self.reserve_bytes;
                if low != self.low.swap(low, Ordering::Relaxed) {
                    if low {
                        tracing::error!(
                            free,
                            reserve,
                            "disk almost full, refusing new confirmations, logins and association keys"
                        );
                    } else {
                        tracing::info!(
                            free,
                            reserve,
                            "disk has room again, accepting new confirmations, logins and association keys"
                        );
                    }
                }
                low
            }
            // An error does not count as low space: the next write shows whether writes work.
            Err(error) => {
                tracing::warn!(%error, "cannot tell how much of the disk is free");
                false
            }
        }
    }
}

impl StorageHealth for DiskHealth {
    /// Makes a single system call, which the file system answers from memory.
    fn condition(&self) -> StorageCondition {
        if !self.store.is_writable() {
            StorageCondition::NotWritable
        } else if self.is_low() {
            StorageCondition::Low
        } else {
            StorageCondition::Ready
        }
    }

    fn changed_outside(&self) -> Option<String> {
        self.store.refusal().map(|refusal| refusal.what)
    }

    fn is_damaged(&self) -> bool {
        self.store.is_damaged()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::CreatePermission;

    #[test]
    fn free_space_below_the_reserve_is_low() {
        let root = tempfile::tempdir().unwrap();
        let directory = PrivateDirectory::create(root.path()).unwrap();
        let store = Arc::new(SqliteItems::open_in(&directory, CreatePermission::MayBeNew).unwrap());
        let condition =
            |reserve| DiskHealth::new(Arc::clone(&store), directory.clone(), reserve).condition();
        assert_eq!(condition(0), StorageCondition::Ready);
        assert_eq!(condition(u64::MAX), StorageCondition::Low);
    }
}
