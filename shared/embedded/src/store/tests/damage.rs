//! One flipped bit anywhere in a store: damage affects only the damaged document.

use std::collections::BTreeMap;
use std::time::Duration;

use countersign_conformance::samples::app_id;

use super::super::soundness::is_missed;
use super::*;

/// A time long after every expiring document has expired.
fn later() -> Timestamp {
    NOW.plus(Duration::from_hours(24 * 800))
}

/// A store with a flipped bit.
struct Damaged {
    seed: u64,
    _parent: TempDir,
    directory: PrivateDirectory,
    /// The stored documents.
    all: BTreeMap<Key, Document>,
}

/// Counts over all damaged stores.
#[derive(Debug, Default)]
struct Counts {
    stores: u32,
    /// Number of stores that are refused until they are repaired, because their definitions are
    /// damaged.
    refused: u32,
    /// Number of stores that cannot be opened at all.
    lost: u32,
    /// Number of stores in which a check found nothing, because the bit is unused.
    unharmed: u32,
    /// Number of stores in which a server cannot read one or more documents.
    one_unreadable: u32,
    several_unreadable: u32,
    /// Number of backups that omitted something. All of them were restored.
    partial_backups: u32,
    /// Number of expired documents that could not be removed.
    not_purged: u64,
}

impl Damaged {
    fn items(&self) -> Option<SqliteItems> {
        SqliteItems::open_in(&self.directory, CreatePermission::Existing).ok()
    }

    /// Returns the keys of the documents that cannot be read. The others are read as stored.
    async fn unreadable(&self, items: &SqliteItems) -> Vec<Key> {
        let mut unreadable = Vec::new();
        for (key, document) in &self.all {
            if !is_missed(key) {
                // Such a read does not wait for the scan by itself.
                items.soundness.wait().await.unwrap();
            }
            match items.get(key).await {
                Ok(Some(stored)) => assert_eq!(*stored.document, *document, "{}", self.seed),
                Ok(None) => panic!("{}: {key} is said not to exist", self.seed),
                Err(_) => unreadable.push(key.clone()),
            }
        }
        unreadable
    }

    /// Creates documents that already exist: a revoked key must not be registered again.
    async fn nothing_is_created_again(&self, items: &SqliteItems) {
        for (key, document) in self.all.iter().filter(|(key, _)| key.is_permanent()) {
            let created = items.create(key, document.clone(), NOW, None).await;
            assert!(
                matches!(created, Ok(CreateResult::Present(_)) | Err(_)),
                "{}: {key} was created again",
                self.seed
            );
        }
    }

    /// Lists everything: lists continue after damaged documents.
    async fn lists_go_on(&self, items: &SqliteItems, unreadable: &[Key]) {
        // A list does not wait for the scan, unlike a read of a key.
        items.soundness.wait().await.unwrap();
        let mut listed = Vec::new();
        for what in [Collection::Apps, Collection::Audit] {
            let documents = items.list(what, usize::MAX).await.unwrap();
            listed.extend(documents.into_iter().flatten());
        }
        for kind in [DeliveryKind::Confirmations, DeliveryKind::Logins] {
            let mut before = PageStart::Time(later());
            loop {
                let app = app_id("demo");
                let page = items.started(kind, &app, Timestamp::from_millis(0), before, 7);
                let page = page.await.unwrap();
                let Some(last) = page.last() else { break };
                before = PageStart::Item(last.started_at, last.subject);
                listed.extend(page.into_iter().filter_map(|listed| listed.document.ok()));
            }
        }
        for (key, document) in &self.all {
            let is_listed = matches!(document, Document::App(_) | Document::Audit(_))
                || document.started().is_some();
            if is_listed && !unreadable.contains(key) {
                assert!(
                    listed.contains(document),
                    "{}: {key} is not listed",
                    self.seed
                );
            }
        }
    }

    /// Purges: every readable expired document is removed. Returns the number of remaining
    /// documents.
    async fn purge_goes_on(&self, items: &SqliteItems, unreadable: &[Key]) -> u64 {
        let purged = items.purge(later(), 20).await.unwrap();
        let mut left = 0;
        for (key, document) in &self.all {
            if document.purge_at().is_some()
                && !unreadable.contains(key)
                && items.get(key).await.is_ok_and(|found| found.is_some())
            {
                left += 1;
            }
        }
        assert!(left <= purged.left, "{}: {left} of {purged:?}", self.seed);
        // At most as many as on one page of an index.
        assert!(purged.left < 100, "{}: {purged:?}", self.seed);
        purged.left
    }

    /// Backs up and restores. Returns whether something was left out.
    async fn backup_is_restored(&self, unreadable: &[Key]) -> bool {
        let there = tempdir().unwrap();
        let place = there.path().join("backup");
        fs::write(&place, b"").unwrap();
        let left_out = Backup::write(&self.directory, &place, &[], NOW).unwrap();
        let backup = Backup::open(&place).unwrap();
        let restored = PrivateDirectory::create(&there.path().join("data")).unwrap();
        let mut new = NewStore::begin(&restored, NOW).unwrap();
        let inventory = new.copy(&backup, &mut |_| {}).unwrap();
        new.finish().unwrap();
        assert!(inventory.damaged.is_empty(), "{}: {inventory:?}", self.seed);
        assert!(found(&restored).unwrap().is_sound(), "{}", self.seed);
        let items = open(&restored);
        for (key, document) in &self.all {
            let is_named = left_out
                .iter()
                .any(|line| line.starts_with(&format!("{key}: ")));
            match items.get(key).await.unwrap() {
                Some(stored) => assert_eq!(*stored.document, *document, "{}", self.seed),
                None => assert!(is_named, "{}: {key} is not named: {left_out:?}", self.seed),
            }
            assert!(
                !is_named || unreadable.contains(key),
                "{}: {key} can be read and is left out: {left_out:?}",
                self.seed
            );
        }
        !left_out.is_empty()
    }

    /// Checks and repairs. Returns whether anything was found.
    async fn check_names_what_is_damaged(&self, unreadable: &[Key]) -> bool {
        let findings = found(&self.directory).unwrap();
        let is_named = |key: &Key| {
            let mut named = findings.inventory.damaged.iter();
            named.any(|line| line.starts_with(&format!("{key}: ")))
        };
        repair(&self.directory).unwrap();
        let repaired = found(&self.directory).unwrap();
        assert!(
            repaired.misplaced.is_empty() && !repaired.is_damaged,
            "{}: {repaired:?}",
            self.seed
        );
        let items = self.items().unwrap();
        for (key, document) in &self.all {
            match items.get(key).await {
                Ok(Some(stored)) => assert_eq!(*stored.document, *document, "{}", self.seed),
                Ok(None) => assert!(
                    !key.is_permanent() && is_named(key) && unreadable.contains(key),
                    "{}: {key} is lost: {findings:?}",
                    self.seed
                ),
                Err(_) => assert!(
                    is_named(key) && unreadable.contains(key),
                    "{}: {key} is not named: {findings:?}",
                    self.seed
                ),
            }
        }
        !findings.is_sound()
    }

    fn put_back(&self, whole: &[u8]) {
        fs::write(file(&self.directory), whole).unwrap();
        for beside in ["-wal", "-shm"] {
            let _ = fs::remove_file(self.directory.path().join(format!("{STORE_FILE}{beside}")));
        }
    }
}

/// Returns the position of a byte in a document, or of any byte in the file.
fn place(whole: &[u8], chance: &mut Chance) -> usize {
    let at =
        |chance: &mut Chance, length: usize| usize::try_from(chance.below(length as u64)).unwrap();
    if chance.below(2) == 0 {
        return at(chance, whole.len());
    }
    let needle = b"{\"v\":";
    let bodies = whole.windows(needle.len()).enumerate();
    let bodies: Vec<_> = bodies
        .filter(|(_, bytes)| bytes == needle)
        .map(|(at, _)| at)
        .collect();
    let body = bodies[at(chance, bodies.len())];
    (body.saturating_sub(150) + at(chance, 450)).min(whole.len() - 1)
}

async fn look_at(damaged: &Damaged, bytes: &[u8], counts: &mut Counts) {
    let seed = damaged.seed;
    counts.stores += 1;
    let Some(items) = damaged.items() else {
        if repair(&damaged.directory).is_err() {
            counts.lost += 1;
            return;
        }
        counts.refused += 1;
        let items = damaged.items().unwrap();
        assert!(damaged.unreadable(&items).await.is_empty(), "{seed}");
        return;
    };
    let unreadable = damaged.unreadable(&items).await;
    damaged.nothing_is_created_again(&items).await;
    damaged.lists_go_on(&items, &unreadable).await;
    assert!(unreadable.is_empty() || items.is_damaged(), "{seed}");
    items.close();
    damaged.put_back(bytes);
    let is_partial = damaged.backup_is_restored(&unreadable).await;
    counts.partial_backups += u32::from(is_partial);
    let items = damaged.items().unwrap();
    counts.not_purged += damaged.purge_goes_on(&items, &unreadable).await;
    items.close();
    damaged.put_back(bytes);
    let is_found = damaged.check_names_what_is_damaged(&unreadable).await;
    counts.unharmed += u32::from(!is_found);
    match unreadable.len() {
        0 => {}
        1 => counts.one_unreadable += 1,
        _ => counts.several_unreadable += 1,
    }
}

async fn flip_bits(seeds: std::ops::Range<u64>) -> Counts {
    let (_parent, directory, all) = filled().await;
    let whole = fs::read(file(&directory)).unwrap();
    let all: BTreeMap<_, _> = all.into_iter().collect();
    let mut counts = Counts::default();
    for seed in seeds {
        let mut chance = Chance::from_seed(seed);
        let mut bytes = whole.clone();
        let at = place(&whole, &mut chance);
        bytes[at] ^= 1 << chance.below(8);
        let (parent, directory) = super::directory();
        let damaged = Damaged {
            seed,
            _parent: parent,
            directory,
            all: all.clone(),
        };
        drop(open(&damaged.directory));
        damaged.put_back(&bytes);
        look_at(&damaged, &bytes, &mut counts).await;
    }
    counts
}

/// Damages stores, with seeds starting at `first`. `COUNTERSIGN_DAMAGED_STORES=1000` tests more of
/// them.
async fn flipped_bit_harms_only_what_it_is_in(first: u64) {
    let more = std::env::var("COUNTERSIGN_DAMAGED_STORES").ok();
    let stores = more.map_or(60, |number| number.parse().unwrap()) / TESTS;
    let counts = flip_bits(first * stores..(first + 1) * stores).await;
    println!("{counts:?}");
    assert!(
        counts.refused + counts.lost < counts.stores / 4,
        "{counts:?}"
    );
    assert!(counts.partial_backups > counts.stores / 4, "{counts:?}");
}

/// Number of the tests below, which run in parallel.
const TESTS: u64 = 4;

#[tokio::test]
async fn flipped_bit_harms_only_what_it_is_in_first() {
    flipped_bit_harms_only_what_it_is_in(0).await;
}

#[tokio::test]
async fn flipped_bit_harms_only_what_it_is_in_second() {
    flipped_bit_harms_only_what_it_is_in(1).await;
}

#[tokio::test]
async fn flipped_bit_harms_only_what_it_is_in_third() {
    flipped_bit_harms_only_what_it_is_in(2).await;
}

#[tokio::test]
async fn flipped_bit_harms_only_what_it_is_in_fourth() {
    flipped_bit_harms_only_what_it_is_in(3).await;
}

/// Because of a damaged pointer, a row appears under another row's number.
#[tokio::test]
async fn row_whose_number_shows_up_elsewhere_is_backed_up() {
    let counts = flip_bits(101..102).await;
    assert_eq!(counts.partial_backups, 1, "{counts:?}");
}

/// SQLite never commits a transaction that has encountered damage, even in a read.
#[tokio::test]
async fn only_the_write_that_meets_damage_fails_in_its_batch() {
    let (_parent, directory, _) = filled().await;
    damage_a_row(&directory);
    let items = Arc::new(open(&directory));
    items.soundness.wait().await.unwrap();
    let (begun, has_begun) = mpsc::channel::<()>();
    let (release, released) = mpsc::channel::<()>();
    let blocked = Arc::clone(&items);
    let first = tokio::spawn(async move {
        let wait = move |_: &WriteBatch<'_>| {
            begun.send(()).unwrap();
            released.recv().unwrap();
            Ok(())
        };
        blocked.write("test", None, wait).await
    });
    tokio::task::spawn_blocking(move || has_begun.recv().unwrap())
        .await
        .unwrap();
    let before = items.write_counts();
    let writes = (0..20).map(|n| {
        let (key, new) = (id(30 + n).into(), acquisition(30 + n).into_document());
        let row = Row::new(&key, &new).unwrap();
        items.write("test", None, move |connection| {
            row.insert(connection)?;
            if n % 7 == 3 {
                meet_damage(connection)?;
            }
            Ok(())
        })
    });
    let writes = futures_util::future::join_all(writes);
    // The writes are polled first, so all of them are in the queue when the first one ends.
    let (outcomes, ()) = tokio::join!(writes, async { release.send(()).unwrap() });
    first.await.unwrap().unwrap();
    for (n, outcome) in outcomes.iter().enumerate() {
        assert_eq!(outcome.is_err(), n % 7 == 3, "{n}: {outcome:?}");
        let key = id(30 + u8::try_from(n).unwrap()).into();
        let stored = items.get(&key).await.unwrap();
        assert_eq!(stored.is_none(), n % 7 == 3, "{n}");
    }
    assert_eq!(items.write_counts().flushes - before.flushes, 2);
    assert!(items.is_writable() && items.is_damaged());
}

/// Reads all rows, one of which SQLite cannot read.
fn meet_damage(connection: &Connection) -> Result<(), Fault> {
    let longest = "SELECT max(length(body)) FROM documents";
    Ok(connection.query_row(longest, [], |_| Ok(()))?)
}

/// Makes a row unreadable for SQLite: its columns no longer add up to its length. An impossible
/// position of the row would not do, because SQLite then reads behind the page, where anything may be.
fn damage_a_row(directory: &PrivateDirectory) {
    let mut bytes = fs::read(file(directory)).unwrap();
    let mut pages = (4096..bytes.len()).step_by(4096);
    // A leaf page of a table, and its first cell, which begins with the length as a varint (SQLite's file
    // format, section 1.6).
    let leaf = pages.find(|at| bytes[*at] == 13).unwrap();
    let cell = leaf + usize::from(u16::from_be_bytes([bytes[leaf + 8], bytes[leaf + 9]]));
    let mut length = cell..leaf + 4096;
    let last = length.find(|at| bytes[*at] < 0x80).unwrap();
    bytes[last] ^= 1;
    fs::write(file(directory), bytes).unwrap();
}

#[tokio::test]
async fn check_ends_if_no_document_can_be_read() {
    let (_parent, directory, _) = filled().await;
    let root: u32 = Connection::open(file(&directory))
        .unwrap()
        .query_row(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'documents'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    let mut bytes = fs::read(file(&directory)).unwrap();
    let at = (root as usize - 1) * 4096;
    bytes[at..at + 8].fill(0xff);
    fs::write(file(&directory), bytes).unwrap();
    assert!(found(&directory).unwrap().is_damaged);
}
