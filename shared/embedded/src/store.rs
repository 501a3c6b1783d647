//! Confirmations, logins, apps and API keys in one redb file.
//!
//! One thread writes. It takes every operation that waits, decides and applies each within one
//! transaction, puts that on disk once, and answers all of them: many callers at once share one
//! flush, and an answer still means that the write is on disk. Reads run on their caller's task,
//! from the last committed state: a read takes a few microseconds from the cache, which is less than
//! handing it to another thread.
//!
//! Claims of webhooks are kept in memory alone, because a claim may be lost with its process. So a
//! claim waits for no flush.

mod app_records;
mod apps;
mod batch;
mod check;
mod checked;
mod claims;
mod confirmations;
mod contents;
mod deliveries;
mod directory;
mod due;
mod fault;
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

use crate::private_files::PrivateDirectory;

/// The file within the data directory.
pub const STORE_FILE: &str = "countersign.redb";

/// How much of the file is kept in memory. The operating system caches the rest, so a larger one
/// saves system calls and no disk reads: between 1 and 8 MiB no difference in speed was measured,
/// and each MiB stays resident.
const CACHE_BYTES: usize = 2 << 20;

/// The store of a server on one machine.
///
/// Only one process may have a data directory open. Dropping the store, like [`Self::close`],
/// waits for what is being written.
#[derive(Debug)]
pub struct EmbeddedStore {
    handle: Arc<Handle>,
    writer: Writer,
    claims: Arc<Claims>,
    directory: Arc<RwLock<Directory>>,
}

impl EmbeddedStore {
    /// Opens the store in a data directory, and makes directory (mode 0700) and file (mode 0600)
    /// where they are not there. Blocks for as long as the disk takes; after a crash also for
    /// redb's repair, which reads the whole file.
    ///
    /// # Errors
    /// Fails if another process holds the store, or it is missing, damaged or of another version.
    pub fn open(directory: &Path) -> Result<Self, OpenError> {
        Self::open_in(&PrivateDirectory::create(directory)?, Beginning::MayBeNew)
    }

    /// The same, in a directory that is open.
    ///
    /// # Errors
    /// Fails as [`open`](Self::open) does.
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

    /// Puts everything on disk and closes the file, so that the next start needs no repair. Waits
    /// for what is being written; whatever is asked for afterwards is unavailable.
    pub fn close(&self) {
        self.writer.stop();
        self.handle.close();
    }

    /// Whether writes work. Where one failed they do not, until one was tried with success: at most
    /// some seconds after the disk works again.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        !self.writer.has_failed()
    }

    /// How many writes there were, and how many flushes they took.
    #[must_use]
    pub fn write_counts(&self) -> WriteCounts {
        self.writer.counts()
    }

    /// Runs an operation on the writer's thread; its answer means that the write is on disk.
    async fn write<T: Send + 'static>(
        &self,
        what: &'static str,
        operation: impl FnOnce(&mut Batch<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Unavailable> {
        self.writer.write(what, operation).await
    }

    /// Reads an item, decides, and writes the decision.
    async fn decide<T: Kept, O: Send + 'static>(
        &self,
        what: &'static str,
        id: T::Id,
        decide: impl FnOnce(Option<T>) -> Decision<T, O> + Send + 'static,
    ) -> Result<O, Unavailable> {
        self.write(what, move |batch| batch.decide(id, decide))
            .await
    }

    /// Reads an item with its claim.
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

    /// Runs a read on the caller's task, on the last committed state.
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
