//! Reading documents.

use countersign_domain::store::{Document, Key, Revision, StoredDocument};
use rusqlite::Connection;

use super::Fault;
use super::row::{Damage, Row, StoredRow, select_rows};
use super::soundness::{AbsenceMeaning, Soundness};
use super::walk::{Found, row_of, walk};

/// Runs a read whose statements all see the same committed state, whatever is written in the meantime.
/// Otherwise a row that changes after an index has named it would look like damage.
pub(super) fn read_one_state<T>(
    connection: &Connection,
    read: impl FnOnce(&Connection) -> Result<T, Fault>,
) -> Result<T, Fault> {
    // Ends when it is dropped, also if the read panics.
    let state = connection.unchecked_transaction()?;
    read(&state)
}

/// Reads the document under a key.
///
/// The key index may lack a document or point to a wrong row. In that case the result of the store's
/// scan is used instead of the index.
pub(super) fn find(
    connection: &Connection,
    soundness: &Soundness,
    key: &Key,
) -> Result<Option<StoredDocument>, Fault> {
    let indexed = find_indexed(connection, key);
    match indexed {
        Ok(Some(stored)) => return Ok(Some(stored)),
        Err(fault) if !fault.is_damage() => return Err(fault),
        Ok(None) | Err(_) => {}
    }
    match (soundness.absence(key, &key.to_string()), indexed) {
        (AbsenceMeaning::Unindexed(number), missed) => match row_of(connection, number)? {
            Some(row) => stored(key, &row).map(Some),
            None => missed,
        },
        (AbsenceMeaning::Unknown, Ok(_)) => Err(Damage::AbsenceMeaning.into()),
        (AbsenceMeaning::Unknown | AbsenceMeaning::Certain, missed) => missed,
    }
}

/// Reads the document to which the key index points. For write transactions: SQLite does not let one continue
/// after it has found damage.
pub(super) fn find_indexed(
    connection: &Connection,
    key: &Key,
) -> Result<Option<StoredDocument>, Fault> {
    let row = indexed(connection, &key.to_string())?;
    row.map(|row| stored(key, &row)).transpose()
}

fn indexed(connection: &Connection, name: &str) -> Result<Option<StoredRow>, Fault> {
    let mut select = connection.prepare_cached(select_rows!("WHERE key = ?1"))?;
    let mut rows = select.query([name])?;
    Ok(rows.next()?.map(StoredRow::from_sql))
}

fn stored(key: &Key, row: &StoredRow) -> Result<StoredDocument, Fault> {
    Ok(StoredDocument {
        document: Box::new(row.document_under(key)?),
        revision: Revision(row.revision.cast_unsigned()),
    })
}

/// Reads the document that an index identifies by its key and row number, each of which may be damaged.
/// `belongs` decides from the columns whether the document belongs at that position in the index.
pub(super) fn named(
    connection: &Connection,
    soundness: &Soundness,
    (name, number): (&str, i64),
    belongs: impl Fn(&Row) -> bool,
) -> Result<(Key, Document), Fault> {
    let by_number = row_of(connection, number);
    let of_key = |key: &str| Key::parse(key).ok_or(Damage::Index);
    if let Ok(Some(stored)) = &by_number {
        for key in [stored.row.key.as_str(), name] {
            let Ok(key) = of_key(key) else { continue };
            if let Ok((row, document)) = stored.read_under(&key)
                && belongs(&row)
            {
                return Ok((key, document));
            }
        }
    }
    let key = of_key(name)?;
    let found = find(connection, soundness, &key)?.ok_or(Damage::Index)?;
    let document = *found.document;
    let row = Row::new(&key, &document).map_err(Damage::from)?;
    if belongs(&row) {
        Ok((key, document))
    } else {
        Err(Damage::Index.into())
    }
}

/// Returns the values that `pick` selects from the readable rows, in no particular order, without an index. Takes
/// time proportional to the size of the store; for use when an index cannot be read.
pub(super) fn pick_rows<T>(
    connection: &Connection,
    pick: impl Fn(i64, &Row) -> Option<T>,
) -> Result<Vec<T>, Fault> {
    let mut picked = Vec::new();
    walk(connection, i64::MIN, usize::MAX, &mut |found| {
        if let Found::Row(stored) = found {
            picked.extend(pick(stored.number, &stored.row));
        }
        Ok::<_, Fault>(())
    })?;
    Ok(picked)
}

/// Reads from an index. Returns `None` if a part of it cannot be read.
pub(super) fn read_index<T>(
    connection: &Connection,
    sql: &str,
    parameters: &[&dyn rusqlite::ToSql],
    read: impl Fn(&rusqlite::Row<'_>) -> Option<T>,
) -> Result<Option<Vec<T>>, Fault> {
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query(parameters)?;
    let mut found = Vec::new();
    loop {
        match rows.next() {
            Ok(Some(row)) => found.extend(read(row)),
            Ok(None) => return Ok(Some(found)),
            Err(error) => {
                let fault = Fault::from(error);
                return if fault.is_damage() {
                    Ok(None)
                } else {
                    Err(fault)
                };
            }
        }
    }
}
