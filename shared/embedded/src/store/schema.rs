//! The tables, and the settings of connections.

use std::path::Path;

use countersign_system::private_files::PrivateDirectory;
use rusqlite::Connection;

use super::open_error::{FORMAT_NUMBER, OpenError};
use super::{BUSY_TIMEOUT, Beginning, STORE_FILE};

/// Marks the file as ours (`PRAGMA application_id`): `CSgn`.
const APPLICATION: i32 = 0x4353_676e;

/// Number of pages in the log of writes from which the writer copies what is left of it into the file, so
/// that it can restart the log: 8 MiB.
const LOG_PAGES: u32 = 2048;

/// The most bytes of the log that stay on disk once it is restarted. It grows beyond that while a reader,
/// such as a backup, needs what is in it.
const KEPT_LOG_BYTES: u32 = 64 << 20;

/// One table holds all documents. Beside its body, each has the columns that something is found by, which we
/// write. No SQL looks into a body: to SQLite it is bytes, so that a damaged one stops no index, scan or check.
///
/// `started_by` names the kind and the app of what an app started (`CFM#shop`), and `open_until` is set while
/// a quota counts it: triggers keep the count in the same transaction. `line` is set while a webhook is owed
/// ([`DeliveryLine::key`](countersign_domain::delivery::DeliveryLine)).
///
/// Each index has all that is selected from it, so that a scan of it never meets a damaged row.
const TABLES: &str = "
    CREATE TABLE documents (
        number INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
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
    CREATE INDEX owed ON documents (line, attempt_at) WHERE line IS NOT NULL;
    CREATE INDEX purge ON documents (purge_at) WHERE purge_at IS NOT NULL;
    CREATE INDEX started ON documents (started_by, started_at, key) WHERE started_by IS NOT NULL;
    CREATE INDEX open ON documents (started_by, open_until) WHERE open_until IS NOT NULL;
    CREATE TABLE open_counts (started_by TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
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

/// Opens a connection to the file.
pub(super) fn open(path: &Path) -> Result<Connection, OpenError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(32);
    // A commit is on disk before it is answered. Readers do not copy the log.
    connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;")?;
    Ok(connection)
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

/// Fails if the file is new, or has another format than this release's.
pub(super) fn known(
    connection: &Connection,
    directory: &PrivateDirectory,
) -> Result<(), OpenError> {
    match format(connection)? {
        Some(found) if found > FORMAT_NUMBER => Err(OpenError::NewerFormat { found }),
        Some(found) if found < FORMAT_NUMBER => Err(OpenError::OlderFormat { found }),
        Some(_) => Ok(()),
        None => Err(missing(directory)),
    }
}

/// Prepares the writer's connection, and creates the tables of a new file. Fails if the file has another
/// format than this release's.
pub(super) fn prepare(
    connection: &Connection,
    beginning: Beginning,
    directory: &PrivateDirectory,
) -> Result<(), OpenError> {
    if beginning == Beginning::MayBeNew && format(connection)?.is_none() {
        create(connection)?;
    }
    known(connection, directory)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.execute_batch(&format!(
        "PRAGMA wal_autocheckpoint = {LOG_PAGES}; PRAGMA journal_size_limit = {KEPT_LOG_BYTES};"
    ))?;
    Ok(())
}

/// Creates the tables of a new file.
pub(super) fn create(connection: &Connection) -> Result<(), OpenError> {
    connection.execute_batch(&format!(
        "BEGIN; {TABLES} PRAGMA application_id = {APPLICATION}; \
         PRAGMA user_version = {FORMAT_NUMBER}; COMMIT;"
    ))?;
    Ok(())
}

/// Returns the number of the file's format; `None` if the file is new.
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
