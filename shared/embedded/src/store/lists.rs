//! Lists of documents. A damaged document is replaced by its error, and a damaged index is not used.

use countersign_domain::delivery::DeliveryKind;
use countersign_domain::login::KeyId;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{Collection, Document, Key, ListedItem, ListedKey, PageStart};
use rusqlite::Connection;

use super::read::{named, pick_rows, read_index};
use super::row::{Damage, Row, millis, timestamp};
use super::soundness::Soundness;
use super::{Fault, started_by, unavailable};

/// The documents found, each of which may be unreadable.
pub(super) type Found = Vec<Result<Document, Fault>>;

/// The documents found, by their keys in the index.
type Named = Vec<(String, Result<Document, Fault>)>;

/// A row in an index: its key and its number.
type Entry = (String, i64);

/// Lists documents whose keys lie in a range, from the first name (inclusive) to the second (exclusive). Also returns
/// the last key that was read, if more may follow.
pub(super) fn list(
    connection: &Connection,
    soundness: &Soundness,
    what: Collection,
    range: &(String, String),
    limit: usize,
) -> Result<(Option<String>, Found), Fault> {
    let range = Range {
        prefix: what.prefix(),
        first: &range.0,
        end: &range.1,
        is_ascending: what.is_ascending(),
    };
    let (last, found) = range.list(connection, soundness, limit)?;
    let documents = found.into_iter().map(|(_, document)| document).collect();
    Ok((last, documents))
}

/// Lists the association keys of an app after a given one. The list is empty only if no further key can be read.
pub(super) fn association_keys(
    connection: &Connection,
    soundness: &Soundness,
    app: &AppId,
    after: Option<KeyId>,
    limit: usize,
) -> Result<Vec<ListedKey>, Fault> {
    let prefix = format!("{}#", Key::KeyCount(app.clone()));
    let end = format!("{}$", Key::KeyCount(app.clone()));
    let mut first = match after {
        Some(id) => format!("{}\0", Key::AssociationKey(app.clone(), id)),
        None => prefix.clone(),
    };
    loop {
        let range = Range {
            prefix: &prefix,
            first: &first,
            end: &end,
            is_ascending: true,
        };
        let (last, found) = range.list(connection, soundness, limit)?;
        // The keys of tests are in one document between the others.
        let listed = found.into_iter().filter_map(|(name, document)| {
            let Some(Key::AssociationKey(_, id)) = Key::parse(&name) else {
                return None;
            };
            let document = document.map_err(unavailable("store: association keys"));
            Some(ListedKey { id, document })
        });
        let listed: Vec<_> = listed.collect();
        match last {
            Some(last) if listed.is_empty() => first = format!("{last}\0"),
            _ => return Ok(listed),
        }
    }
}

/// A range of keys, from the first name (inclusive) to the second (exclusive).
struct Range<'a> {
    /// The beginning of every key in the range.
    prefix: &'a str,
    first: &'a str,
    end: &'a str,
    is_ascending: bool,
}

impl Range<'_> {
    /// Lists documents by their keys. Also returns the last key that was read, if more may follow.
    fn list(
        &self,
        connection: &Connection,
        soundness: &Soundness,
        limit: usize,
    ) -> Result<(Option<String>, Named), Fault> {
        let order = if self.is_ascending { "ASC" } else { "DESC" };
        let select = format!(
            "SELECT key, number FROM documents INDEXED BY keys WHERE key >= ?1 AND key < ?2 \
             ORDER BY key {order} LIMIT ?3"
        );
        let most = i64::try_from(limit).unwrap_or(i64::MAX);
        let entries = read_index(connection, &select, &[&self.first, &self.end, &most], entry)?;
        let entries = if let Some(entries) = entries {
            entries
        } else {
            soundness.note(&Damage::Index.into(), Some(self.prefix));
            let mut entries = pick_rows(connection, |number, row| {
                let is_wanted = self.first <= row.key.as_str() && row.key.as_str() < self.end;
                is_wanted.then(|| (row.key.clone(), number))
            })?;
            entries.sort_unstable();
            if !self.is_ascending {
                entries.reverse();
            }
            entries.truncate(limit);
            entries
        };
        let belongs = |row: &Row| row.key.starts_with(self.prefix);
        let documents = entries.iter().map(|(key, number)| {
            let found = named(connection, soundness, (key, *number), belongs);
            let found = noted(soundness, key, found).map(|(_, document)| document);
            (key.clone(), found)
        });
        let documents = documents.collect();
        let last = if entries.len() < limit {
            None
        } else {
            entries.into_iter().next_back().map(|(key, _)| key)
        };
        Ok((last, documents))
    }
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
