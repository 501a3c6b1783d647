//! The index of pending webhooks.

use std::collections::BTreeMap;

use countersign_domain::delivery::due::{NextAttempt, PendingIndex};
use countersign_domain::delivery::{DeliveryPointer, ReceiverShard};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Key;
use rusqlite::Connection;

use super::long_reads::ReadOwner;
use super::read::{pick_rows, read_index};
use super::row::{Damage, Row, timestamp};
use super::soundness::Soundness;
use super::walk::row_of;
use super::{Fault, SqliteItems, unavailable};

impl SqliteItems {
    /// Returns the number of pending webhooks, in time proportional to their number.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub async fn pending_webhooks(&self) -> Result<usize, Unavailable> {
        let owed = self.long_reads.read(ReadOwner::Operator, |connection| {
            let count = "SELECT count(*) FROM documents INDEXED BY owed WHERE line IS NOT NULL";
            let counted = read_index(connection, count, &[], |row| row.get::<_, i64>(0).ok())?;
            match counted.as_deref() {
                Some(&[owed]) => Ok(usize::try_from(owed).unwrap_or_default()),
                _ => Ok(pick_rows(connection, |_, row| row.line.as_ref().map(|_| ()))?.len()),
            }
        });
        owed.await.map_err(unavailable("store: owed"))
    }
}

impl PendingIndex for SqliteItems {
    fn shards(
        &self,
        after: Option<ReceiverShard>,
        limit: usize,
    ) -> Result<Vec<(ReceiverShard, Timestamp)>, Unavailable> {
        let after = after.map_or(Vec::new(), |after| after.key().to_vec());
        let lines = self.read(|connection| {
            if let Some(lines) = shards(connection, after.clone(), limit)? {
                return Ok(lines);
            }
            self.soundness
                .note(&Damage::Index.into(), Some("owed webhooks"));
            lines_of_rows(connection, &after, limit)
        });
        lines.map_err(unavailable("store: owed lines"))
    }

    fn attempts(&self, line: ReceiverShard, limit: usize) -> Result<Vec<NextAttempt>, Unavailable> {
        let attempts = self.read(|connection| attempts(connection, &self.soundness, line, limit));
        attempts.map_err(unavailable("store: owed attempts"))
    }
}

/// Returns the lines in the index; `None` if the index cannot be read.
fn shards(
    connection: &Connection,
    mut last: Vec<u8>,
    limit: usize,
) -> Result<Option<Vec<(ReceiverShard, Timestamp)>>, Fault> {
    let mut lines = Vec::new();
    while lines.len() < limit {
        let first = read_index(
            connection,
            "SELECT line, attempt_at FROM documents INDEXED BY owed WHERE line > ?1 \
             ORDER BY line, attempt_at LIMIT 1",
            &[&last],
            |row| {
                let line = row.get_ref(0).ok()?.as_bytes().ok()?.to_vec();
                Some((line, row.get(1).unwrap_or_default()))
            },
        )?;
        let Some(first) = first else {
            return Ok(None);
        };
        let Some((line, at)) = first.into_iter().next() else {
            break;
        };
        lines.extend(line_of(&line).map(|line| (line, timestamp(at))));
        if line <= last {
            // The index is damaged.
            return Ok(None);
        }
        last = line;
    }
    Ok(Some(lines))
}

fn lines_of_rows(
    connection: &Connection,
    after: &[u8],
    limit: usize,
) -> Result<Vec<(ReceiverShard, Timestamp)>, Fault> {
    let rows = pick_rows(connection, |_, row| {
        let line = row.line.as_ref().filter(|line| line.as_slice() > after)?;
        Some((line.clone(), row.attempt_at.unwrap_or_default()))
    })?;
    let mut first = BTreeMap::new();
    for (line, at) in rows {
        let first = first.entry(line).or_insert(at);
        *first = at.min(*first);
    }
    let lines = first.iter();
    let lines = lines.filter_map(|(line, at)| Some((line_of(line)?, timestamp(*at))));
    Ok(lines.take(limit).collect())
}

fn line_of(key: &[u8]) -> Option<ReceiverShard> {
    ReceiverShard::from_key(key.try_into().ok()?)
}

fn attempts(
    connection: &Connection,
    soundness: &Soundness,
    line: ReceiverShard,
    limit: usize,
) -> Result<Vec<NextAttempt>, Fault> {
    let name = line.key().to_vec();
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let numbers = read_index(
        connection,
        "SELECT number FROM documents INDEXED BY owed WHERE line = ?1 ORDER BY attempt_at LIMIT ?2",
        &[&name, &most],
        |row| row.get(0).ok(),
    )?;
    let numbers = if let Some(numbers) = numbers {
        numbers
    } else {
        soundness.note(&Damage::Index.into(), Some("owed webhooks"));
        let mut numbers = pick_rows(connection, |number, row| {
            (row.line.as_ref() == Some(&name)).then_some((row.attempt_at, number))
        })?;
        numbers.sort_unstable();
        let numbers = numbers.into_iter().map(|(_, number)| number);
        numbers.take(limit).collect()
    };
    let mut attempts = Vec::new();
    for number in numbers {
        let row = match row_of(connection, number) {
            Ok(row) => row,
            Err(fault) if fault.is_damage() => {
                soundness.note(&fault, None);
                continue;
            }
            Err(fault) => return Err(fault),
        };
        let attempt = row.as_ref().and_then(|stored| {
            let columns = stored.read_columns().ok()?;
            attempt(&columns, line)
        });
        if attempt.is_none() {
            let key = row.as_ref().map(|stored| stored.row.key.as_str());
            soundness.note(&Damage::Index.into(), key);
        }
        attempts.extend(attempt);
    }
    Ok(attempts)
}

/// Returns the next attempt in a row, if it belongs to a line.
fn attempt(row: &Row, line: ReceiverShard) -> Option<NextAttempt> {
    if row.line.as_deref() != Some(line.key().as_slice()) {
        return None;
    }
    Some(NextAttempt {
        at: timestamp(row.attempt_at?),
        pointer: DeliveryPointer {
            subject: Key::parse(&row.key)?.subject()?,
            attempts_claimed: row.attempts?.try_into().ok()?,
            group: line.group,
        },
    })
}
