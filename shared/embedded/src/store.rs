//! Confirmations, logins, association keys, apps and API keys in one redb file.
//!
//! A single thread writes. It takes all waiting operations, decides and applies them in one
//! transaction, flushes it to disk once, and answers all of them. Concurrent callers share a flush,
//! and an answer still means that the write is on disk. Reads run on the caller's task and see the
//! last committed state. A cached read takes a few microseconds, less than handing it to another
//! thread.
//!
//! Settlements of webhooks, for which nobody waits, start no flush of their own: they join the next batch
//! or wait a few milliseconds for others.
//!
//! Claims of webhooks are kept only in memory, because losing a claim with its process does no harm.
//! Claiming therefore needs no flush.

mod app_records;
mod apps;
mod association_keys;
mod batch;
mod check;
mod checked;
mod claims;
mod confirmations;
mod contents;
mod counting;
mod deferred;
mod deliveries;
mod directory;
mod due;
mod fault;
mod filled;
mod handle;
mod history;
mod index;
mod job;
mod kept;
mod logins;
mod numbers;
mod open;
mod open_error;
mod overlay;
mod quotas;
mod record_kind;
mod recovery;
mod restore;
mod tables;
#[cfg(test)]
mod tests;
mod texts;
mod upkeep;
mod usage;
mod writer;

use std::path::Path;
use std::sync::{Arc, RwLock};

use countersign_domain::delivery::Decision;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use redb::{ReadTransaction, ReadableDatabase};

pub use check::{CheckReport, Inventory, check, rebuild_indexes};
pub use contents::{Damage, Note, Record, Snapshot, Sound};
pub use open::Beginning;
pub use open_error::OpenError;
pub use record_kind::RecordKind;
pub use restore::{NewStore, RestoreOutcome};
pub use upkeep::Recovered;
pub use writer::WriteCounts;

use batch::Batch;
use claims::Claims;
use directory::Directory;
use fault::Fault;
use handle::Handle;
use kept::{Kept, committed};
use open::StoreFile;
use writer::Writer;

use countersign_system::private_files::PrivateDirectory;

/// Name of the store's file in the data directory.
pub const STORE_FILE: &str = "countersign.redb";

/// Size of redb's cache, in bytes. The operating system caches the rest of the file, so a larger
/// cache would save system calls but no disk reads. Measurements showed no difference in speed
/// between 1 and 8 MiB, and each MiB stays resident.
const CACHE_BYTES: usize = 2 << 20;

/// The store of a server on one machine.
///
/// Only one process may have a data directory open. Dropping the store waits for writes under way,
/// as [`Self::close`] does.
#[derive(Debug)]
pub struct EmbeddedStore {
    handle: Arc<Handle>,
    writer: Writer,
    claims: Arc<Claims>,
    directory: Arc<RwLock<Directory>>,
}

impl EmbeddedStore {
    /// Opens the store in a data directory. Creates the directory (mode 0700) and the file (mode
    /// 0600) if they do not exist. Blocks while the disk works; after a crash this includes redb's
    /// repair, which reads the whole file.
    ///
    /// # Errors
    /// Fails if another process holds the store, or if the store is damaged or has another format.
    pub fn open(directory: &Path) -> Result<Self, OpenError> {
        Self::open_in(&PrivateDirectory::create(directory)?, Beginning::MayBeNew)
    }

    /// Opens the store in a directory that is open already. See [`open`](Self::open).
    ///
    /// # Errors
    /// Fails like [`open`](Self::open), and if `beginning` requires a store and there is none.
    pub fn open_in(directory: &PrivateDirectory, beginning: Beginning) -> Result<Self, OpenError> {
        let file = StoreFile {
            directory: directory.clone(),
            cache_bytes: CACHE_BYTES,
        };
        if beginning == Beginning::Existing {
            file.must_exist()?;
        }
        let missing = file.missing();
        let handle = Handle::open(Box::new(file))?;
        if beginning == Beginning::Existing && open::format(&*handle.get()?)?.is_none() {
            return Err(missing);
        }
        Self::over(handle)
    }

    fn over(handle: Handle) -> Result<Self, OpenError> {
        let database = handle.get()?;
        open::prepare(&database)?;
        let handle = Arc::new(handle);
        let claims = Arc::new(Claims::default());
        let directory = Arc::new(RwLock::new(Directory::load(&database)?));
        let writer = Writer::start(
            Arc::clone(&handle),
            Arc::clone(&claims),
            Arc::clone(&directory),
        )
        .map_err(OpenError::Thread)?;
        Ok(Self {
            handle,
            writer,
            claims,
            directory,
        })
    }

    /// Waits for writes under way, then closes the file so that the next start needs no repair. All
    /// later operations fail with [`Unavailable`].
    pub fn close(&self) {
        self.writer.stop();
        self.handle.close();
    }

    /// Begins to count the open confirmations and logins, which quotas limit. Reads about a thousand of
    /// each at once and the rest on a thread. Until all are counted, an app may exceed its quota of open
    /// items by those that are not counted yet. Without this call the count begins after the first
    /// creation that a quota limits.
    ///
    /// # Errors
    /// Fails if the thread cannot be started.
    pub fn count_open(&self, now: Timestamp) -> Result<(), OpenError> {
        self.writer.counting().begin(now).map_err(OpenError::Thread)
    }

    /// Returns whether writes work. After a failed write they do not until an attempt succeeds, which
    /// happens within seconds of the disk working again.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        !self.writer.has_failed()
    }

    /// Returns how many write operations, batches and flushes there were since the store was opened.
    #[must_use]
    pub fn write_counts(&self) -> WriteCounts {
        self.writer.counts()
    }

    /// Runs an operation on the writer's thread and returns once the write is on disk.
    async fn write<T: Send + 'static>(
        &self,
        what: &'static str,
        operation: impl FnOnce(&mut Batch<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Unavailable> {
        self.writer.write(what, operation).await
    }

    /// Reads an item, decides a transition, and writes the result.
    async fn decide<T: Kept, O: Send + 'static>(
        &self,
        what: &'static str,
        id: T::Id,
        decide: impl FnOnce(Option<T>) -> Decision<T, O> + Send + 'static,
    ) -> Result<O, Unavailable> {
        self.write(what, move |batch| batch.decide(id, decide))
            .await
    }

    /// Reads an item with its claim. An item past its `purge_at` counts as removed.
    fn find_item<T: Kept>(
        &self,
        what: &'static str,
        id: T::Id,
        now: Timestamp,
    ) -> Result<Option<T>, Unavailable> {
        let shard = self.claims.lock(id.into());
        let mut found = self.read(what, |transaction| committed::<T>(transaction, id))?;
        if let Some(item) = &mut found {
            shard.lay_over(item);
        }
        Ok(found.filter(|item| now < item.purge_at()))
    }

    /// Runs a read of the last committed state on the caller's task.
    fn read<T>(
        &self,
        what: &'static str,
        read: impl FnOnce(&ReadTransaction) -> Result<T, Fault>,
    ) -> Result<T, Unavailable> {
        let outcome = self.handle.get().and_then(|database| {
            let transaction = database.begin_read()?;
            read(&transaction)
        });
        outcome.map_err(|fault| Unavailable::new(what, fault))
    }
}

impl Drop for EmbeddedStore {
    fn drop(&mut self) {
        self.close();
    }
}
