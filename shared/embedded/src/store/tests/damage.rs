//! Tests that a record damaged on disk causes an error of its own and is never served.

use std::sync::Arc;

use countersign_conformance::samples::{NOW, RETENTION, app, app_id, id, key, text};
use countersign_domain::app::store::{AppStore, KeyLookup, RevokeKeyOutcome};
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::VerifyOutcome;
use countersign_domain::delivery::DeliverySubject;
use countersign_domain::delivery::store::DeliveryStore as _;
use countersign_domain::delivery::transitions::Owes as _;
use redb::{Database, ReadableTable};

use super::disk::Disk;
use super::{assert_indexes_fit, confirmed_number, created, database, found, open, verified};
use crate::store::checked::Stored;
use crate::store::kept::Kept as _;
use crate::store::tables::{APPS, CONFIRMATIONS, KEYS, META, PROFILE, PURGE, RecordTable, key_key};

/// Replaces a text in a record by another of the same length without updating the checksum.
fn change<K: redb::Key + 'static>(
    database: &Database,
    table: RecordTable<K>,
    key: &K::SelfType<'_>,
    from: &str,
    to: &str,
) {
    let transaction = database.begin_write().unwrap();
    let mut table = transaction.open_table(table).unwrap();
    let bytes = table.get(key).unwrap().unwrap().value().bytes().to_vec();
    let changed = replaced(&bytes, from, to);
    table.insert(key, Stored::from_bytes(&changed)).unwrap();
    drop(table);
    transaction.commit().unwrap();
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|w| w == from.as_bytes());
    let mut changed = bytes.to_vec();
    changed[at.expect("the text is there")..][..to.len()].copy_from_slice(to.as_bytes());
    changed
}

#[tokio::test]
async fn changed_digit_is_an_error_and_not_another_number() {
    let store = open(&Disk::default());
    let (bad, good) = (verified(&store, 1).await, verified(&store, 2).await);
    let number = confirmed_number(&bad);
    let other = number.replace("0100", "0101");
    assert_ne!(number, other);
    let key = DeliverySubject::from(bad.id).key();
    change(&database(&store), CONFIRMATIONS, &&key, &number, &other);

    assert!(store.find(bad.id, NOW).await.is_err());
    assert!(store.claim(bad.id.into(), 0, NOW).await.is_err());
    let demo = app_id("demo");
    let redelivery = store.redeliver(bad.id, &demo, NOW, RETENTION).await;
    assert!(redelivery.is_err());
    // All other records can still be used.
    assert_eq!(found(&store, good.id).await, good);
    let open = created(&store, 3).await;
    let outcome = store.verify(open.id, &text(1), NOW, RETENTION).await;
    assert!(matches!(outcome.unwrap(), VerifyOutcome::Verified { .. }));
    let owed = store
        .recover(good.lane(), NOW, None, 10, |_| false)
        .await
        .unwrap();
    let subjects: Vec<_> = owed.iter().map(|owed| owed.pointer.subject).collect();
    assert_eq!(subjects, [id(2).into(), id(3).into()]);
}

#[tokio::test]
async fn damaged_app_does_not_affect_others() {
    let disk = Disk::default();
    let store = open(&disk);
    for (n, name) in [(1, "bad"), (2, "good")] {
        store.create_app(app(name)).await.unwrap();
        store.issue_key(&app_id(name), key(n)).await.unwrap();
    }
    change(&database(&store), APPS, &"bad", "{code}", "{kode}");
    store.close();
    let store = open(&disk);

    assert!(store.lookup_key(&key(1).hash).await.is_err());
    assert!(store.find_app(&app_id("bad")).await.is_err());
    let good = Arc::new(app("good"));
    let lookup = store.lookup_key(&key(2).hash).await.unwrap();
    assert_eq!(lookup, KeyLookup::Active(Arc::clone(&good)));
    assert_eq!(store.list_apps().await.unwrap(), [good]);
}

#[tokio::test]
async fn damaged_key_is_an_error_and_does_not_affect_others() {
    let disk = Disk::default();
    let store = open(&disk);
    let demo = app_id("demo");
    store.create_app(app("demo")).await.unwrap();
    for n in [1, 2] {
        store.issue_key(&demo, key(n)).await.unwrap();
    }
    let place = key_key(&demo, &key(1).hash);
    change(
        &database(&store),
        KEYS,
        &place.as_slice(),
        "\u{1}\u{1}",
        "\u{1}\u{2}",
    );
    store.close();
    let store = open(&disk);

    assert!(store.lookup_key(&key(1).hash).await.is_err());
    let other = key(2).hash;
    let lookup = store.lookup_key(&other).await.unwrap();
    assert!(matches!(lookup, KeyLookup::Active(_)), "{lookup:?}");
    let revoked = store.revoke_key(&demo, &other.id(), NOW).await.unwrap();
    assert_eq!(revoked, RevokeKeyOutcome::Revoked);
}

#[tokio::test]
async fn damaged_profile_is_replaced_by_that_of_the_apps() {
    let disk = Disk::default();
    let store = open(&disk);
    store.create_app(app("demo")).await.unwrap();
    let profile = store.inbound_profile().await.unwrap();
    let held = database(&store);
    let transaction = held.begin_write().unwrap();
    let mut meta = transaction.open_table(META).unwrap();
    let bytes = meta.get(PROFILE).unwrap().unwrap().value().to_vec();
    let changed = replaced(&bytes, "+1", "+2");
    meta.insert(PROFILE, changed.as_slice()).unwrap();
    drop(meta);
    transaction.commit().unwrap();
    drop(held);
    store.close();
    let store = open(&disk);
    assert_eq!(store.inbound_profile().await.unwrap(), profile);
    // The next change of an app writes it again.
    store.create_app(app("other")).await.unwrap();
    store.update_app(app("demo")).await.unwrap();
    assert_eq!(store.list_apps().await.unwrap().len(), 2);
    store.close();
    assert_eq!(open(&disk).inbound_profile().await.unwrap(), profile);
}

#[tokio::test]
async fn damaged_index_removes_nothing_early() {
    let store = open(&Disk::default());
    let owed = verified(&store, 1).await;
    let held = database(&store);
    let right = owed.keys().purge;
    let mut early = right;
    early[3] &= 0x7f;
    assert!(early < right);
    let transaction = held.begin_write().unwrap();
    let mut purge = transaction.open_table(PURGE).unwrap();
    purge.remove(&right).unwrap();
    purge.insert(&early, ()).unwrap();
    drop(purge);
    transaction.commit().unwrap();

    store.purge(NOW, 10).await.unwrap();
    assert_eq!(found(&store, owed.id).await, owed);
    assert_indexes_fit(&held);
}
