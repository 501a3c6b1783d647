//! Lists of documents. A damaged document is replaced by its error, and a damaged index is not used.

use countersign_domain::delivery::DeliveryKind;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{Collection, Document, Key, ListedItem, PageStart};
use rusqlite::Connection;

use super::read::{named, pick_rows, read_index};
use super::row::{Damage, Row, millis, timestamp};
use super::soundness::Soundness;
use super::{Fault, started_by, unavailable};

/// The documents found, each of which may be unreadable.
pub(super) type Found = Vec<Result<Document, Fault>>;

/// A row in an index: its key and its number.
type Entry = (String, i64);

/// Lists documents whose keys lie in a range, from the first name (inclusive) to the second (exclusive). Also returns
/// the last key that was read, if more may follow.
pub(super) fn list(
    connection: &Connection,
    soundness: &Soundness,
    what: Collection,
    (first, end): &(String, String),
    limit: usize,
) -> Result<(Option<String>, Found), Fault> {
    let order = if what.is_ascending() { "ASC" } else { "DESC" };
    let select = format!(
        "SELECT key, number FROM documents INDEXED BY keys WHERE key >= ?1 AND key < ?2 \
         ORDER BY key {order} LIMIT ?3"
    );
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let entries = read_index(connection, &select, &[first, end, &most], entry)?;
    let entries = if let Some(entries) = entries {
        entries
    } else {
        soundness.note(&Damage::Index.into(), Some(what.prefix()));
        let mut entries = pick_rows(connection, |number, row| {
            let is_wanted = first <= &row.key && &row.key < end;
            is_wanted.then(|| (row.key.clone(), number))
        })?;
        entries.sort_unstable();
        if !what.is_ascending() {
            entries.reverse();
        }
        entries.truncate(limit);
        entries
    };
    let belongs = |row: &Row| row.key.starts_with(what.prefix());
    let documents = entries.iter().map(|(key, number)| {
        let found = named(connection, soundness, (key, *number), belongs);
        noted(soundness, key, found).map(|(_, document)| document)
    });
    let documents = documents.collect();
    let last = if entries.len() < limit {
        None
    } else {
        entries.into_iter().next_back().map(|(key, _)| key)
    };
    Ok((last, documents))
}

fn entry(row: &rusqlite::Row<'_>) -> Option<Entry> {
    let key = row.get_ref(0).ok()?.as_bytes().ok()?;
    Some((String::from_utf8_lossy(key).into_owned(), row.get(1).ok()?))
}

/// The confirmations or logins of an app, from a given time up to a position.
#[derive(Debug)]
pub(super) struct Stretch {
    pub(super) started_by: String,
    from: i64,
    to: i64,
    /// Of those started at `to`, only those with keys before this one.
    before: String,
}

impl Stretch {
    pub(super) fn new(kind: DeliveryKind, app: &AppId, from: Timestamp, before: PageStart) -> Self {
        let (to, before) = match before {
            PageStart::Time(at) => (at, String::new()),
            PageStart::Item(at, id) => (at, Key::from(id).to_string()),
        };
        Self {
            started_by: started_by(kind, app),
            from: millis(from),
            to: millis(to),
            before,
        }
    }

    fn has(&self, started_at: i64, key: &str) -> bool {
        (self.from..=self.to).contains(&started_at)
            && (started_at < self.to || key < self.before.as_str())
    }

    /// Continues after an entry.
    fn after(&mut self, (started_at, (key, _)): &(i64, Entry)) {
        self.to = *started_at;
        self.before.clone_from(key);
    }

    /// Lists the newest documents, at most `limit`. The list is empty only if no further entry can be
    /// read.
    pub(super) fn list(
        mut self,
        connection: &Connection,
        soundness: &Soundness,
        limit: usize,
    ) -> Result<Vec<ListedItem>, Fault> {
        loop {
            let entries = self.entries(connection, soundness, limit)?;
            let Some(last) = entries.last() else {
                return Ok(Vec::new());
            };
            let listed = entries.iter().filter_map(|(started_at, (key, number))| {
                let belongs = |row: &Row| row.started_by.as_ref() == Some(&self.started_by);
                let found = named(connection, soundness, (key, *number), belongs);
                let found = noted(soundness, key, found);
                let named = found.as_ref().ok().map(|(key, _)| key.clone());
                Some(ListedItem {
                    started_at: timestamp(*started_at),
                    subject: Key::parse(key).or(named)?.subject()?,
                    document: found
                        .map(|(_, document)| document)
                        .map_err(unavailable("store: started")),
                })
            });
            let listed: Vec<_> = listed.collect();
            if !listed.is_empty() {
                return Ok(listed);
            }
            let last = last.clone();
            self.after(&last);
        }
    }

    fn entries(
        &self,
        connection: &Connection,
        soundness: &Soundness,
        limit: usize,
    ) -> Result<Vec<(i64, Entry)>, Fault> {
        let most = i64::try_from(limit).unwrap_or(i64::MAX);
        let entries = read_index(
            connection,
            "SELECT key, number, started_at FROM documents INDEXED BY started \
             WHERE started_by = ?1 AND started_at BETWEEN ?2 AND ?3 AND (started_at < ?3 OR key < ?4) \
             ORDER BY started_at DESC, key DESC LIMIT ?5",
            &[&self.started_by, &self.from, &self.to, &self.before, &most],
            |row| Some((row.get(2).ok()?, entry(row)?)),
        )?;
        match entries {
            Some(entries) if !soundness.is_started_incomplete() => return Ok(entries),
            Some(_) => {}
            None => soundness.note(&Damage::Index.into(), Some(&self.started_by)),
        }
        let mut entries = pick_rows(connection, |number, row| {
            let started_at = row.started_at?;
            let is_wanted =
                row.started_by.as_ref() == Some(&self.started_by) && self.has(started_at, &row.key);
            is_wanted.then(|| (started_at, (row.key.clone(), number)))
        })?;
        entries.sort_unstable_by(|a, b| b.cmp(a));
        entries.truncate(limit);
        Ok(entries)
    }
}

fn noted<T>(soundness: &Soundness, key: &str, found: Result<T, Fault>) -> Result<T, Fault> {
    found.inspect_err(|fault| soundness.note(fault, Some(key)))
}
