//! Removing expired documents.

use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use futures_util::future::join_all;
use rusqlite::Connection;

use super::read::read_index;
use super::row::{Damage, Row, millis};
use super::walk::{Found, row_of, walk};
use super::{Fault, SqliteItems, counts, unavailable};

/// Outcome of a purge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// Number of removed documents.
    pub removed: u64,
    /// Number of expired rows that could not be removed, because they or an index are damaged.
    pub left: u64,
}

/// Where the purge continues.
#[derive(Clone, Copy, Debug)]
enum PurgeStep {
    End,
    /// After this position in the index: a time, and the number of a row.
    Index(i64, i64),
    /// The index cannot be read, so the rows themselves are searched, after this number.
    Rows(i64),
}

/// Expired documents that were found.
#[derive(Debug)]
struct Batch {
    expired: Vec<Expired>,
    /// The damaged documents among them.
    damage: Vec<(Option<String>, Fault)>,
    next: PurgeStep,
}

/// A row to remove.
#[derive(Clone, Debug)]
struct Expired {
    number: i64,
    /// The revision that was found expired.
    revision: i64,
    key: String,
}

impl SqliteItems {
    /// Removes expired documents, at most `batch` in one transaction, and old hourly counts. What cannot be removed is
    /// skipped.
    ///
    /// # Errors
    /// Fails if the store cannot be read or written.
    pub async fn purge(&self, now: Timestamp, batch: usize) -> Result<Purged, Unavailable> {
        let what = "store: purge";
        // A damaged index may have been rebuilt by then. Even if not, everything that can be
        // removed is removed.
        let _ = self.soundness.wait().await;
        match self.prune_counts(now).await {
            Err(fault) if fault.is_damage() => self.soundness.note(&fault, Some(counts::NAME)),
            pruned => pruned.map_err(unavailable(what))?,
        }
        let (now, mut purged) = (millis(now), Purged::default());
        let mut next = PurgeStep::Index(i64::MIN, i64::MIN);
        loop {
            let found = self.read(|connection| match next {
                PurgeStep::End => Ok(None),
                PurgeStep::Index(at, number) => {
                    by_index(connection, now, (at, number), batch).map(Some)
                }
                PurgeStep::Rows(after) => by_rows(connection, now, after, batch).map(Some),
            });
            let Some(found) = found.map_err(unavailable(what))? else {
                return Ok(purged);
            };
            next = found.next;
            let (removed, failed) = self
                .remove(found.expired)
                .await
                .map_err(unavailable(what))?;
            purged.removed += removed;
            for (key, fault) in found.damage.into_iter().chain(failed) {
                purged.left += 1;
                self.soundness.note(&fault, key.as_deref());
            }
        }
    }

    /// Removes rows. Returns the number of removed rows, and the rows that could not be removed.
    async fn remove(
        &self,
        expired: Vec<Expired>,
    ) -> Result<(u64, Vec<(Option<String>, Fault)>), Fault> {
        if expired.is_empty() {
            return Ok((0, Vec::new()));
        }
        let all = expired.clone();
        let removed = self.writer.write(move |transaction| {
            let removed = all.iter().map(|row| delete(transaction, row));
            removed.sum::<Result<u64, Fault>>()
        });
        match removed.await {
            Ok(removed) => return Ok((removed, Vec::new())),
            Err(fault) if !fault.is_damage() => return Err(fault),
            Err(_) => {}
        }
        let each = expired.into_iter().map(|row| async move {
            let key = row.key.clone();
            let removed = self
                .writer
                .write(move |transaction| delete(transaction, &row));
            (key, removed.await)
        });
        let (mut removed, mut failed) = (0, Vec::new());
        for (key, outcome) in join_all(each).await {
            match outcome {
                Ok(one) => removed += one,
                Err(fault) if fault.is_damage() => failed.push((Some(key), fault)),
                Err(fault) => return Err(fault),
            }
        }
        Ok((removed, failed))
    }
}

fn delete(transaction: &Connection, row: &Expired) -> Result<u64, Fault> {
    let delete = "DELETE FROM documents WHERE number = ?1 AND revision = ?2";
    let mut delete = transaction.prepare_cached(delete)?;
    Ok(delete.execute([row.number, row.revision])? as u64)
}

/// Finds expired documents through the index, after a position.
fn by_index(
    connection: &Connection,
    now: i64,
    (at, number): (i64, i64),
    limit: usize,
) -> Result<Batch, Fault> {
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let places: Option<Vec<(i64, i64)>> = read_index(
        connection,
        "SELECT purge_at, number FROM documents INDEXED BY purge WHERE purge_at <= ?1 \
         AND purge_at >= ?2 AND (purge_at > ?2 OR number > ?3) ORDER BY purge_at, number LIMIT ?4",
        &[&now, &at, &number, &most],
        |row| Some((row.get(0).ok()?, row.get(1).ok()?)),
    )?;
    let Some(places) = places else {
        return Ok(Batch {
            expired: Vec::new(),
            damage: vec![(None, Damage::Index.into())],
            next: PurgeStep::Rows(i64::MIN),
        });
    };
    let mut batch = Batch {
        expired: Vec::new(),
        damage: Vec::new(),
        next: match places.last() {
            Some((at, number)) if places.len() == limit => PurgeStep::Index(*at, *number),
            _ => PurgeStep::End,
        },
    };
    for (_, number) in places {
        match expired(connection, now, number) {
            Ok(row) => batch.expired.push(row),
            Err((_, fault)) if !fault.is_damage() => return Err(fault),
            Err(damage) => batch.damage.push(damage),
        }
    }
    Ok(batch)
}

/// Returns a row found in an index, if it is indeed expired.
fn expired(
    connection: &Connection,
    now: i64,
    number: i64,
) -> Result<Expired, (Option<String>, Fault)> {
    let found = row_of(connection, number).map_err(|fault| (None, fault))?;
    let stored = found.ok_or((None, Damage::Index.into()))?;
    let is_expired = |row: &Row| row.purge_at.is_some_and(|at| at <= now);
    let is_expired = match stored.read_columns() {
        Ok(row) => is_expired(&row),
        // No part of the row is reliable by itself, but the index and the row agree.
        Err(_) => is_expired(&stored.row),
    };
    if is_expired {
        Ok(Expired {
            number,
            revision: stored.revision,
            key: stored.row.key,
        })
    } else {
        Err((Some(stored.row.key), Damage::Index.into()))
    }
}

/// Finds expired documents among the rows after a number.
fn by_rows(connection: &Connection, now: i64, after: i64, limit: usize) -> Result<Batch, Fault> {
    let mut expired = Vec::new();
    let next = walk(connection, after, limit, &mut |found| {
        if let Found::Row(stored) = found
            && let Ok(row) = stored.read_columns()
            && row.purge_at.is_some_and(|at| at <= now)
        {
            expired.push(Expired {
                number: stored.number,
                revision: stored.revision,
                key: stored.row.key.clone(),
            });
        }
        Ok::<_, Fault>(())
    })?;
    Ok(Batch {
        expired,
        damage: Vec::new(),
        next: next.map_or(PurgeStep::End, PurgeStep::Rows),
    })
}
