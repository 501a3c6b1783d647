//! Documents in one SQLite file.
//!
//! One thread writes. It takes all waiting writes, applies them in one transaction, flushes it to disk once,
//! and then answers all callers: concurrent callers share a flush, and an answer still means that the write is
//! on disk. Readers have separate connections and see the last committed state. Reading a key takes
//! microseconds, less than passing it to another thread; longer reads run on threads where apps take turns.
//!
//! docs/adr/0098-one-machine-keeps-documents-in-sqlite.md

mod backup;
mod check;
mod companions;
mod condition;
mod counts;
mod create;
mod derived;
mod fault;
mod inspection;
mod lists;
mod log;
mod long_reads;
mod open_error;
mod pending;
mod place;
mod purge;
mod read;
mod repair;
mod row;
mod schema;
mod soundness;
mod steady;
mod survey;
#[cfg(test)]
mod tests;
mod walk;
mod writer;

use std::fmt;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::login::KeyId;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{
    Collection, CountChange, CreateResult, Document, Items, Key, ListedItem, ListedKey, PageStart,
    ReplaceResult, StoredDocument, Write,
};
use countersign_system::private_files::{PrivateDirectory, PrivateFileError};
use rusqlite::Connection;

pub use backup::{Backup, BackupError, NewStore};
pub use check::{Findings, Inventory};
pub use condition::Condition;
pub use counts::SummedHours;
pub use open_error::OpenError;
pub use place::Refusal;
pub use purge::Purged;
pub use repair::repair;
pub use writer::WriteCounts;

use counts::WriteBatch;
use create::create;
use fault::{Fault, unavailable};
use inspection::Inspection;
use lists::{Stretch, association_keys, list};
use long_reads::{LongReads, ReadOwner};
use place::Place;
use read::{find, find_indexed, read_one_state};
use row::Row;
use soundness::Soundness;
use writer::Writer;

/// Name of the store's file in the data directory.
pub const STORE_FILE: &str = "countersign.db";

/// Maximum time that a connection waits for a lock held by another connection, namely the writer's,
/// which holds it only briefly.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of read connections that are kept open.
const MAX_READERS: usize = 8;

/// Maximum number of documents listed in one turn.
const MAX_LISTED: usize = 100;

/// Whether a store may be created if it does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreatePermission {
    /// The store must exist: a missing or empty file is an error.
    Existing,
    /// A missing or empty file becomes a new store.
    MayBeNew,
}

/// The documents of a server on one machine. Only one process may write to a data directory.
pub struct SqliteItems {
    directory: PrivateDirectory,
    readers: Mutex<Vec<Connection>>,
    long_reads: LongReads,
    writer: Arc<Writer>,
    place: Arc<Place>,
    soundness: Arc<Soundness>,
    look: Inspection,
}

impl SqliteItems {
    /// Opens the store in a data directory. Creates the directory (mode 0700) and the file (mode 0600) if
    /// they do not exist.
    ///
    /// # Errors
    /// Fails if the store is damaged or has another format.
    pub fn open(directory: &Path) -> Result<Self, OpenError> {
        Self::open_in(
            &PrivateDirectory::create(directory)?,
            CreatePermission::MayBeNew,
        )
    }

    /// Opens the store in a directory that is already open.
    ///
    /// # Errors
    /// Fails like [`open`](Self::open), and if `beginning` requires a store that does not exist.
    pub fn open_in(
        directory: &PrivateDirectory,
        beginning: CreatePermission,
    ) -> Result<Self, OpenError> {
        if beginning == CreatePermission::Existing {
            schema::must_exist(directory)?;
        }
        // SQLite gives its other files the same mode as this one.
        directory.open_file(STORE_FILE)?;
        directory.sync()?;
        let connection = schema::open(&directory.path().join(STORE_FILE))?;
        schema::prepare(&connection, beginning, directory)?;
        let place = Arc::new(Place::new(&connection, directory)?);
        let path = directory.path().join(STORE_FILE);
        let readers = (0..long_reads::THREADS).map(|_| schema::open(&path));
        let readers = readers.collect::<Result<_, _>>()?;
        let long_reads = LongReads::start(readers).map_err(OpenError::Thread)?;
        let soundness = Arc::<Soundness>::default();
        let writer = Writer::start(connection, directory, &place, &soundness);
        let writer = Arc::new(writer.map_err(OpenError::Thread)?);
        let look = Inspection::start(&path, Arc::clone(&soundness), Arc::clone(&writer))?;
        Ok(Self {
            directory: directory.clone(),
            readers: Mutex::default(),
            long_reads,
            writer,
            place,
            soundness,
            look,
        })
    }

    /// Waits for writes in progress, then closes the file. All later writes fail.
    pub fn close(&self) {
        self.look.stop();
        self.long_reads.stop();
        self.writer.stop();
        self.readers().clear();
    }

    /// Returns whether writes work: whether the last write succeeded, and writes are not refused.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        !self.writer.has_failed() && self.refusal().is_none()
    }

    /// Checks that the store's files and their directory are still where they were opened.
    ///
    /// # Errors
    /// The error states what was changed.
    pub fn check_place(&self) -> Result<(), PrivateFileError> {
        self.place.check()
    }

    /// Refuses all writes for this reason from now on, or accepts them again with `None`. Writes are also refused
    /// as soon as a write finds that the store's files were changed.
    pub fn refuse_writes(&self, why: Option<Refusal>) {
        self.place.refuse(why);
    }

    /// Returns why writes are refused, if they are.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        self.place.refusal()
    }

    /// Returns whether any read, any write or the scan after startup has found damage.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.soundness.is_damaged()
    }

    /// Calls `listener` each time that damage is found, and immediately if any was found before.
    pub fn on_damage(&self, listener: impl Fn() + Send + Sync + 'static) {
        self.soundness.listen(Box::new(listener));
    }

    /// Returns the number of writes and flushes since the store was opened.
    #[must_use]
    pub fn write_counts(&self) -> WriteCounts {
        self.writer.counts()
    }

    /// Runs a read whose statements all see the last committed state, on the caller's thread.
    fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T, Fault> {
        self.with_reader(|connection| read_one_state(connection, read))
    }

    /// Runs a read on the caller's thread. Each statement sees what is committed when it begins.
    fn with_reader<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let kept = self.readers().pop();
        let connection = if let Some(connection) = kept {
            connection
        } else {
            let opened = schema::open(&self.directory.path().join(STORE_FILE));
            let opened = opened.map_err(|_| Fault::Closed)?;
            // The path of the store may refer to a different file by now.
            self.place.check_or_refuse()?;
            opened
        };
        let answer = read(&connection);
        let mut readers = self.readers();
        if readers.len() < MAX_READERS {
            readers.push(connection);
        }
        answer
    }

    fn readers(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write<T: Send + 'static>(
        &self,
        what: &'static str,
        key: Option<&Key>,
        write: impl FnMut(&WriteBatch<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Unavailable> {
        let written = self.writer.write(write).await;
        written.map_err(|fault| self.failed(what, key, fault))
    }

    /// Returns the error of an operation, and records damage.
    fn failed(&self, what: &'static str, key: Option<&Key>, fault: Fault) -> Unavailable {
        let name = key.map(Key::to_string);
        self.soundness.note(&fault, name.as_deref());
        unavailable(what)(fault)
    }

    /// Reads a document. If the document seems to be missing, waits until the scan of the store has
    /// ended.
    async fn find(&self, key: &Key) -> Result<Option<StoredDocument>, Fault> {
        // The document is a single row, so that one statement reads it.
        let read = || self.with_reader(|connection| find(connection, &self.soundness, key));
        let found = read()?;
        if found.is_some() || !self.soundness.is_to_wait(key) {
            return Ok(found);
        }
        self.soundness.wait().await?;
        read()
    }

    /// Reads a document that may be missing from the key index, before one is created under its
    /// key.
    async fn unindexed(&self, key: &Key) -> Result<Option<StoredDocument>, Fault> {
        // A duplicate of a document that expires does no harm, and starting a session must not wait
        // for the scan.
        if key.is_permanent() && self.soundness.is_to_wait(key) {
            self.soundness.wait().await?;
        }
        if self.soundness.is_indexed(key) {
            return Ok(None);
        }
        self.with_reader(|connection| find(connection, &self.soundness, key))
    }
}

#[async_trait]
impl Items for SqliteItems {
    async fn get(&self, key: &Key) -> Result<Option<StoredDocument>, Unavailable> {
        let what = "store: get";
        let found = self.find(key).await;
        found.map_err(|fault| self.failed(what, Some(key), fault))
    }

    async fn create(
        &self,
        key: &Key,
        new: Document,
        now: Timestamp,
        most_open: Option<NonZeroU32>,
    ) -> Result<CreateResult, Unavailable> {
        let what = "store: create";
        let row = Row::new(key, &new).map_err(|error| Unavailable::new(what, error))?;
        if let Some(present) = self.unindexed(key).await.map_err(unavailable(what))? {
            return Ok(CreateResult::Present(present));
        }
        let (key_of_row, counted) = (key.clone(), CountChange::new(None, &new));
        self.write(what, Some(key), move |batch| {
            let created = create(batch, &key_of_row, &row, now, most_open)?;
            if created == CreateResult::Made {
                batch.count(&counted);
            }
            Ok(created)
        })
        .await
    }

    async fn replace(
        &self,
        key: &Key,
        seen: &StoredDocument,
        new: Document,
    ) -> Result<ReplaceResult, Unavailable> {
        let what = "store: replace";
        let row = Row::new(key, &new).map_err(|error| Unavailable::new(what, error))?;
        let counted = CountChange::new(Some(&seen.document), &new);
        let (key_of_row, seen) = (key.clone(), seen.revision.0.cast_signed());
        self.write(what, Some(key), move |batch| {
            if row.replace(batch, seen)? {
                batch.count(&counted);
                return Ok(ReplaceResult::Made);
            }
            let present = find_indexed(batch, &key_of_row)?;
            Ok(ReplaceResult::Changed(present))
        })
        .await
    }

    async fn write_both(&self, writes: [Write; 2]) -> Result<bool, Unavailable> {
        let what = "store: write both";
        let mut rows = Vec::new();
        for Write { key, seen, new } in &writes {
            if seen.is_none()
                && self
                    .unindexed(key)
                    .await
                    .map_err(unavailable(what))?
                    .is_some()
            {
                return Ok(false);
            }
            let row = Row::new(key, new).map_err(|error| Unavailable::new(what, error))?;
            let before = seen.as_ref().map(|seen| &*seen.document);
            let seen = seen.as_ref().map(|seen| seen.revision);
            rows.push((key.clone(), seen, row, CountChange::new(before, new)));
        }
        let key = &writes[0].key;
        self.write(what, Some(key), move |batch| {
            // Both are checked first: the batch also contains the writes of others, and is not rolled back.
            for (key, seen, ..) in &rows {
                if find_indexed(batch, key)?.map(|present| present.revision) != *seen {
                    return Ok(false);
                }
            }
            for (_, seen, row, counted) in &rows {
                match seen {
                    Some(seen) => drop(row.replace(batch, seen.0.cast_signed())?),
                    None => row.insert(batch)?,
                }
                batch.count(counted);
            }
            Ok(true)
        })
        .await
    }

    async fn list(
        &self,
        what: Collection,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Unavailable> {
        let failed = || unavailable("store: list");
        let mut listed = Vec::new();
        // The key prefixes that delimit the range. After `#` comes `$`.
        let first = what.prefix().to_owned();
        let mut range = (first.clone(), first.replace('#', "$"));
        while listed.len() < limit {
            let (bounds, size) = (range.clone(), (limit - listed.len()).min(MAX_LISTED));
            let soundness = Arc::clone(&self.soundness);
            let turn =
                move |connection: &Connection| list(connection, &soundness, what, &bounds, size);
            let names_and_documents = self.long_reads.read(ReadOwner::Operator, turn).await;
            let (last, documents) = names_and_documents.map_err(failed())?;
            listed.extend(documents.into_iter().map(|found| found.map_err(failed())));
            match last {
                None => break,
                Some(last) if what.is_ascending() => range.0 = format!("{last}\0"),
                Some(last) => range.1 = last,
            }
        }
        Ok(listed)
    }

    async fn started(
        &self,
        kind: DeliveryKind,
        app: &AppId,
        from: Timestamp,
        before: PageStart,
        limit: usize,
    ) -> Result<Vec<ListedItem>, Unavailable> {
        let stretch = Stretch::new(kind, app, from, before);
        let soundness = Arc::clone(&self.soundness);
        let reader = ReadOwner::App(app.clone());
        let listed = self.long_reads.read(reader, move |connection| {
            stretch.list(connection, &soundness, limit)
        });
        listed.await.map_err(unavailable("store: started"))
    }

    async fn association_keys(
        &self,
        app: &AppId,
        after: Option<KeyId>,
        limit: usize,
    ) -> Result<Vec<ListedKey>, Unavailable> {
        let (app, soundness) = (app.clone(), Arc::clone(&self.soundness));
        let limit = limit.min(MAX_LISTED);
        let turn = move |connection: &Connection| {
            association_keys(connection, &soundness, &app, after, limit)
        };
        let listed = self.long_reads.read(ReadOwner::Operator, turn).await;
        listed.map_err(unavailable("store: association keys"))
    }
}

impl Drop for SqliteItems {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for SqliteItems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteItems")
            .field("directory", &self.directory.path())
            .finish_non_exhaustive()
    }
}

/// Returns the value of `started_by` for an app's confirmations or logins. It consists of the key prefix
/// of the kind, and the app.
fn started_by(kind: DeliveryKind, app: &AppId) -> String {
    match kind {
        DeliveryKind::Confirmations => format!("CFM#{app}"),
        DeliveryKind::Logins => format!("QR#{app}"),
    }
}
