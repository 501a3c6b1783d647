//! A survey of a store: lists each document once, with its errors.
//!
//! The table and the key index each contain every document. A row that cannot be read is identified by the
//! index, and a row with a damaged key gets the index's key back if the checksum matches.

use std::collections::{BTreeMap, BTreeSet};

use countersign_domain::store::{Document, Key};
use rusqlite::Connection;

use super::Fault;
use super::row::{Damage, Row, StoredRow};
use super::walk::{Found, row_of, walk, walk_keys};

/// A document found by a survey.
#[derive(Debug)]
pub(super) enum Surveyed {
    /// The document can be read. `is_misplaced` if its columns do not match it. `document` is absent
    /// if only checksums were verified.
    Whole {
        row: Row,
        document: Option<Box<Document>>,
        is_misplaced: bool,
    },
    Damaged(DamagedDocument),
    /// A range of the table cannot be read. The documents in that range that are in the key index follow as
    /// damaged.
    Gap,
}

/// A document that cannot be read.
#[derive(Debug)]
pub(super) struct DamagedDocument {
    /// The document's key; `None` if the key cannot be read either.
    pub(super) key: Option<String>,
    pub(super) cause: Damage,
    /// The document's row, if only its content is damaged.
    pub(super) row: Option<StoredRow>,
}

impl DamagedDocument {
    /// Returns the key and the cause on one line.
    pub(super) fn name(&self) -> String {
        let key = self
            .key
            .as_deref()
            .unwrap_or("a document without a readable key");
        format!("{}: {}", key.escape_debug(), self.cause)
    }
}

/// The depth of a survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SurveyDepth {
    /// Verifies only checksums, which takes a tenth of the time.
    Checksums,
    /// Reads each document, and compares its columns with it.
    Documents,
}

/// Visits every document. Damage does not cause an error.
pub(super) fn survey<E: From<Fault>>(
    connection: &Connection,
    depth: SurveyDepth,
    visitor: &mut dyn FnMut(Surveyed) -> Result<(), E>,
) -> Result<(), E> {
    let (mut visited, mut again) = (Numbers::default(), BTreeSet::new());
    let mut suspects = BTreeMap::new();
    walk(connection, i64::MIN, usize::MAX, &mut |found| {
        match found {
            Found::Gap => return visitor(Surveyed::Gap),
            Found::Unreadable(number) if visited.contains(number) => {}
            Found::Unreadable(number) => {
                let (key, cause, row) = (None, Damage::Structure, None);
                suspects.insert(number, DamagedDocument { key, cause, row });
            }
            Found::Row(stored) if !visited.insert(stored.number) => {
                again.insert(stored.number);
            }
            Found::Row(stored) => match whole(stored, depth) {
                Ok(whole) => return visitor(whole),
                Err(damaged) => {
                    let (cause, stored) = *damaged;
                    let (number, key) = (stored.number, Some(stored.row.key.clone()));
                    let row = Some(stored);
                    suspects.insert(number, DamagedDocument { key, cause, row });
                }
            },
        }
        Ok(())
    })?;
    if !again.is_empty() {
        visit_again(connection, depth, &again, visitor)?;
    }
    let absent = add_from_keys(connection, depth, &mut visited, &mut suspects, visitor)?;
    for lost in suspects.into_values().chain(absent) {
        visitor(Surveyed::Damaged(lost))?;
    }
    Ok(())
}

/// Visits the rows whose number another row had before: after damage a walk may visit a row again, and two rows
/// have the same number if one of the numbers is damaged.
fn visit_again<E: From<Fault>>(
    connection: &Connection,
    depth: SurveyDepth,
    numbers: &BTreeSet<i64>,
    visitor: &mut dyn FnMut(Surveyed) -> Result<(), E>,
) -> Result<(), E> {
    let mut keys = BTreeMap::<i64, BTreeSet<String>>::new();
    walk(connection, i64::MIN, usize::MAX, &mut |found| {
        let Found::Row(stored) = found else {
            return Ok(());
        };
        let (number, key) = (stored.number, stored.row.key.clone());
        if !numbers.contains(&number) {
            return Ok(());
        }
        let keys = keys.entry(number).or_default();
        let is_first = keys.is_empty();
        if !keys.insert(key.clone()) || is_first {
            return Ok(());
        }
        visitor(match whole(stored, depth) {
            Ok(whole) => whole,
            Err(damaged) => {
                let (cause, row) = *damaged;
                Surveyed::Damaged(DamagedDocument {
                    key: Some(key),
                    cause,
                    row: Some(row),
                })
            }
        })
    })?;
    Ok(())
}

/// Compares the key index with the visited rows and with the damaged ones among them. Returns the documents
/// that are only in the index.
fn add_from_keys<E: From<Fault>>(
    connection: &Connection,
    depth: SurveyDepth,
    visited: &mut Numbers,
    suspects: &mut BTreeMap<i64, DamagedDocument>,
    visitor: &mut dyn FnMut(Surveyed) -> Result<(), E>,
) -> Result<Vec<DamagedDocument>, E> {
    let mut absent = BTreeMap::new();
    walk_keys(connection, &mut |key, number| {
        let is_unread = suspects
            .get(&number)
            .is_some_and(|suspect| suspect.row.is_none());
        if is_unread && (visited.contains(number) || is_readable(connection, number)) {
            // The row that the walk could not read has this number only because its own number is
            // damaged.
            suspects.remove(&number);
        }
        if let Some(suspect) = suspects.get_mut(&number) {
            if let Some(mut stored) = suspect.row.take() {
                let found = std::mem::replace(&mut stored.row.key, key.clone());
                match whole(stored, depth) {
                    Ok(whole) => {
                        suspects.remove(&number);
                        return visitor(misplaced(whole));
                    }
                    Err(damaged) => {
                        let (_, mut stored) = *damaged;
                        stored.row.key = found;
                        suspect.row = Some(stored);
                    }
                }
            }
            if Key::parse(&key).is_some() {
                suspect.key = Some(key);
            }
        } else if !visited.contains(number) {
            match row_of(connection, number) {
                Ok(Some(stored)) if visited.insert(number) => match whole(stored, depth) {
                    Ok(whole) => return visitor(whole),
                    Err(damaged) => {
                        let (cause, stored) = *damaged;
                        let (key, row) = (Some(key), Some(stored));
                        suspects.insert(number, DamagedDocument { key, cause, row });
                    }
                },
                Ok(Some(_)) => {}
                Ok(None) => drop(absent.insert(key, Damage::Index)),
                Err(fault) if fault.is_damage() => {
                    absent.insert(key, Damage::Structure);
                }
                Err(fault) => return Err(fault.into()),
            }
        }
        Ok(())
    })?;
    if !absent.is_empty() {
        // The index itself may be wrong: its entry points to another key's row.
        walk(connection, i64::MIN, usize::MAX, &mut |found| {
            if let Found::Row(stored) = found {
                absent.remove(&stored.row.key);
            }
            Ok::<_, E>(())
        })?;
    }
    let absent = absent.into_iter().map(|(key, cause)| DamagedDocument {
        key: Some(key),
        cause,
        row: None,
    });
    Ok(absent.collect())
}

fn is_readable(connection: &Connection, number: i64) -> bool {
    matches!(row_of(connection, number), Ok(Some(_)))
}

/// Returns a readable document, or its row and why it cannot be read.
fn whole(stored: StoredRow, depth: SurveyDepth) -> Result<Surveyed, Box<(Damage, StoredRow)>> {
    if depth == SurveyDepth::Checksums && stored.is_sound() {
        return Ok(Surveyed::Whole {
            row: stored.row,
            document: None,
            is_misplaced: false,
        });
    }
    match stored.read() {
        Ok((row, document)) => Ok(Surveyed::Whole {
            is_misplaced: row != stored.row,
            document: Some(Box::new(document)),
            row,
        }),
        Err(cause) => Err(Box::new((cause, stored))),
    }
}

fn misplaced(surveyed: Surveyed) -> Surveyed {
    match surveyed {
        Surveyed::Whole { row, document, .. } => Surveyed::Whole {
            row,
            document,
            is_misplaced: true,
        },
        other => other,
    }
}

/// Numbers of rows. In an undamaged store they increase, with gaps where rows were removed.
#[derive(Debug, Default)]
struct Numbers {
    /// First and last number of each contiguous range, in order.
    stretches: Vec<(i64, i64)>,
    /// The numbers that came out of order.
    others: BTreeSet<i64>,
}

impl Numbers {
    /// Adds a number. Returns whether it is new.
    fn insert(&mut self, number: i64) -> bool {
        match self.stretches.last_mut() {
            Some((_, last)) if number.checked_sub(*last) == Some(1) => *last = number,
            Some((_, last)) if *last >= number => {
                return !self.in_stretch(number) && self.others.insert(number);
            }
            _ => self.stretches.push((number, number)),
        }
        true
    }

    fn contains(&self, number: i64) -> bool {
        self.in_stretch(number) || self.others.contains(&number)
    }

    fn in_stretch(&self, number: i64) -> bool {
        let before = self
            .stretches
            .partition_point(|(first, _)| *first <= number);
        let stretch = before.checked_sub(1).map(|at| self.stretches[at]);
        stretch.is_some_and(|(_, last)| number <= last)
    }
}
