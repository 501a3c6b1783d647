//! Tests of backups, checks and repairs.

use std::path::Path;
use std::time::Duration;

use countersign_conformance::samples::association_keys::{association_key, user};
use countersign_conformance::samples::{NOW, acquisition, app, app_id, key};
use countersign_domain::app::store::AppStore;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::delivery::{DeliverySubject, HORIZON};
use countersign_domain::login::association_key::store::AssociationKeyStore;
use countersign_domain::login::history::RiskHistory;
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::web::address_block::AddressBlock;
use redb::Database;
use tempfile::TempDir;

use super::{claimed, created, damage_number, delivered, found, verified};
use crate::store::checked::Stored;
use crate::store::kept::Kept as _;
use crate::store::tables::{
    ASSOCIATION_KEYS, CONFIRMATIONS, DUE, KEYS_OF_OWNERS, PURGE, STEADY, association_key_key,
};
use crate::store::{
    EmbeddedStore, NewStore, Note, Record, RecordKind, RestoreOutcome, STORE_FILE, check,
    rebuild_indexes,
};
use countersign_system::private_files::PrivateDirectory;

/// A store in a directory, with confirmations in every stage, an app, an API key and a denial.
struct World {
    folder: TempDir,
    directory: PrivateDirectory,
}

async fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let directory = PrivateDirectory::create(folder.path()).unwrap();
    let store = EmbeddedStore::open(folder.path()).unwrap();
    created(&store, 1).await;
    verified(&store, 2).await;
    claimed(&store, 3).await;
    delivered(&store, 4).await;
    store.create_app(app("demo")).await.unwrap();
    store.issue_key(&app_id("demo"), key(1)).await.unwrap();
    let active = association_key("demo", "zoe", 1);
    let revoked = association_key("demo", "zoe", 2);
    for key in [&active, &revoked] {
        store.register(key.clone()).await.unwrap();
    }
    store
        .revoke(&app_id("demo"), revoked.id, NOW)
        .await
        .unwrap();
    let browser = AddressBlock::of("192.0.2.7".parse().unwrap());
    let denied = store.note_denial(&app_id("demo"), browser, NOW).await;
    denied.unwrap();
    World { folder, directory }
}

fn records(store: &EmbeddedStore) -> Vec<Record> {
    let mut records = Vec::new();
    let visited = store.snapshot().unwrap().each(|record| {
        records.push(record);
        Ok::<(), ()>(())
    });
    visited.unwrap().unwrap();
    records
}

/// Changes the file behind the store's back.
fn tamper(path: &Path, change: impl FnOnce(&redb::WriteTransaction)) {
    let database = Database::open(path.join(STORE_FILE)).unwrap();
    let transaction = database.begin_write().unwrap();
    change(&transaction);
    transaction.commit().unwrap();
}

/// Overwrites a record with bytes that are not a record.
fn spoil(transaction: &redb::WriteTransaction, id: ConfirmationId) {
    let mut table = transaction.open_table(CONFIRMATIONS).unwrap();
    let spoilt = Stored::from_bytes(b"0123{\"v\":1}");
    table
        .insert(&DeliverySubject::from(id).key(), spoilt)
        .unwrap();
}

#[tokio::test]
async fn restored_store_equals_the_original() {
    let world = world().await;
    let store = EmbeddedStore::open(world.folder.path()).unwrap();
    let all = records(&store);
    assert_eq!(all.len(), 10);
    let folder = tempfile::tempdir().unwrap();
    let directory = PrivateDirectory::create(folder.path()).unwrap();
    let mut new = NewStore::begin(&directory, NOW).unwrap();
    let mut notes = Vec::new();
    for record in &all {
        match new.put(record).unwrap() {
            RestoreOutcome::Restored(note) => notes.push(note),
            RestoreOutcome::LeftOut(damage) => panic!("{damage}"),
        }
    }
    // An unfinished store is not visible.
    assert!(!directory.has(STORE_FILE).unwrap());
    new.finish().unwrap();
    let count = |note| notes.iter().filter(|known| **known == note).count();
    assert_eq!((count(Note::OwedWebhook), count(Note::ActiveKey)), (2, 1));

    assert!(check(&directory).unwrap().is_sound());
    let restored = EmbeddedStore::open(folder.path()).unwrap();
    assert_eq!(records(&restored), all);
    for n in 1..=4 {
        let id = acquisition(n).id;
        assert_eq!(found(&restored, id).await, found(&store, id).await);
    }
    for n in 1..=2 {
        let id = association_key("demo", "zoe", n).id;
        let key = store.find_key(&app_id("demo"), id).await.unwrap();
        assert!(key.is_some());
        assert_eq!(restored.find_key(&app_id("demo"), id).await.unwrap(), key);
    }
    let keys = restored.list(&app_id("demo"), &user("zoe")).await;
    assert_eq!(keys.unwrap(), [association_key("demo", "zoe", 1)]);
    let owed = restored
        .recover(acquisition(2).lane(), NOW, None, 10, |_| false)
        .await
        .unwrap();
    assert_eq!(owed.len(), 2);

    // Nothing is removed even if the wall clock is ahead at the first start.
    let ahead = NOW.plus(Duration::from_hours(60 * 24));
    let minute = Duration::from_mins(1);
    let reading = restored.advance_steady(minute, ahead).await.unwrap();
    assert_eq!(reading, NOW.plus(2 * minute));
    assert_eq!(restored.purge(reading, 10).await.unwrap(), 0);
}

#[tokio::test]
async fn check_of_a_sound_store_finds_and_changes_nothing() {
    let world = world().await;
    let path = world.folder.path().join(STORE_FILE);
    let before = std::fs::read(&path).unwrap();
    let report = check(&world.directory).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.inventory.records[&RecordKind::Confirmation], 4);
    assert_eq!(report.inventory.owed_webhooks, 2);
    assert!(std::fs::read(&path).unwrap() == before);
}

#[tokio::test]
async fn wrong_indexes_are_found_and_rebuilt() {
    let world = world().await;
    let owed = acquisition(2).id;
    let item = {
        let store = EmbeddedStore::open(world.folder.path()).unwrap();
        found(&store, owed).await
    };
    tamper(world.folder.path(), |transaction| {
        let mut due = transaction.open_table(DUE).unwrap();
        let right = item.keys().due.unwrap();
        let mut wrong = right;
        wrong[26] ^= 1;
        due.remove(&right).unwrap();
        due.insert(&wrong, ()).unwrap();
        let mut purge = transaction.open_table(PURGE).unwrap();
        purge.remove(&item.keys().purge).unwrap();
    });
    let report = check(&world.directory).unwrap();
    assert!(!report.is_sound());
    assert_eq!((report.missing_entries, report.stray_entries), (2, 1));
    rebuild_indexes(&world.directory).unwrap();
    assert!(check(&world.directory).unwrap().is_sound());
    let store = EmbeddedStore::open(world.folder.path()).unwrap();
    assert_eq!(
        store
            .recover(acquisition(2).lane(), NOW, None, 10, |_| false)
            .await
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn damaged_records_are_named_and_not_restored() {
    let world = world().await;
    let bad = acquisition(2).id;
    tamper(world.folder.path(), |transaction| spoil(transaction, bad));
    let report = check(&world.directory).unwrap();
    assert_eq!(report.inventory.damaged, 1);
    let named = report.inventory.named[0].to_string();
    assert!(named.contains(&bad.to_string()), "{named}");

    let store = EmbeddedStore::open(world.folder.path()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let directory = PrivateDirectory::create(folder.path()).unwrap();
    let mut new = NewStore::begin(&directory, NOW).unwrap();
    let mut left_out = 0;
    for record in records(&store) {
        match new.put(&record).unwrap() {
            RestoreOutcome::Restored(_) => {}
            RestoreOutcome::LeftOut(_) => left_out += 1,
        }
    }
    new.finish().unwrap();
    assert_eq!(left_out, 1);
    assert!(check(&directory).unwrap().is_sound());
    let restored = EmbeddedStore::open(folder.path()).unwrap();
    assert_eq!(restored.find(bad, NOW).await.unwrap(), None);
}

#[tokio::test]
async fn damaged_record_is_still_removed_after_a_repair() {
    let world = world().await;
    let (open, owed) = (acquisition(1).id, acquisition(2).id);
    let (open_item, owed_item) = {
        let store = EmbeddedStore::open(world.folder.path()).unwrap();
        (found(&store, open).await, found(&store, owed).await)
    };
    // The damaged record's entries are not reported as stray.
    tamper(world.folder.path(), |transaction| spoil(transaction, owed));
    let report = check(&world.directory).unwrap();
    assert_eq!(report.inventory.damaged, 1);
    assert!(report.indexes_fit(), "{report:?}");

    // Another damaged record has lost the entry by which it is removed.
    tamper(world.folder.path(), |transaction| {
        spoil(transaction, open);
        let mut purge = transaction.open_table(PURGE).unwrap();
        purge.remove(&open_item.keys().purge).unwrap();
    });
    let report = check(&world.directory).unwrap();
    assert_eq!((report.missing_entries, report.stray_entries), (1, 0));

    rebuild_indexes(&world.directory).unwrap();
    let report = check(&world.directory).unwrap();
    assert_eq!(report.inventory.damaged, 2);
    assert!(report.indexes_fit(), "{report:?}");

    let store = EmbeddedStore::open(world.folder.path()).unwrap();
    let damaged = async || {
        let damaged = [store.find(open, NOW).await, store.find(owed, NOW).await];
        damaged.map(|found| found.is_err())
    };
    assert_eq!(damaged().await, [true, true]);
    store.purge(NOW, 10).await.unwrap();
    assert_eq!(damaged().await, [false, true]);
    let over = owed_item.purge_at.plus(HORIZON);
    store.purge(over, 10).await.unwrap();
    assert_eq!(damaged().await, [false, false]);
    store.close();
    let report = check(&world.directory).unwrap();
    assert!(report.is_sound(), "{report:?}");
}

#[tokio::test]
async fn damaged_steady_clock_is_found_and_removes_nothing() {
    let world = world().await;
    let store = EmbeddedStore::open(world.folder.path()).unwrap();
    store.advance_steady(Duration::ZERO, NOW).await.unwrap();
    damage_number(&store, STEADY, NOW.as_millis() * 2);
    store.close();
    let report = check(&world.directory).unwrap();
    assert_eq!(report.damaged_numbers, 1);
    assert!(!report.is_sound());

    let store = EmbeddedStore::open(world.folder.path()).unwrap();
    let ahead = NOW.plus(Duration::from_hours(60 * 24));
    let read = store.steady(ahead).unwrap();
    assert!(read < acquisition(1).purge_at, "{read}");
    let reading = store.advance_steady(Duration::ZERO, ahead).await.unwrap();
    assert_eq!(reading, read);
    store.purge(reading, 10).await.unwrap();
    for n in 1..=4 {
        found(&store, acquisition(n).id).await;
    }
    store.close();
    assert!(check(&world.directory).unwrap().is_sound());
}

#[tokio::test]
async fn check_and_repair_do_not_create_a_missing_store() {
    let folder = tempfile::tempdir().unwrap();
    let directory = PrivateDirectory::create(folder.path()).unwrap();
    assert!(check(&directory).is_err());
    assert!(rebuild_indexes(&directory).is_err());
    assert!(directory.names().unwrap().is_empty());
}

#[tokio::test]
async fn damaged_association_key_and_its_index_are_found() {
    let world = world().await;
    tamper(world.folder.path(), |transaction| {
        let mut owned = transaction.open_table(KEYS_OF_OWNERS).unwrap();
        owned.retain(|_, ()| false).unwrap();
    });
    let report = check(&world.directory).unwrap();
    assert_eq!((report.missing_entries, report.stray_entries), (1, 0));
    rebuild_indexes(&world.directory).unwrap();
    assert!(check(&world.directory).unwrap().is_sound());
    let key = association_key("demo", "zoe", 1);
    tamper(world.folder.path(), |transaction| {
        let mut table = transaction.open_table(ASSOCIATION_KEYS).unwrap();
        let place = association_key_key(&key.app, key.id);
        let spoilt = Stored::from_bytes(b"0123{\"v\":1}");
        table.insert(place.as_slice(), spoilt).unwrap();
    });
    let report = check(&world.directory).unwrap();
    assert_eq!((report.missing_entries, report.stray_entries), (0, 0));
    let named = report.inventory.named[0].to_string();
    assert!(named.contains(&format!("{} of demo", key.id)), "{named}");
    // A damaged key proves nothing, and cannot be replaced.
    let store = EmbeddedStore::open(world.folder.path()).unwrap();
    assert!(store.find_key(&key.app, key.id).await.is_err());
    assert!(store.register(key.clone()).await.is_err());
    assert!(store.revoke(&key.app, key.id, NOW).await.is_err());
}
