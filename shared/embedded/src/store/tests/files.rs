//! Tests of the store's file: its mode, its lock, and files that are refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use countersign_conformance::samples::{NOW, app, app_id, key, senders};
use countersign_domain::app::store::AppStore;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::delivery::store::DeliveryStore as _;
use redb::{Database, ReadableDatabase};
use tempfile::tempdir;

use super::{claimed, delivered, found};
use crate::store::tables::{FORMAT, META};
use crate::store::{EmbeddedStore, OpenError, STORE_FILE};
use countersign_system::private_files::PrivateDirectory;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_format(path: &Path, format: &[u8]) {
    let database = Database::create(path).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction
        .open_table(META)
        .unwrap()
        .insert(FORMAT, format)
        .unwrap();
    transaction.commit().unwrap();
}

#[tokio::test]
async fn store_file_is_readable_only_by_its_owner() {
    let root = tempdir().unwrap();
    let directory = root.path().join("new/data");
    let store = EmbeddedStore::open(&directory).unwrap();
    assert_eq!(mode(&directory), 0o700);
    assert_eq!(mode(&directory.join(STORE_FILE)), 0o600);
    drop(store);
    // The file was copied back with a mode that lets others read it.
    fs::set_permissions(
        directory.join(STORE_FILE),
        fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    let refused = EmbeddedStore::open(&directory).unwrap_err();
    assert!(refused.to_string().contains("chmod"), "{refused}");
    assert_eq!(mode(&directory.join(STORE_FILE)), 0o644);
}

#[tokio::test]
async fn store_is_open_only_once_at_a_time() {
    let root = tempdir().unwrap();
    let store = EmbeddedStore::open(root.path()).unwrap();
    let again = EmbeddedStore::open(root.path()).unwrap_err();
    assert!(matches!(again, OpenError::AlreadyOpen), "{again:?}");
    // A closed store releases the file even before it is dropped.
    store.close();
    let again = EmbeddedStore::open(root.path()).unwrap();
    assert!(store.find(super::acquisition(1).id, NOW).await.is_err());
    assert!(store.create(super::acquisition(1), NOW).await.is_err());
    assert!(
        store
            .claim(super::acquisition(1).id.into(), 0, NOW)
            .await
            .is_err()
    );
    store.close();
    drop(again);
}

#[tokio::test]
async fn items_apps_and_keys_survive_a_restart() {
    let root = tempdir().unwrap();
    let store = EmbeddedStore::open(root.path()).unwrap();
    let item = delivered(&store, 1).await;
    let mut demo = app("demo");
    store.create_app(demo.clone()).await.unwrap();
    store.issue_key(&app_id("demo"), key(1)).await.unwrap();
    demo.senders = senders(&[(None, "55555")]);
    store.update_app(demo.clone()).await.unwrap();
    let profile = store.inbound_profile().await.unwrap();
    assert_eq!(profile.recipients.len(), 2);
    drop(store);
    let store = EmbeddedStore::open(root.path()).unwrap();
    assert_eq!(found(&store, item.id).await, item);
    let found = store.find_app(&app_id("demo")).await.unwrap();
    assert_eq!(found, Some(Arc::new(demo)));
    assert_eq!(store.list_keys(&app_id("demo")).await.unwrap(), [key(1)]);
    assert_eq!(store.inbound_profile().await.unwrap(), profile);
}

#[tokio::test]
async fn debug_output_contains_no_phone_number() {
    let root = tempdir().unwrap();
    let store = EmbeddedStore::open(root.path()).unwrap();
    claimed(&store, 1).await;
    let text = format!("{store:?}");
    assert!(!text.contains("2025550100"), "{text}");
}

#[test]
fn later_format_is_refused_and_left_unchanged() {
    let root = tempdir().unwrap();
    drop(EmbeddedStore::open(root.path()).unwrap());
    let path = root.path().join(STORE_FILE);
    set_format(&path, &5_u32.to_be_bytes());
    let error = EmbeddedStore::open(root.path()).unwrap_err();
    assert!(
        matches!(error, OpenError::NewerFormat { found: 5 }),
        "{error:?}"
    );
    assert!(error.to_string().contains("later release"), "{error}");
    // The file is unchanged.
    let database = Database::open(&path).unwrap();
    let transaction = database.begin_read().unwrap();
    let format = transaction.open_table(META).unwrap().get(FORMAT).unwrap();
    assert_eq!(format.unwrap().value(), 5_u32.to_be_bytes());
}

#[test]
fn earlier_format_is_refused() {
    for earlier in 1..=3_u32 {
        let root = tempdir().unwrap();
        drop(EmbeddedStore::open(root.path()).unwrap());
        set_format(&root.path().join(STORE_FILE), &earlier.to_be_bytes());
        let error = EmbeddedStore::open(root.path()).unwrap_err();
        assert!(
            matches!(error, OpenError::OlderFormat { found } if found == earlier),
            "{error:?}"
        );
        assert!(error.to_string().contains("begin a new one"), "{error}");
    }
}

#[test]
fn files_that_are_not_a_store_are_refused() {
    let root = tempdir().unwrap();
    let path = root.path().join(STORE_FILE);
    let directory = PrivateDirectory::create(root.path()).unwrap();
    let text = "once upon a time ".repeat(10_000);
    directory.replace(STORE_FILE, text.as_bytes()).unwrap();
    let error = EmbeddedStore::open(root.path()).unwrap_err();
    assert!(matches!(error, OpenError::Unreadable(_)), "{error:?}");
    fs::remove_file(&path).unwrap();
    drop(EmbeddedStore::open(root.path()).unwrap());
    set_format(&path, b"x");
    let error = EmbeddedStore::open(root.path()).unwrap_err();
    assert!(matches!(error, OpenError::Unreadable(_)), "{error:?}");
    drop(
        PrivateDirectory::create(root.path())
            .unwrap()
            .open_file("file"),
    );
    let error = EmbeddedStore::open(&root.path().join("file/data")).unwrap_err();
    assert!(matches!(error, OpenError::File(_)), "{error:?}");
}
