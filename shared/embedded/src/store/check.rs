//! Whether a store that no server has open is sound.

use std::collections::BTreeMap;

use redb::ReadableDatabase as _;

use super::contents::{Damage, Note, Record, Snapshot, Sound};
use super::fault::Fault;
use super::handle::Medium as _;
use super::index::{self, Unreadable};
use super::numbers::{self, Number};
use super::open::{StoreFile, prepare};
use super::record_kind::RecordKind;
use super::tables::META;
use super::{CACHE_BYTES, OpenError};
use crate::private_files::PrivateDirectory;

/// How many damaged records a report names.
const MAX_NAMED: usize = 20;

/// What records were found.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// How many there are, the damaged ones included.
    pub records: BTreeMap<RecordKind, u64>,
    /// How many cannot be read.
    pub damaged: u64,
    /// The first of them.
    pub named: Vec<Damage>,
    /// How many webhooks are owed.
    pub owed_webhooks: u64,
    /// How many API keys are active.
    pub active_keys: u64,
}

impl Inventory {
    /// Takes a record in, and gives what it says if it can be read.
    pub fn add(&mut self, record: &Record) -> Option<Sound> {
        match record.examine() {
            Ok(sound) => {
                self.count(record.kind, sound.note);
                Some(sound)
            }
            Err(damage) => {
                self.count(record.kind, Note::Nothing);
                self.add_damage(damage);
                None
            }
        }
    }

    /// Takes in that a record is there.
    pub fn count(&mut self, kind: RecordKind, note: Note) {
        *self.records.entry(kind).or_default() += 1;
        match note {
            Note::Nothing => {}
            Note::OwedWebhook => self.owed_webhooks += 1,
            Note::ActiveKey => self.active_keys += 1,
        }
    }

    /// Takes in that a record cannot be read.
    pub fn add_damage(&mut self, damage: Damage) {
        self.damaged += 1;
        if self.named.len() < MAX_NAMED {
            self.named.push(damage);
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    /// The records.
    pub inventory: Inventory,
    /// How many entries are missing in indexes: items that a sweep or a purge never finds.
    pub missing_entries: u64,
    /// How many entries of indexes name no item, or another time than the item's.
    pub stray_entries: u64,
    /// How many numbers are damaged that the store keeps of itself. A server replaces them.
    pub damaged_numbers: u64,
    /// Whether pages of the file are damaged: after a crash it could not be opened.
    pub damaged_pages: bool,
}

impl CheckReport {
    /// Whether nothing was found.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        self.inventory.damaged == 0
            && self.damaged_numbers == 0
            && self.indexes_fit()
            && !self.damaged_pages
    }

    /// Whether the indexes say what the records say.
    #[must_use]
    pub const fn indexes_fit(&self) -> bool {
        self.missing_entries == 0 && self.stray_entries == 0
    }
}

fn file(directory: &PrivateDirectory) -> Result<StoreFile, OpenError> {
    let file = StoreFile {
        directory: directory.clone(),
        cache_bytes: CACHE_BYTES,
    };
    file.must_exist()?;
    Ok(file)
}

/// Checks the store in a directory, and changes nothing. Whoever calls this holds the directory's
/// lock.
///
/// # Errors
/// Fails if the store cannot be opened or read. Damage is reported, not an error.
pub fn check(directory: &PrivateDirectory) -> Result<CheckReport, OpenError> {
    let file = file(directory)?;
    let mut database = file.open_unchanged()?;
    let damaged_pages = !database.check_integrity().unwrap_or(false);
    if damaged_pages {
        // The check may have gone back to a state that is whole; what is asked is what is served.
        database = file.open_unchanged()?;
    }
    prepare(&database)?;
    let snapshot = Snapshot::new(database.begin_read().map_err(Fault::from)?);
    let mut report = CheckReport {
        damaged_pages,
        ..CheckReport::default()
    };
    let transaction = snapshot.transaction();
    let meta = transaction.open_table(META).map_err(Fault::from)?;
    for name in numbers::ALL {
        if numbers::read(&meta, name)? == Number::Damaged {
            report.damaged_numbers += 1;
        }
    }
    let (mut found, mut unreadable) = (0, Unreadable::default());
    snapshot.visit(&mut |record| {
        let Some(sound) = report.inventory.add(&record) else {
            unreadable.add(record.kind, &record.key);
            return Ok(());
        };
        for entry in sound.entries() {
            if entry.is_in(transaction)? {
                found += 1;
            } else {
                report.missing_entries += 1;
            }
        }
        Ok::<(), Fault>(())
    })??;
    let standing = unreadable.standing(transaction)?;
    report.missing_entries += standing.missing_entries();
    // Entries of different records differ, so whatever is left over belongs to none.
    let belonging = found + standing.entries;
    report.stray_entries = index::count(transaction)?.saturating_sub(belonging);
    Ok(report)
}

/// Builds the indexes anew from the records. One that cannot be read keeps its time to be removed.
/// Whoever calls this holds the directory's lock.
///
/// # Errors
/// Fails if the store cannot be opened or written.
pub fn rebuild_indexes(directory: &PrivateDirectory) -> Result<(), OpenError> {
    let database = file(directory)?.open()?;
    prepare(&database)?;
    let snapshot = Snapshot::new(database.begin_read().map_err(Fault::from)?);
    let transaction = database.begin_write().map_err(Fault::from)?;
    let rebuilt = || -> Result<(), Fault> {
        index::clear(&transaction)?;
        let mut unreadable = Unreadable::default();
        snapshot.visit(&mut |record| {
            let Ok(sound) = record.examine() else {
                unreadable.add(record.kind, &record.key);
                return Ok(());
            };
            let mut entries = sound.entries().iter();
            entries.try_for_each(|entry| entry.insert(&transaction))
        })??;
        // As they stood before: the snapshot is of then.
        unreadable
            .standing(snapshot.transaction())?
            .insert(&transaction)
    };
    rebuilt()?;
    transaction.commit().map_err(Fault::from)?;
    Ok(())
}
