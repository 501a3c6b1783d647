//! File stores.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use countersign_sdk::files::{FileAnswers, FileAssociationKeys, FileSecrets};
use countersign_sdk::{AnswerStore as _, Platform, SecretStore as _};
use countersign_system::entropy::OsEntropy;

use crate::support::World;

const NAME: &str = "o0AqZbcXy-_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e";

fn assert_private(path: &Path) {
    for entry in fs::read_dir(path).unwrap() {
        let mode = entry.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let mode = fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn secret_is_saved_once_and_survives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("phone");
    assert_eq!(FileSecrets::at(&path).load(), Ok(None));
    assert!(!path.exists(), "looking creates nothing");
    let saved = FileSecrets::at(&path).save_new(vec![1; 32]);
    assert_eq!(saved, Ok(vec![1; 32]));
    let second = FileSecrets::at(&path).save_new(vec![2; 32]);
    assert_eq!(second, Ok(vec![1; 32]));
    assert_eq!(FileSecrets::at(&path).load(), Ok(Some(vec![1; 32])));
    assert_private(&path);
    fs::set_permissions(
        path.join("device-secret"),
        fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    assert!(
        FileSecrets::at(&path).load().is_err(),
        "not taken as missing"
    );
}

#[test]
fn of_many_processes_one_saves_the_secret() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("phone");
    let savers: Vec<_> = (0..8)
        .map(|n| {
            let path = path.clone();
            thread::spawn(move || FileSecrets::at(&path).save_new(vec![n; 32]).unwrap())
        })
        .collect();
    let saved: Vec<_> = savers
        .into_iter()
        .map(|saver| saver.join().unwrap())
        .collect();
    assert!(saved.iter().all(|secret| *secret == saved[0]));
    assert_eq!(FileSecrets::at(&path).load(), Ok(Some(saved[0].clone())));
}

#[test]
fn answer_is_saved_replaced_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers");
    let store = || FileAnswers::at(&path);
    let name = || NAME.to_owned();
    assert_eq!(store().load(name()), Ok(None));
    assert_eq!(store().remove(name()), Ok(()));
    assert_eq!(store().names(), Ok(Vec::new()));
    assert!(!path.exists(), "looking creates nothing");
    assert_eq!(store().save_new(name(), b"one".to_vec()), Ok(None));
    let there = store().save_new(name(), b"two".to_vec());
    assert_eq!(there, Ok(Some(b"one".to_vec())));
    assert_eq!(store().load(name()), Ok(Some(b"one".to_vec())));
    store().replace(name(), b"three".to_vec()).unwrap();
    assert_eq!(store().load(name()), Ok(Some(b"three".to_vec())));
    assert_eq!(store().names(), Ok(vec![name()]));
    assert_private(&path);
    store().remove(name()).unwrap();
    assert_eq!(store().load(name()), Ok(None));
}

#[test]
fn names_that_could_be_paths_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileAnswers::at(folder.path());
    for name in ["", "../x", "a/b", "a.b", "a\0", "ä"] {
        let saved = store.save_new(name.to_owned(), Vec::new());
        assert!(saved.is_err(), "{name:?}");
    }
}

#[test]
fn process_goes_on_from_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut world = World::new();
    let platform = || Platform {
        secrets: Arc::new(FileSecrets::at(&at("secret"))),
        answers: Arc::new(FileAnswers::at(&at("answers"))),
        keys: Arc::new(FileAssociationKeys::at(&at("keys"), Arc::new(OsEntropy))),
        ..world.platform.clone()
    };
    let (first, second) = (platform(), platform());
    world.platform = first;
    world
        .client()
        .keys()
        .generate_association_key(None)
        .unwrap();
    let session = world.open().unwrap();
    world.service.fates(vec![crate::support::Fate::Lost; 6]);
    assert!(world.run(session.confirm("a token")).is_err());
    drop(session);
    world.platform = second;
    let done = world.open().unwrap_err();
    assert_eq!(done.code(), "already_answered");
    assert_eq!(world.service.opened().payload, "a token");
    let calls = world.service.calls();
    let (_, body) = world.service.decision().unwrap();
    assert!(body["proof"].is_string());
    assert!(calls[1..].iter().all(|call| call.body == calls[1].body));
}
