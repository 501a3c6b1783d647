//! Backups survive a round trip, and damaged ones are refused.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use countersign_domain::primitives::time::Clock as _;
use countersign_embedded::store::Findings;
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;
use tempfile::TempDir;

use super::file::NewBackup;
use super::*;
use crate::data_dir::{DataDir, INBOUND_SECRET};
use crate::inbound_secret;
use crate::storage::{self, IfMissing};

struct World {
    folder: TempDir,
    place: PathBuf,
}

/// Makes a backup of a new data directory with a secret and a rotated key.
fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("backup");
    let data = DataDir::create(&folder.path().join("data")).unwrap();
    let lock = data.lock(Duration::ZERO).unwrap();
    let storage = storage::open(&data, &lock, IfMissing::Refused, Arc::new(SystemClock)).unwrap();
    inbound_secret::read_or_make(&data, false, &OsEntropy).unwrap();
    let now = SystemClock.now();
    storage.signer.rotate(&OsEntropy, now).unwrap();
    let new = NewBackup::begin(&place).unwrap();
    drop(storage);
    assert!(write(&data, new.path(), now).unwrap().is_empty());
    new.finish(false).unwrap();
    World { folder, place }
}

impl World {
    fn restore(&self, name: &str) -> Result<DataDir, RestoreError> {
        let data = DataDir::create(&self.folder.path().join(name)).unwrap();
        let _lock = data.lock(Duration::ZERO).unwrap();
        restore(&data, &self.place, &mut |_| ()).map(|_| data)
    }
}

#[test]
fn restore_brings_back_keys_and_secret() {
    let world = world();
    let restored = world.restore("restored").unwrap();
    let data = DataDir::existing(&world.folder.path().join("data")).unwrap();
    let secret = |data: &DataDir| data.read(INBOUND_SECRET).unwrap().unwrap();
    assert_eq!(secret(&restored), secret(&data));
    let open = |data: &DataDir| {
        let lock = data.lock(Duration::ZERO).unwrap();
        let storage =
            storage::open(data, &lock, IfMissing::Refused, Arc::new(SystemClock)).unwrap();
        storage.signer.files().unwrap()
    };
    assert_eq!(open(&restored), open(&data));
    assert!(
        Findings::of_store(restored.files(), &mut |_| ())
            .unwrap()
            .is_sound()
    );
}

#[test]
fn restore_into_a_directory_with_data_is_refused() {
    let world = world();
    let data = DataDir::existing(&world.folder.path().join("data")).unwrap();
    let before = data.read(INBOUND_SECRET).unwrap();
    let refused = world.restore("data").unwrap_err();
    assert!(matches!(refused, RestoreError::NotEmpty(_)), "{refused:?}");
    assert_eq!(data.read(INBOUND_SECRET).unwrap(), before);
}

#[test]
fn damaged_backup_is_refused_before_anything_is_written() {
    let world = world();
    let whole = fs::read(&world.place).unwrap();
    Backup::open(&world.place).unwrap();
    for at in (0..whole.len())
        .step_by(997)
        .chain(whole.len() - 40..whole.len())
    {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&world.place, &changed).unwrap();
        Backup::open(&world.place).unwrap_err();
    }
    for end in [0, 10, whole.len() / 2, whole.len() - 1] {
        fs::write(&world.place, &whole[..end]).unwrap();
        Backup::open(&world.place).unwrap_err();
    }
    fs::write(&world.place, [whole.as_slice(), b"x"].concat()).unwrap();
    Backup::open(&world.place).unwrap_err();
    let refused = world.restore("restored").unwrap_err();
    assert!(matches!(refused, RestoreError::Backup(_)), "{refused:?}");
    let data = DataDir::existing(&world.folder.path().join("restored")).unwrap();
    assert!(data.is_new().unwrap());
}
