//! Runs the conformance suites for the SQLite documents and the signer.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};

use countersign_conformance::samples::NOW;
use countersign_conformance::suite;
use countersign_embedded::keys::KeyFileSigner;
use countersign_embedded::store::SqliteItems;
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

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn store_passes_the_suite() {
    let directories = Directories::default();
    let open = async || directories.open(|path| SqliteItems::open(path).unwrap());
    suite::items(open).await.assert_passed();
    suite::open_items(open).await.assert_passed();
    suite::owed_index(open).await.assert_passed();
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
