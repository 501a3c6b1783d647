//! The tables, and the settings of connections.

use std::path::Path;

use countersign_system::private_files::PrivateDirectory;
use rusqlite::{Connection, OpenFlags};
use url::Url;

use super::open_error::{FORMAT_NUMBER, OpenError};
use super::row::Damage;
use super::{BUSY_TIMEOUT, CreatePermission, Fault, STORE_FILE};

/// Marks the file as ours (`PRAGMA application_id`): `CSgn`.
const APPLICATION: i32 = 0x4353_676e;

/// Number of log pages after which the writer copies the rest of the log into the file, so that it can
/// restart the log: 8 MiB.
const LOG_PAGES: u32 = 2048;

/// Maximum size to which the log is truncated when it is restarted, in bytes. The log grows beyond that
/// while a reader, such as a backup, needs its contents.
const KEPT_LOG_BYTES: u32 = 64 << 20;

/// The writer's cache, in negative KiB: large enough for the key index of about 200,000 documents, whose keys are
/// random.
const WRITER_CACHE: i32 = -12_288;

/// The cache of a connection that fills a new file, in negative KiB.
const FILL_CACHE: i32 = -65_536;

/// One table holds all documents. In addition to its body, each document has the columns that queries need,
/// which this code computes. No SQL reads a body: to SQLite it is bytes, so that a damaged body breaks no
/// index, scan or check.
///
/// `started_by` contains the kind and the app that started the item (`CFM#shop`), and `open_until` is set while
/// a quota counts the item: triggers update the count in the same transaction. `line` is set while a webhook is
/// pending ([`ReceiverShard::key`](countersign_domain::delivery::ReceiverShard)).
///
/// Each index covers everything that is selected through it, so that a scan of it never reads a
/// damaged row.
const TABLES: &str = "
    CREATE TABLE documents (
        number INTEGER PRIMARY KEY,
        key TEXT NOT NULL,
        revision INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        purge_at INTEGER,
        started_by TEXT,
        started_at INTEGER,
        open_until INTEGER,
        line BLOB,
        attempt_at INTEGER,
        attempts INTEGER,
        body BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX keys ON documents (key);
    CREATE TABLE open_counts (started_by TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
";

/// The table of hourly counts. Files of earlier releases lack it, and earlier releases ignore it.
pub(super) const HOURLY_COUNTS: &str = "hourly_counts";

/// Creates the table of hourly counts. A label is empty if it is unknown, and `*` if it is not kept apart.
const CREATE_HOURLY_COUNTS: &str = "
    CREATE TABLE hourly_counts (
        hour INTEGER NOT NULL,
        app TEXT NOT NULL,
        country TEXT NOT NULL,
        provider TEXT NOT NULL,
        step TEXT NOT NULL,
        n INTEGER NOT NULL,
        PRIMARY KEY (hour, app, country, provider, step)
    ) STRICT, WITHOUT ROWID;
";

/// The remaining indexes, and the triggers. Created last if many documents are inserted.
const INDEXES: &str = "
    CREATE INDEX owed ON documents (line, attempt_at) WHERE line IS NOT NULL;
    CREATE INDEX purge ON documents (purge_at) WHERE purge_at IS NOT NULL;
    CREATE INDEX started ON documents (started_by, started_at, key) WHERE started_by IS NOT NULL;
    CREATE INDEX open ON documents (started_by, open_until) WHERE open_until IS NOT NULL;
    CREATE TRIGGER opened AFTER INSERT ON documents WHEN new.open_until IS NOT NULL BEGIN
        INSERT INTO open_counts VALUES (new.started_by, 1) ON CONFLICT DO UPDATE SET n = n + 1;
    END;
    CREATE TRIGGER removed AFTER DELETE ON documents WHEN old.open_until IS NOT NULL BEGIN
        UPDATE open_counts SET n = n - 1 WHERE started_by = old.started_by;
    END;
    CREATE TRIGGER ended AFTER UPDATE OF open_until ON documents
    WHEN old.open_until IS NOT NULL AND new.open_until IS NULL BEGIN
        UPDATE open_counts SET n = n - 1 WHERE started_by = old.started_by;
    END;
    CREATE TRIGGER reopened AFTER UPDATE OF open_until ON documents
    WHEN old.open_until IS NULL AND new.open_until IS NOT NULL BEGIN
        INSERT INTO open_counts VALUES (new.started_by, 1) ON CONFLICT DO UPDATE SET n = n + 1;
    END;
";

/// Counts the open items of each kind and app.
pub(super) const COUNT_OPEN: &str = "
    DELETE FROM open_counts;
    INSERT INTO open_counts SELECT started_by, count(*) FROM documents
    WHERE open_until IS NOT NULL AND started_by IS NOT NULL GROUP BY started_by;
";

/// Opens a connection to the file.
pub(super) fn open(path: &Path) -> Result<Connection, OpenError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(32);
    // A commit is on disk before the caller gets an answer. Readers do not copy the log. Deleted or changed data is
    // overwritten with zeros, and the data for undoing failed statements is not written to a file.
    connection.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = ON; \
         PRAGMA temp_store = MEMORY;",
    )?;
    Ok(connection)
}

/// Opens a read-only connection if the directory is on a read-only file system, and otherwise one like [`open`]'s. In
/// the former case the caller must hold the directory's lock.
///
/// SQLite shares the log's index between processes through a file, which it cannot create on a read-only file system.
/// It needs no such file if it is the only user of the store, which a VFS without locks indicates.
pub(super) fn open_to_read(directory: &PrivateDirectory) -> Result<Connection, OpenError> {
    let path = directory.path().join(STORE_FILE);
    if !directory.is_read_only()? {
        return open(&path);
    }
    let log = directory.open_to_read(&format!("{STORE_FILE}-wal"))?;
    let has_log = match log {
        Some(log) => log.metadata().is_ok_and(|data| data.len() > 0),
        None => false,
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if has_log {
        let connection = Connection::open_with_flags_and_vfs(&path, flags, "unix-none")?;
        connection.query_row("PRAGMA locking_mode = EXCLUSIVE", [], |_| Ok(()))?;
        connection
    } else {
        // If there is no log, SQLite would create one.
        let flags = flags | OpenFlags::SQLITE_OPEN_URI;
        Connection::open_with_flags(immutable(&path)?.as_str(), flags)?
    };
    Ok(connection)
}

/// Returns the URI of an immutable file (<https://www.sqlite.org/uri.html>).
fn immutable(path: &Path) -> Result<Url, OpenError> {
    let absolute =
        std::path::absolute(path).map_err(|error| OpenError::Unreadable(error.into()))?;
    let mut uri = Url::from_file_path(&absolute)
        .map_err(|()| OpenError::Unreadable("it has no URI".into()))?;
    uri.set_query(Some("immutable=1"));
    Ok(uri)
}

/// Fails if the file is missing or empty.
pub(super) fn must_exist(directory: &PrivateDirectory) -> Result<(), OpenError> {
    let file = directory.open_to_read(STORE_FILE)?;
    let length = file.map_or(Ok(0), |file| file.metadata().map(|data| data.len()));
    let length = length.map_err(|error| OpenError::Unreadable(error.into()))?;
    if length > 0 {
        Ok(())
    } else {
        Err(missing(directory))
    }
}

fn missing(directory: &PrivateDirectory) -> OpenError {
    OpenError::Missing {
        path: directory.path().join(STORE_FILE),
    }
}

/// Fails if the file is new, has a different format from this release's, or has damaged
/// definitions.
pub(super) fn known(
    connection: &Connection,
    directory: &PrivateDirectory,
) -> Result<(), OpenError> {
    match format(connection)? {
        Some(found) if found > FORMAT_NUMBER => Err(OpenError::NewerFormat { found }),
        Some(found) if found < FORMAT_NUMBER => Err(OpenError::OlderFormat { found }),
        Some(_) if are_definitions_whole(connection)? => Ok(()),
        Some(_) => Err(OpenError::Definitions),
        None => Err(missing(directory)),
    }
}

/// The type, name and statement of each table, index and trigger.
fn definitions(connection: &Connection) -> Result<Vec<[String; 3]>, rusqlite::Error> {
    let mut select =
        connection.prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql <> ''")?;
    let text = |row: &rusqlite::Row<'_>, at| {
        let bytes = row.get_ref(at).ok().and_then(|text| text.as_bytes().ok());
        String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
    };
    let rows = select.query_map([], |row| Ok([text(row, 0), text(row, 1), text(row, 2)]))?;
    rows.collect()
}

/// Returns the definitions of an undamaged file.
fn expected() -> Result<Vec<[String; 3]>, rusqlite::Error> {
    let new = Connection::open_in_memory()?;
    new.execute_batch(&format!("{TABLES} {CREATE_HOURLY_COUNTS} {INDEXES}"))?;
    definitions(&new)
}

/// Returns whether all definitions are as this code writes them. SQLite would obey damaged ones. Other programs,
/// such as Litestream, may have added tables.
fn are_definitions_whole(connection: &Connection) -> Result<bool, rusqlite::Error> {
    let found = definitions(connection)?;
    let expected = expected()?;
    let mut expected = expected.iter();
    Ok(expected.all(|one| found.contains(one) || may_lack(&found, one)))
}

/// Returns whether a definition is missing because an earlier release wrote the file.
fn may_lack(found: &[[String; 3]], [_, name, _]: &[String; 3]) -> bool {
    name == HOURLY_COUNTS && found.iter().all(|[_, other, _]| other != name)
}

/// Recreates an index. Only the old definition is removed, because SQLite cannot delete pages that it cannot
/// read.
pub(super) fn replace_index(transaction: &Connection, index: &str) -> Result<(), Fault> {
    let expected = expected()?;
    let definition = expected.iter().find(|[_, name, _]| name == index);
    let [_, _, create] = definition.ok_or(Damage::Structure)?;
    transaction.execute_batch("PRAGMA writable_schema = ON")?;
    let forget = "DELETE FROM sqlite_schema WHERE type = 'index' AND name = ?1";
    let forgotten = transaction.execute(forget, [index]);
    transaction.execute_batch("PRAGMA writable_schema = RESET")?;
    forgotten?;
    Ok(transaction.execute_batch(create)?)
}

/// Rewrites damaged definitions, which are always the same.
pub(super) fn repair_definitions(connection: &Connection) -> Result<(), OpenError> {
    connection.execute_batch("PRAGMA writable_schema = ON")?;
    let found = definitions(connection)?;
    let expected = expected()?;
    let damaged = expected
        .iter()
        .filter(|one| !found.contains(one) && !may_lack(&found, one));
    for [kind, name, sql] in damaged {
        let update = "UPDATE sqlite_schema SET type = ?1, sql = ?3 WHERE name = ?2";
        if connection.execute(update, [kind, name, sql])? != 1 {
            return Err(OpenError::Definitions);
        }
    }
    connection.execute_batch("PRAGMA writable_schema = RESET")?;
    Ok(())
}

/// Prepares the writer's connection, and creates the tables of a new file. Fails if the file has a
/// different format from this release's.
pub(super) fn prepare(
    connection: &Connection,
    beginning: CreatePermission,
    directory: &PrivateDirectory,
) -> Result<(), OpenError> {
    if beginning == CreatePermission::MayBeNew && format(connection)?.is_none() {
        create(connection)?;
    }
    known(connection, directory)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    add_hourly_counts(connection)?;
    connection.execute_batch(&format!(
        "PRAGMA wal_autocheckpoint = {LOG_PAGES}; PRAGMA journal_size_limit = {KEPT_LOG_BYTES}; \
         PRAGMA cache_size = {WRITER_CACHE};"
    ))?;
    Ok(())
}

/// Adds the table of hourly counts to a file of an earlier release.
fn add_hourly_counts(connection: &Connection) -> Result<(), OpenError> {
    let found = definitions(connection)?;
    if !found.iter().any(|[_, name, _]| name == HOURLY_COUNTS) {
        connection.execute_batch(CREATE_HOURLY_COUNTS)?;
    }
    Ok(())
}

/// Creates the tables of a new file.
pub(super) fn create(connection: &Connection) -> Result<(), OpenError> {
    connection.execute_batch(&format!(
        "BEGIN; {TABLES} {CREATE_HOURLY_COUNTS} {INDEXES} PRAGMA application_id = {APPLICATION}; \
         PRAGMA user_version = {FORMAT_NUMBER}; COMMIT;"
    ))?;
    Ok(())
}

/// Creates the tables of a file that will be filled with many documents, in a transaction that [`end_filling`]
/// commits.
pub(super) fn begin_to_fill(connection: &Connection) -> Result<(), OpenError> {
    connection.execute_batch(&format!(
        "PRAGMA cache_size = {FILL_CACHE}; PRAGMA temp_store = DEFAULT; BEGIN; {TABLES} \
         {CREATE_HOURLY_COUNTS} \
         PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT_NUMBER};"
    ))?;
    Ok(())
}

/// Creates the indexes over the documents in a new file, and commits.
pub(super) fn end_filling(connection: &Connection) -> Result<(), OpenError> {
    connection.execute_batch(&format!("{COUNT_OPEN} {INDEXES} COMMIT;"))?;
    Ok(())
}

/// Returns the file's format version; `None` if the file is new.
pub(super) fn format(connection: &Connection) -> Result<Option<u32>, OpenError> {
    let number = |pragma: &str| {
        connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i32>(0))
    };
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (number("application_id")?, tables) {
        (0, 0) => Ok(None),
        (APPLICATION, _) => Ok(Some(number("user_version")?.cast_unsigned())),
        _ => Err(OpenError::Unreadable(
            "it is not a store of Countersign".into(),
        )),
    }
}
