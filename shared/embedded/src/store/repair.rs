//! Repair: writes a new file with all readable data.

use countersign_domain::store::Key;
use countersign_system::private_files::PrivateDirectory;

use super::backup::NewStore;
use super::counts::copy_counts;
use super::row::Row;
use super::steady::read_steady;
use super::survey::{DamagedDocument, SurveyDepth, Surveyed, survey};
use super::{OpenError, STORE_FILE, schema};

/// Rewrites the store: each document with its columns recomputed, and all indexes. The caller must hold
/// the directory's lock.
///
/// Damaged documents stay damaged. If a permanent document cannot be read at all, its key is kept: a revoked key
/// whose row is lost must not become unknown.
///
/// # Errors
/// Fails if the store cannot be opened, or the new file cannot be written. The store is unchanged in
/// that case.
pub fn repair(directory: &PrivateDirectory) -> Result<(), OpenError> {
    schema::must_exist(directory)?;
    let store = schema::open(&directory.path().join(STORE_FILE))?;
    schema::repair_definitions(&store)?;
    schema::known(&store, directory)?;
    // The log belongs to the file that is being replaced.
    let (busy, _, _): (i64, i64, i64) =
        store.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    if busy != 0 {
        return Err(OpenError::InUse);
    }
    let new = NewStore::create(directory, read_steady(&store).ok().flatten())?;
    if let Err(cause) = fill(&store, &new) {
        let _ = new.give_up();
        return Err(cause);
    }
    drop(store);
    for beside in ["-wal", "-shm"] {
        directory.remove(&format!("{STORE_FILE}{beside}"))?;
    }
    new.finish()
}

fn fill(store: &rusqlite::Connection, new: &NewStore) -> Result<(), OpenError> {
    let mut damaged = Vec::new();
    survey(store, SurveyDepth::Documents, &mut |surveyed| {
        match surveyed {
            Surveyed::Whole { row, .. } => {
                row.insert_if_absent(new.connection())?;
            }
            Surveyed::Damaged(lost) => damaged.extend(remains(lost)),
            Surveyed::Gap => {}
        }
        Ok::<_, OpenError>(())
    })?;
    copy_counts(store, new.connection())?;
    // Inserted last, because an undamaged document may have the same key.
    for row in damaged {
        row.insert_damaged(new.connection())?;
    }
    Ok(())
}

/// Returns the row to keep for a damaged document.
fn remains(lost: DamagedDocument) -> Option<Row> {
    let key = lost.key?;
    let is_permanent = Key::parse(&key)?.is_permanent();
    let row = match lost.row {
        Some(stored) => Row { key, ..stored.row },
        None => Row::empty(key),
    };
    // Without a purge time, it would stay forever.
    (is_permanent || row.purge_at.is_some()).then_some(row)
}
