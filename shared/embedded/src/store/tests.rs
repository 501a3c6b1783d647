//! Tests on a simulated disk that can be paused, broken and inspected.

mod batches;
mod contents;
mod counting;
mod crash;
mod damage;
mod deferred;
mod disk;
mod files;
mod login_deliveries;
mod quotas;
mod recovery;
mod texts;
mod upkeep;

use std::collections::BTreeSet;
use std::sync::Arc;

use countersign_conformance::samples::{NOW, RETENTION, acquisition, app_id, settled, text};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::{CreateOutcome, VerifyOutcome};
use countersign_domain::delivery::store::DeliveryStore as _;
use countersign_domain::delivery::{ClaimOutcome, DeliverySubject, SettleOutcome, Settlement};
use countersign_domain::primitives::ids::ConfirmationId;
use redb::{
    Database, ReadTransaction, ReadableDatabase, ReadableTable, ReadableTableMetadata,
    TableDefinition,
};

use super::EmbeddedStore;
use super::checked::{self, Stored};
use super::handle::Handle;
use super::tables::{CONFIRMATIONS, DUE, META, PURGE, confirmation_id};
use crate::store::kept::Kept as _;
use disk::Disk;

fn open(disk: &Disk) -> EmbeddedStore {
    EmbeddedStore::over(Handle::open(Box::new(disk.clone())).unwrap()).unwrap()
}

fn database(store: &EmbeddedStore) -> Arc<Database> {
    store.handle.get().unwrap()
}

async fn created(store: &EmbeddedStore, n: u8) -> Confirmation {
    let new = acquisition(n);
    let outcome = store.create(new.clone(), NOW).await.unwrap();
    assert_eq!(outcome, CreateOutcome::Created);
    new
}

async fn verified(store: &EmbeddedStore, n: u8) -> Confirmation {
    let id = created(store, n).await.id;
    let outcome = store.verify(id, &text(1), NOW, RETENTION).await.unwrap();
    assert!(matches!(outcome, VerifyOutcome::Verified { .. }));
    found(store, id).await
}

async fn claimed(store: &EmbeddedStore, n: u8) -> Confirmation {
    let id = verified(store, n).await.id;
    let outcome = store.claim(id.into(), 0, NOW).await.unwrap();
    assert!(matches!(outcome, ClaimOutcome::Claimed(_)));
    found(store, id).await
}

async fn delivered(store: &EmbeddedStore, n: u8) -> Confirmation {
    let id = claimed(store, n).await.id;
    let attempt = settled(1, 200, Settlement::Delivered);
    let outcome = store
        .settle(id.into(), attempt, NOW, RETENTION)
        .await
        .unwrap();
    assert_eq!(outcome, SettleOutcome::Settled { pointer: None });
    found(store, id).await
}

async fn found(store: &EmbeddedStore, id: ConfirmationId) -> Confirmation {
    store.find(id, NOW).await.unwrap().unwrap()
}

/// Returns the number that a text proved.
fn confirmed_number(item: &Confirmation) -> String {
    let number = &item.verified().unwrap().phone_number;
    number.present().unwrap().as_str().to_owned()
}

/// Asserts that the indexes of confirmations match their records exactly.
fn assert_indexes_fit(database: &Database) {
    let transaction = database.begin_read().unwrap();
    let (mut due, mut purge) = (BTreeSet::new(), BTreeSet::new());
    for entry in transaction
        .open_table(CONFIRMATIONS)
        .unwrap()
        .iter()
        .unwrap()
    {
        let (id, record) = entry.unwrap();
        let key = *id.value();
        let id = confirmation_id(&key);
        let item = checked::read::<Confirmation>(&CONFIRMATIONS, &key, id, record.value());
        let keys = item.unwrap().keys();
        due.extend(keys.due);
        purge.insert(keys.purge);
    }
    assert_holds(&transaction, DUE, &due);
    assert_holds(&transaction, PURGE, &purge);
}

fn assert_holds<const N: usize>(
    transaction: &ReadTransaction,
    definition: TableDefinition<'static, &'static [u8; N], ()>,
    expected: &BTreeSet<[u8; N]>,
) {
    let table = transaction.open_table(definition).unwrap();
    assert_eq!(table.len().unwrap(), expected.len() as u64);
    let entries = table.iter().unwrap();
    let actual: BTreeSet<_> = entries.map(|entry| *entry.unwrap().0.value()).collect();
    assert_eq!(actual, *expected);
}

/// Overwrites a record with bytes that are not a record.
fn spoil(database: &Database, id: ConfirmationId) {
    let transaction = database.begin_write().unwrap();
    transaction
        .open_table(CONFIRMATIONS)
        .unwrap()
        .insert(
            &DeliverySubject::from(id).key(),
            Stored::from_bytes(br#"{"v":1,"a":"demo""#),
        )
        .unwrap();
    transaction.commit().unwrap();
}

/// Changes a number that the store keeps about itself without updating its checksum.
fn damage_number(store: &EmbeddedStore, name: &'static str, number: u64) {
    let transaction = database(store).begin_write().unwrap();
    let mut meta = transaction.open_table(META).unwrap();
    let mut bytes = meta.get(name).unwrap().unwrap().value().to_vec();
    let at = bytes.len() - 8;
    bytes[at..].copy_from_slice(&number.to_be_bytes());
    meta.insert(name, bytes.as_slice()).unwrap();
    drop(meta);
    transaction.commit().unwrap();
}

#[tokio::test]
async fn indexes_match_the_records_after_every_operation() {
    let store = open(&Disk::default());
    for n in 0..4 {
        created(&store, n).await;
        verified(&store, n + 4).await;
        claimed(&store, n + 8).await;
        let item = delivered(&store, n + 12).await;
        if n % 2 == 0 {
            store.redact(item.id, &app_id("demo"), NOW).await.unwrap();
        } else {
            let demo = app_id("demo");
            store
                .redeliver(item.id, &demo, NOW, RETENTION)
                .await
                .unwrap();
        }
    }
    assert_indexes_fit(&database(&store));
}
