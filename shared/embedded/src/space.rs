//! Room on the disk: a full one must not stop what is under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use countersign_domain::primitives::storage::{StorageCondition, StorageHealth};

use crate::private_files::PrivateDirectory;
use crate::store::EmbeddedStore;

/// The store's condition, and that of the disk that it is on.
///
/// New sessions are refused while less than the reserve is free. What is left is for sessions that
/// are there: they grow when they are verified, and when their webhooks are delivered.
#[derive(Debug)]
pub struct DiskHealth {
    store: Arc<EmbeddedStore>,
    directory: PrivateDirectory,
    reserve_bytes: u64,
    /// What was said of it last.
    low: AtomicBool,
}

impl DiskHealth {
    /// Watches over a store and its directory.
    #[must_use]
    pub const fn new(
        store: Arc<EmbeddedStore>,
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
                            "the disk is almost full; new sessions are refused"
                        );
                    } else {
                        tracing::info!(
                            free,
                            reserve,
                            "the disk has room again; new sessions are taken"
                        );
                    }
                }
                low
            }
            // Whether writes work shows when one is made.
            Err(error) => {
                tracing::warn!(%error, "cannot tell how much of the disk is free");
                false
            }
        }
    }
}

impl StorageHealth for DiskHealth {
    /// One system call, which asks the file system for numbers that it keeps in memory.
    fn condition(&self) -> StorageCondition {
        if !self.store.is_writable() {
            StorageCondition::NotWritable
        } else if self.is_low() {
            StorageCondition::Low
        } else {
            StorageCondition::Ready
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Beginning;

    #[test]
    fn less_than_the_reserve_is_low() {
        let root = tempfile::tempdir().unwrap();
        let directory = PrivateDirectory::create(root.path()).unwrap();
        let store = Arc::new(EmbeddedStore::open_in(&directory, Beginning::MayBeNew).unwrap());
        let condition =
            |reserve| DiskHealth::new(Arc::clone(&store), directory.clone(), reserve).condition();
        assert_eq!(condition(0), StorageCondition::Ready);
        assert_eq!(condition(u64::MAX), StorageCondition::Low);
    }
}
