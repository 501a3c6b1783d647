use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use countersign_system::entropy::OsEntropy;
use tempfile::TempDir;

use super::*;
use crate::args::ANONYMOUS;

fn user(id: &str) -> ClaimedUserId {
    id.parse().unwrap()
}

fn phone() -> (TempDir, AssociationKeys) {
    let phone = tempfile::tempdir().unwrap();
    let keys = AssociationKeys::at(phone.path());
    (phone, keys)
}

fn only_file(phone: &TempDir) -> PathBuf {
    let mut files = fs::read_dir(phone.path().join(FOLDER)).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none());
    file
}

#[test]
fn key_is_kept_for_its_user() {
    let (_phone, keys) = phone();
    assert!(keys.find(&user("zoe")).unwrap().is_none());
    let created = keys.create(&user("zoe"), false, &OsEntropy).unwrap();
    let found = keys.find(&user("zoe")).unwrap().unwrap();
    assert_eq!(found.key.to_bytes(), created.key.to_bytes());
    assert_eq!(found.user, user("zoe"));
    assert!(keys.find(&user("ZOE")).unwrap().is_none());
}

#[test]
fn looking_creates_nothing() {
    let (phone, keys) = phone();
    assert!(keys.list().unwrap().is_empty());
    assert!(keys.find(&user("zoe")).unwrap().is_none());
    assert_eq!(fs::read_dir(phone.path()).unwrap().count(), 0);
}

#[test]
fn key_file_is_its_owners_alone() {
    let (phone, keys) = phone();
    keys.create(&user("zoe"), false, &OsEntropy).unwrap();
    let file = only_file(&phone);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(&phone.path().join(FOLDER)), 0o700);
    assert!(!file.display().to_string().contains("zoe"));
    fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    let refused = keys.find(&user("zoe")).unwrap_err();
    assert!(matches!(refused, AssociationKeyError::File(_)), "{refused}");
}

#[test]
fn key_is_replaced_only_on_request() {
    let (phone, keys) = phone();
    let first = keys.create(&user("zoe"), false, &OsEntropy).unwrap();
    let refused = keys.create(&user("zoe"), false, &OsEntropy).unwrap_err();
    assert!(
        matches!(refused, AssociationKeyError::Exists(_)),
        "{refused}"
    );
    let found = keys.find(&user("zoe")).unwrap().unwrap();
    assert_eq!(found.key.to_bytes(), first.key.to_bytes());
    let second = keys.create(&user("zoe"), true, &OsEntropy).unwrap();
    assert_ne!(second.key.to_bytes(), first.key.to_bytes());
    only_file(&phone);
}

#[test]
fn keys_are_listed_by_user() {
    let (_phone, keys) = phone();
    let users = [
        "zoe@example.com",
        ANONYMOUS,
        "Zoë/../.. \"🦀\"",
        &"x".repeat(256),
    ];
    for id in users {
        keys.create(&user(id), false, &OsEntropy).unwrap();
    }
    let mut expected = users;
    expected.sort_unstable();
    let listed: Vec<String> = keys
        .list()
        .unwrap()
        .iter()
        .map(|key| key.user.as_str().to_owned())
        .collect();
    assert_eq!(listed, expected);
}

#[test]
fn damaged_and_exchanged_files_are_refused() {
    let (phone, keys) = phone();
    keys.create(&user("zoe"), false, &OsEntropy).unwrap();
    let file = only_file(&phone);
    let content = fs::read_to_string(&file).unwrap();
    for damaged in [
        String::new(),
        "{}".to_owned(),
        content.replace("zoe", "mallory"),
        content.replace("\"privateKey\":\"", "\"privateKey\":\"AA"),
    ] {
        fs::write(&file, damaged).unwrap();
        let refused = keys.find(&user("zoe")).unwrap_err();
        assert!(
            matches!(refused, AssociationKeyError::Malformed(_)),
            "{refused}"
        );
        assert!(
            !refused.to_string().contains("AA"),
            "the key stays out of messages"
        );
        assert!(keys.list().is_err());
    }
}
