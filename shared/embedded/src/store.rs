//! Documents in one SQLite file.
//!
//! One thread writes. It takes all waiting writes, makes them in one transaction, flushes it to disk
//! once, and answers all of them: concurrent callers share a flush, and an answer still means that the
//! write is on disk. Readers have connections of their own and see the last committed state. A read of a key takes
//! microseconds, less than handing it to another thread; reads that take longer have [threads](long_reads)
//! where apps take turns.
//!
//! docs/adr/0098-one-machine-keeps-documents-in-sqlite.md

mod backup;
mod check;
mod long_reads;
mod open_error;
mod row;
mod schema;
#[cfg(test)]
mod tests;
mod upkeep;
mod writer;

use std::fmt;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::delivery::due::{NextAttempt, OwedIndex};
use countersign_domain::delivery::{DeliveryKind, DeliveryLine, DeliveryPointer};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{
    Before, Created, Document, Items, Key, Listing, Replaced, Revision, Stored,
};
use countersign_system::private_files::PrivateDirectory;
use rusqlite::{Connection, OptionalExtension as _, params};
use thiserror::Error;

pub use backup::{Backup, BackupError, NewStore};
pub use check::{Findings, Inventory, repair};
pub use open_error::OpenError;
pub use writer::WriteCounts;

use long_reads::{LongReads, Reader};
use row::{Row, StoredRow};
use writer::Writer;

/// Name of the store's file in the data directory.
pub const STORE_FILE: &str = "countersign.db";

/// Time that a connection waits for a lock that another holds: the writer's own, for an instant.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The most connections for reading that are kept.
const MAX_READERS: usize = 8;

/// The most documents that are listed in one turn.
const MAX_LISTED: usize = 100;

/// Why an operation failed. Holds no part of a document.
#[derive(Clone, Debug, Error)]
enum Fault {
    #[error("SQLite failed: {0}")]
    Sqlite(Arc<rusqlite::Error>),
    /// A document is damaged or cannot be read.
    #[error(transparent)]
    Document(#[from] row::Damage),
    #[error("the store is closed")]
    Closed,
    #[error("too many reads wait for their turn")]
    Busy,
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(Arc::new(error))
    }
}

fn unavailable(what: &'static str) -> impl FnOnce(Fault) -> Unavailable {
    move |fault| Unavailable::new(what, fault)
}

/// Permission to create a store that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
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
    writer: Writer,
    is_damaged: Arc<AtomicBool>,
}

impl SqliteItems {
    /// Opens the store in a data directory. Creates the directory (mode 0700) and the file (mode 0600) if
    /// they do not exist.
    ///
    /// # Errors
    /// Fails if the store is damaged or has another format.
    pub fn open(directory: &Path) -> Result<Self, OpenError> {
        Self::open_in(&PrivateDirectory::create(directory)?, Beginning::MayBeNew)
    }

    /// Opens the store in a directory that is open already.
    ///
    /// # Errors
    /// Fails like [`open`](Self::open), and if `beginning` requires a store and there is none.
    pub fn open_in(directory: &PrivateDirectory, beginning: Beginning) -> Result<Self, OpenError> {
        if beginning == Beginning::Existing {
            schema::must_exist(directory)?;
        }
        // SQLite gives its other files the mode of this one.
        directory.open_file(STORE_FILE)?;
        directory.sync()?;
        let connection = schema::open(&directory.path().join(STORE_FILE))?;
        schema::prepare(&connection, beginning, directory)?;
        let path = directory.path().join(STORE_FILE);
        let readers = (0..long_reads::THREADS).map(|_| schema::open(&path));
        let readers = readers.collect::<Result<_, _>>()?;
        let long_reads = LongReads::start(readers).map_err(OpenError::Thread)?;
        let writer = Writer::start(connection, directory).map_err(OpenError::Thread)?;
        Ok(Self {
            directory: directory.clone(),
            readers: Mutex::default(),
            long_reads,
            writer,
            is_damaged: Arc::default(),
        })
    }

    /// Waits for writes under way, then closes the file. All later writes fail.
    pub fn close(&self) {
        self.long_reads.stop();
        self.writer.stop();
        self.readers().clear();
    }

    /// Returns whether writes work: whether the last one did.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        !self.writer.has_failed()
    }

    /// Returns how many webhooks are owed. Takes time by their number.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub async fn owed(&self) -> Result<usize, Unavailable> {
        let owed = self.long_reads.read(Reader::Operator, |connection| {
            let count = "SELECT count(*) FROM documents WHERE line IS NOT NULL";
            let owed: i64 = connection.query_row(count, [], |row| row.get(0))?;
            Ok(usize::try_from(owed).unwrap_or_default())
        });
        owed.await.map_err(unavailable("store: owed"))
    }

    /// Returns how many writes and flushes there were since the store was opened.
    #[must_use]
    pub fn write_counts(&self) -> WriteCounts {
        self.writer.counts()
    }

    /// Runs a read of the last committed state on the caller's thread.
    fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T, Fault> {
        let kept = self.readers().pop();
        let connection = match kept {
            Some(connection) => connection,
            None => {
                schema::open(&self.directory.path().join(STORE_FILE)).map_err(|_| Fault::Closed)?
            }
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
        write: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Unavailable> {
        self.writer.write(write).await.map_err(unavailable(what))
    }
}

/// Reads the document under a key.
fn find(connection: &Connection, key: &Key) -> Result<Option<Stored>, Fault> {
    let name = key.to_string();
    let mut select = connection.prepare_cached(StoredRow::SELECT_BY_KEY)?;
    let mut rows = select.query([&name])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let (row, revision) = StoredRow::of(row)?;
    Ok(Some(Stored {
        document: Box::new(row.document_under(key)?),
        revision: Revision(revision.cast_unsigned()),
    }))
}

/// Returns when the first of an app's open documents ends, if there are as many as it may have.
fn first_end_if_full(
    transaction: &Connection,
    started_by: &str,
    now: i64,
    most: NonZeroU32,
) -> Result<Option<Timestamp>, Fault> {
    // What has ended by itself is counted no more.
    transaction
        .prepare_cached(
            "UPDATE documents SET open_until = NULL WHERE started_by = ?1 AND open_until <= ?2",
        )?
        .execute(params![started_by, now])?;
    let count: Option<i64> = transaction
        .prepare_cached("SELECT n FROM open_counts WHERE started_by = ?1")?
        .query_row([started_by], |row| row.get(0))
        .optional()?;
    if count.unwrap_or(0) < i64::from(most.get()) {
        return Ok(None);
    }
    let first: Option<i64> = transaction
        .prepare_cached(
            "SELECT min(open_until) FROM documents \
             WHERE started_by = ?1 AND open_until IS NOT NULL",
        )?
        .query_row([started_by], |row| row.get(0))?;
    Ok(first.map(row::timestamp))
}

fn create(
    transaction: &Connection,
    key: &Key,
    row: &Row,
    now: Timestamp,
    most_open: Option<NonZeroU32>,
) -> Result<Created, Fault> {
    let now = row::millis(now);
    if let Some(present) = find(transaction, key)? {
        let is_purged = present
            .document
            .purge_at()
            .is_some_and(|end| row::millis(end) <= now);
        if !is_purged {
            return Ok(Created::Present(present));
        }
        transaction
            .prepare_cached("DELETE FROM documents WHERE key = ?1")?
            .execute([&row.key])?;
    }
    if let (Some(most), Some(started_by), Some(_)) = (most_open, &row.started_by, row.open_until)
        && let Some(first_ends_at) = first_end_if_full(transaction, started_by, now, most)?
    {
        return Ok(Created::Full { first_ends_at });
    }
    row.insert(transaction)?;
    Ok(Created::Made)
}

/// Documents that were found, each of which may be unreadable.
type Found = Vec<Result<Document, Fault>>;

/// Lists documents whose keys lie in a range, from the first name on and before the second. Also returns the last name
/// that was looked at, if more may follow.
fn list(
    connection: &Connection,
    what: Listing,
    (first, end): &(String, String),
    limit: usize,
) -> Result<(Option<String>, Found), Fault> {
    let order = if what.is_ascending() { "ASC" } else { "DESC" };
    let mut select = connection.prepare_cached(&format!(
        "SELECT key FROM documents WHERE key >= ?1 AND key < ?2 ORDER BY key {order} LIMIT ?3"
    ))?;
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let names = select.query_map(params![first, end, most], |row| row.get::<_, String>(0))?;
    let mut names = names.collect::<Result<Vec<_>, _>>()?;
    let keys = names.iter().filter_map(|name| Key::parse(name));
    let documents = keys.filter_map(|key| {
        let stored = find(connection, &key).transpose()?;
        Some(stored.map(|stored| *stored.document))
    });
    let documents = documents.collect();
    let last = if names.len() < limit {
        None
    } else {
        names.pop()
    };
    Ok((last, documents))
}

#[async_trait]
impl Items for SqliteItems {
    async fn get(&self, key: &Key) -> Result<Option<Stored>, Unavailable> {
        let read = self.read(|connection| find(connection, key));
        read.map_err(unavailable("store: get"))
    }

    async fn create(
        &self,
        key: &Key,
        new: Document,
        now: Timestamp,
        most_open: Option<NonZeroU32>,
    ) -> Result<Created, Unavailable> {
        let what = "store: create";
        let row = Row::of(key, &new).map_err(|error| Unavailable::new(what, error))?;
        let key = key.clone();
        self.write(what, move |transaction| {
            create(transaction, &key, &row, now, most_open)
        })
        .await
    }

    async fn replace(
        &self,
        key: &Key,
        seen: &Stored,
        new: Document,
    ) -> Result<Replaced, Unavailable> {
        let what = "store: replace";
        let row = Row::of(key, &new).map_err(|error| Unavailable::new(what, error))?;
        let (key, seen) = (key.clone(), seen.revision.0.cast_signed());
        self.write(what, move |transaction| {
            if row.replace(transaction, seen)? {
                return Ok(Replaced::Made);
            }
            Ok(Replaced::Changed(find(transaction, &key)?))
        })
        .await
    }

    async fn list(
        &self,
        what: Listing,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Unavailable> {
        let failed = || unavailable("store: list");
        let mut listed = Vec::new();
        // The names of the keys between which the rest lies. After `#` comes `$`.
        let first = what.prefix().to_owned();
        let mut range = (first.clone(), first.replace('#', "$"));
        while listed.len() < limit {
            let (bounds, size) = (range.clone(), (limit - listed.len()).min(MAX_LISTED));
            let turn = move |connection: &Connection| list(connection, what, &bounds, size);
            let names_and_documents = self.long_reads.read(Reader::Operator, turn).await;
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
        before: Before,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Unavailable> {
        let failed = || unavailable("store: started");
        let (time, key) = match before {
            Before::Time(at) => (at, String::new()),
            Before::Item(at, id) => (at, Key::from(id).to_string()),
        };
        let started_by = started_by(kind, app);
        let reader = Reader::App(app.clone());
        let found = self.long_reads.read(reader, move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT key FROM documents WHERE started_by = ?1 AND started_at BETWEEN ?2 AND ?3 \
                 AND (started_at < ?3 OR key < ?4) ORDER BY started_at DESC, key DESC LIMIT ?5",
            )?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let values = params![
                started_by,
                from.as_millis().cast_signed(),
                time.as_millis().cast_signed(),
                key,
                limit
            ];
            let names = select.query_map(values, |row| row.get::<_, String>(0))?;
            let names = names.collect::<Result<Vec<_>, _>>()?;
            let keys = names.iter().filter_map(|name| Key::parse(name));
            let documents = keys.filter_map(|key| {
                let stored = find(connection, &key).transpose()?;
                Some(stored.map(|stored| *stored.document).map_err(failed()))
            });
            Ok(documents.collect())
        });
        found.await.map_err(failed())
    }
}

impl OwedIndex for SqliteItems {
    fn lines(
        &self,
        after: Option<DeliveryLine>,
        limit: usize,
    ) -> Result<Vec<(DeliveryLine, Timestamp)>, Unavailable> {
        let lines = self.read(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT line, attempt_at FROM documents WHERE line > ?1 ORDER BY line, attempt_at LIMIT 1",
            )?;
            let mut lines = Vec::new();
            let mut last = after.map_or(Vec::new(), |after| after.key().to_vec());
            while lines.len() < limit {
                let first = select.query_row([&last], |row| Ok((row.get(0)?, row.get(1)?)));
                let Some((key, at)) = first.optional()? else {
                    break;
                };
                let line = DeliveryLine::from_key(&key);
                lines.extend(line.map(|line| (line, row::timestamp(at))));
                last = key.to_vec();
            }
            Ok(lines)
        });
        lines.map_err(unavailable("store: owed lines"))
    }

    fn attempts(&self, line: DeliveryLine, limit: usize) -> Result<Vec<NextAttempt>, Unavailable> {
        let attempts = self.read(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT key, attempt_at, attempts FROM documents WHERE line = ?1 \
                 ORDER BY attempt_at LIMIT ?2",
            )?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let mut rows = select.query(params![line.key(), limit])?;
            let mut attempts = Vec::new();
            while let Some(row) = rows.next()? {
                let key = Key::parse(&row.get::<_, String>(0)?);
                let Some(subject) = key.and_then(|key| key.subject()) else {
                    continue;
                };
                attempts.push(NextAttempt {
                    at: row::timestamp(row.get(1)?),
                    pointer: DeliveryPointer {
                        subject,
                        attempts_claimed: row.get(2)?,
                        group: line.group,
                    },
                });
            }
            Ok(attempts)
        });
        attempts.map_err(unavailable("store: owed attempts"))
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

/// Returns the name of what an app started of a kind. It is what the keys of the kind begin with, and the app.
fn started_by(kind: DeliveryKind, app: &AppId) -> String {
    match kind {
        DeliveryKind::Confirmations => format!("CFM#{app}"),
        DeliveryKind::Logins => format!("QR#{app}"),
    }
}
