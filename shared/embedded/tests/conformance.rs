//! Tests that the store and the signer pass the conformance suites.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};

use countersign_conformance::samples::NOW;
use countersign_conformance::stores::Stores;
use countersign_conformance::suite;
use countersign_domain::store::Store;
use countersign_embedded::keys::KeyFileSigner;
use countersign_embedded::store::SqliteItems;
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;
use countersign_system::private_files::PrivateDirectory;
use tempfile::{TempDir, tempdir};

/// Temporary directories that exist until the test ends.
#[derive(Default)]
struct Directories(Mutex<Vec<TempDir>>);

impl Directories {
    fn open<T>(&self, open: impl FnOnce(&std::path::Path) -> T) -> Arc<T> {
        let directory = tempdir().unwrap();
        let opened = open(directory.path());
        self.0.lock().unwrap().push(directory);
        Arc::new(opened)
    }
}

fn store(path: &std::path::Path) -> Store {
    let items = SqliteItems::open(path).unwrap();
    Store::alone(Arc::new(items), Arc::new(SystemClock))
}

fn stores(store: Arc<Store>) -> Stores {
    Stores {
        confirmations: store.clone(),
        logins: store.clone(),
        deliveries: store,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn store_passes_the_confirmation_suite() {
    let directories = Directories::default();
    suite::confirmations(async || stores(directories.open(store)))
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn store_passes_the_delivery_suite() {
    let directories = Directories::default();
    suite::deliveries(async || stores(directories.open(store)))
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn store_passes_the_app_suite() {
    let directories = Directories::default();
    suite::apps(async || directories.open(store))
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn signer_passes_the_signer_suite() {
    let directories = Directories::default();
    let open = |path: &std::path::Path| {
        let directory = PrivateDirectory::create(path).unwrap();
        KeyFileSigner::open(directory, &OsEntropy, NOW, NOW).unwrap()
    };
    suite::signers(async || directories.open(open))
        .await
        .assert_passed();
    suite::signers(async || {
        let signer = directories.open(open);
        signer.rotate(&OsEntropy, NOW).unwrap();
        signer.rotate(&OsEntropy, NOW).unwrap();
        signer
    })
    .await
    .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn store_passes_the_login_suite() {
    let directories = Directories::default();
    suite::logins(async || stores(directories.open(store)))
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn store_passes_the_risk_history_suite() {
    let directories = Directories::default();
    suite::risk_histories(async || directories.open(store))
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn store_passes_the_association_key_suite() {
    let directories = Directories::default();
    suite::association_keys(async || directories.open(store))
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn store_passes_the_text_suite() {
    let directories = Directories::default();
    suite::texts(async || directories.open(store))
        .await
        .assert_passed();
}
