#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::sync::Arc;

use countersign_conformance::samples::{NOW, acquisition, id};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{CreateResult, Entity as _, Items as _};
use tempfile::{TempDir, tempdir};

use super::*;
use crate::store::{CreatePermission, SqliteItems};

fn opened() -> (TempDir, PrivateDirectory, SqliteItems) {
    let parent = tempdir().unwrap();
    let directory = PrivateDirectory::create(&parent.path().join("data")).unwrap();
    let items = SqliteItems::open_in(&directory, CreatePermission::MayBeNew).unwrap();
    (parent, directory, items)
}

async fn create(items: &SqliteItems, n: u8) -> Result<CreateResult, Unavailable> {
    let new = acquisition(n).into_document();
    items.create(&id(n).into(), new, NOW, None).await
}

#[tokio::test]
async fn write_is_refused_as_soon_as_a_file_is_not_in_its_place() {
    for suffix in SUFFIXES {
        let (_parent, directory, items) = opened();
        create(&items, 1).await.unwrap();
        let file = directory.path().join(format!("{STORE_FILE}{suffix}"));
        let aside = directory.path().join("aside");
        fs::rename(&file, &aside).unwrap();
        assert!(create(&items, 2).await.is_err(), "{suffix}");
        assert!(!items.is_writable(), "{suffix}");
        let refusal = items.refusal().unwrap();
        assert_eq!(refusal.what, format!("{STORE_FILE}{suffix}"));
        assert!(
            refusal.cause.contains("was moved or removed"),
            "{refusal:?}"
        );
        // The store stays refused until the host has checked everything again.
        fs::rename(&aside, &file).unwrap();
        assert!(create(&items, 2).await.is_err(), "{suffix}");
        items.check_place().unwrap();
        items.refuse_writes(None);
        assert_eq!(
            create(&items, 2).await.unwrap(),
            CreateResult::Made,
            "{suffix}"
        );
    }
}

#[tokio::test]
async fn host_can_refuse_writes() {
    let (_parent, _directory, items) = opened();
    let why = Refusal {
        what: "lock".to_owned(),
        cause: "lock was removed".to_owned(),
    };
    items.refuse_writes(Some(why.clone()));
    let refused = create(&items, 1).await.unwrap_err();
    let cause = std::error::Error::source(&refused).unwrap().to_string();
    assert_eq!(cause, "writes are refused: lock was removed");
    assert_eq!(items.refusal(), Some(why));
    assert_eq!(items.get(&id(1).into()).await.unwrap(), None);
    items.refuse_writes(None);
    assert!(items.is_writable());
    create(&items, 1).await.unwrap();
}

/// The file at the store's path may belong to another server, with keys that are revoked here.
#[tokio::test]
async fn store_in_the_place_of_another_is_not_read() {
    let (_parent, directory, items) = opened();
    let (_other_parent, other, others) = opened();
    create(&others, 1).await.unwrap();
    others.close();
    fs::copy(
        other.path().join(STORE_FILE),
        directory.path().join("replacement"),
    )
    .unwrap();
    let replacement = directory.path().join("replacement");
    fs::rename(replacement, directory.path().join(STORE_FILE)).unwrap();
    let items = Arc::new(items);
    for _ in 0..3 {
        assert!(items.get(&id(1).into()).await.is_err());
    }
}

/// The removed log alone has the data that has not yet been copied into the file; closing the store copies
/// it.
#[tokio::test]
async fn removed_log_costs_nothing_that_was_acknowledged() {
    let (_parent, directory, items) = opened();
    for n in 0..100 {
        create(&items, n).await.unwrap();
    }
    fs::remove_file(directory.path().join(format!("{STORE_FILE}-wal"))).unwrap();
    assert!(create(&items, 100).await.is_err());
    items.close();
    drop(items);
    let items = SqliteItems::open_in(&directory, CreatePermission::Existing).unwrap();
    for n in 0..100 {
        assert!(items.get(&id(n).into()).await.unwrap().is_some(), "{n}");
    }
}

/// Closing the store must not remove data from the log that the replacement file lacks.
#[tokio::test]
async fn copy_in_the_place_of_the_store_gets_what_was_acknowledged() {
    let (_parent, directory, items) = opened();
    let file = directory.path().join(STORE_FILE);
    let aside = directory.path().join("aside");
    for n in 0..100 {
        create(&items, n).await.unwrap();
    }
    fs::rename(&file, &aside).unwrap();
    fs::copy(&aside, &file).unwrap();
    assert!(create(&items, 100).await.is_err());
    items.close();
    drop(items);
    let items = SqliteItems::open_in(&directory, CreatePermission::Existing).unwrap();
    for n in 0..100 {
        assert!(items.get(&id(n).into()).await.unwrap().is_some(), "{n}");
    }
}
