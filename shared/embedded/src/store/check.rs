//! Checks and repairs a store that no server has open.

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
use countersign_system::private_files::PrivateDirectory;

/// Maximum number of damaged records that a report names.
const MAX_NAMED: usize = 20;

/// A summary of the records of a store or a backup.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Number of records by kind, including the damaged ones.
    pub records: BTreeMap<RecordKind, u64>,
    /// Number of damaged records.
    pub damaged: u64,
    /// The first damaged records.
    pub named: Vec<Damage>,
    /// Number of webhooks that are owed.
    pub owed_webhooks: u64,
    /// Number of active API keys.
    pub active_keys: u64,
}

impl Inventory {
    /// Adds a record, and returns its facts if it can be read.
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

    /// Counts a record.
    pub fn count(&mut self, kind: RecordKind, note: Note) {
        *self.records.entry(kind).or_default() += 1;
        match note {
            Note::Nothing => {}
            Note::OwedWebhook => self.owed_webhooks += 1,
            Note::ActiveKey => self.active_keys += 1,
        }
    }

    /// Adds the description of a damaged record that [`count`](Self::count) has counted.
    pub fn add_damage(&mut self, damage: Damage) {
        self.damaged += 1;
        if self.named.len() < MAX_NAMED {
            self.named.push(damage);
        }
    }
}

/// The findings of a check.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    /// Summary of the records.
    pub inventory: Inventory,
    /// Number of missing index entries. A sweep or a purge never finds their items.
    pub missing_entries: u64,
    /// Number of index entries that belong to no item or contradict their item.
    pub stray_entries: u64,
    /// Number of damaged values that the store keeps about itself. A server replaces them.
    pub damaged_numbers: u64,
    /// Whether pages of the file are damaged. After a crash, such a file could not be opened.
    pub damaged_pages: bool,
}

impl CheckReport {
    /// Returns whether the check found nothing wrong.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        self.inventory.damaged == 0
            && self.damaged_numbers == 0
            && self.indexes_fit()
            && !self.damaged_pages
    }

    /// Returns whether the indexes match the records.
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

/// Checks the store in a directory without changing it. The caller must hold the directory's lock.
///
/// # Errors
/// Fails if the store cannot be opened or read. Damage is reported and is not an error.
pub fn check(directory: &PrivateDirectory) -> Result<CheckReport, OpenError> {
    let file = file(directory)?;
    let mut database = file.open_unchanged()?;
    let damaged_pages = !database.check_integrity().unwrap_or(false);
    if damaged_pages {
        // redb may have rolled back to an earlier whole state. Report on the state that a server sees.
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
    // Different records have different entries, so all remaining entries belong to no record.
    let belonging = found + standing.entries;
    report.stray_entries = index::count(transaction)?.saturating_sub(belonging);
    Ok(report)
}

/// Rebuilds the indexes from the records. Damaged records keep the entries by which they are removed.
/// The caller must hold the directory's lock.
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
        // The snapshot still has the entries as they were before they were cleared.
        unreadable
            .standing(snapshot.transaction())?
            .insert(&transaction)
    };
    rebuilt()?;
    transaction.commit().map_err(Fault::from)?;
    Ok(())
}
