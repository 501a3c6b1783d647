//! Ownership of the data directory, and handling of a lost store.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::Path;
use std::process::Command;

use countersign_embedded::store::SqliteItems;

use crate::support::{Server, countersign, data_dir, skip};

const STORE: &str = "countersign.db";

/// Starts a server that must refuse to start, and returns its error.
fn refused(data: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data)
        .args(args)
        .output()
        .unwrap();
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn served(data: &Path) {
    assert!(Server::start(data).terminate().success());
}

/// Restores a file as a backup of the whole machine would.
fn put_back(from: &Path, to: &Path) {
    fs::copy(from, to).unwrap();
    fs::set_permissions(to, Permissions::from_mode(0o600)).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn planted_lock_changes_no_other_file() {
    let folder = data_dir();
    let data = folder.path().join("data");
    served(&data);
    let stranger = folder.path().join("shadow");
    fs::write(&stranger, "secret").unwrap();
    fs::set_permissions(&stranger, Permissions::from_mode(0o644)).unwrap();
    fs::remove_file(data.join("lock")).unwrap();
    symlink(&stranger, data.join("lock")).unwrap();
    let said = refused(&data, &[]);
    assert!(said.contains("symbolic link"), "{said}");
    assert_eq!(fs::metadata(&stranger).unwrap().mode() & 0o777, 0o644);
    assert_eq!(fs::read(&stranger).unwrap(), b"secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn directory_that_others_may_write_to_is_refused() {
    let folder = data_dir();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("inbound-secret"), "whsec_planted").unwrap();
    fs::set_permissions(&data, Permissions::from_mode(0o777)).unwrap();
    let said = refused(&data, &[]);
    assert!(said.contains("chmod go="), "{said}");
    assert_eq!(fs::metadata(&data).unwrap().mode() & 0o777, 0o777);
    assert_eq!(fs::read_dir(&data).unwrap().count(), 1);
}

/// Only root can change a file's owner.
#[tokio::test(flavor = "multi_thread")]
async fn foreign_directory_with_a_planted_secret_is_refused() {
    let folder = data_dir();
    let data = folder.path().join("data");
    served(&data);
    if chown(data.join("inbound-secret"), Some(65_534), None).is_err() {
        skip("foreign_directory_with_a_planted_secret_is_refused", "root");
        return;
    }
    let said = refused(&data, &[]);
    assert!(said.contains("belongs to user 65534"), "{said}");
    let output = countersign(&data, &["app", "list"]);
    assert!(!output.status.success(), "{output:?}");
    chown(data.join("inbound-secret"), Some(0), None).unwrap();
    chown(&data, Some(65_534), None).unwrap();
    let said = refused(&data, &[]);
    assert!(said.contains("belongs to user 65534"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_store_is_not_replaced_silently() {
    let folder = data_dir();
    let data = folder.path().join("data");
    served(&data);
    let store = data.join(STORE);
    let copy = folder.path().join("copy");
    fs::copy(&store, &copy).unwrap();
    for lose in [fs::remove_file, |store: &std::path::PathBuf| {
        fs::write(store, "")
    }] {
        lose(&store).unwrap();
        let said = refused(&data, &[]);
        for word in ["missing or empty", "restore", "--new-store"] {
            assert!(said.contains(word), "{said}");
        }
        let output = countersign(&data, &["app", "list"]);
        assert!(!output.status.success(), "{output:?}");
        put_back(&copy, &store);
    }
    // A store without its tables counts as missing.
    fs::remove_file(&store).unwrap();
    fs::write(&store, vec![0; 4096]).unwrap();
    fs::set_permissions(&store, Permissions::from_mode(0o600)).unwrap();
    refused(&data, &[]);

    fs::remove_file(&store).unwrap();
    let server = Server::start_with(&data, &["--new-store"]);
    assert_eq!(server.anyone().get("/healthz").await.status, 200);
    assert!(server.terminate().success());
    served(&data);
}

/// Whatever files an interrupted first start has created, the next start continues from there.
#[tokio::test(flavor = "multi_thread")]
async fn interrupted_first_start_is_completed_by_the_next() {
    let whole = data_dir();
    let made = whole.path().join("data");
    served(&made);
    let keys: Vec<_> = fs::read_dir(made.join("signing-keys")).unwrap().collect();
    let key = keys
        .iter()
        .map(|entry| entry.as_ref().unwrap().file_name())
        .find(|name| name.to_string_lossy().ends_with(".pem"))
        .unwrap();
    let key = format!("signing-keys/{}", key.to_string_lossy());
    // In the order of their creation.
    let steps = [
        "lock",
        STORE,
        &key,
        "signing-keys/current",
        "webhook-secret",
        "inbound-secret",
        "demo.json",
    ];
    for count in 0..=steps.len() {
        let folder = data_dir();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        fs::set_permissions(&data, Permissions::from_mode(0o700)).unwrap();
        for step in &steps[..count] {
            if step.starts_with("signing-keys") {
                let keys = data.join("signing-keys");
                let _ = fs::create_dir(&keys);
                fs::set_permissions(&keys, Permissions::from_mode(0o700)).unwrap();
            }
            if *step == STORE {
                // The store already knows which files belong to it.
                SqliteItems::open(&data).unwrap().close();
            } else {
                put_back(&made.join(step), &data.join(step));
            }
        }
        if count == 2 {
            // The file had been created, but was still empty.
            fs::write(data.join(STORE), "").unwrap();
        }
        served(&data);
    }
}

/// Rotations in a loop neither fill the disk nor drop a key that may still be needed.
#[tokio::test(flavor = "multi_thread")]
async fn rotations_in_a_loop_are_refused() {
    let folder = data_dir();
    let data = folder.path().join("data");
    let server = Server::start(&data);
    for _ in 0..16 {
        let rotated = countersign(&data, &["signing-key", "rotate"]);
        assert!(rotated.status.success(), "{rotated:?}");
    }
    let refused = countersign(&data, &["signing-key", "rotate"]);
    assert!(!refused.status.success(), "{refused:?}");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("within 7 days"), "{said}");
    let keys = server.anyone().get("/.well-known/jwks.json").await.ok();
    assert_eq!(keys["keys"].as_array().unwrap().len(), 17);
}
