use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use countersign_system::entropy::OsEntropy;
use tempfile::TempDir;

use super::*;
use crate::key_ring::ANON;

fn phone() -> (TempDir, FileAssociationKeys) {
    let phone = tempfile::tempdir().unwrap();
    let folder = phone.path().join("association-keys");
    let keys = FileAssociationKeys::at(&folder, Arc::new(OsEntropy));
    (phone, keys)
}

fn public_key(keys: &FileAssociationKeys, user: &str) -> Option<Vec<u8>> {
    keys.public_key(user.to_owned()).unwrap()
}

fn only_file(phone: &TempDir) -> PathBuf {
    let files = fs::read_dir(phone.path().join("association-keys")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let mut keys = files.filter(|file| !file.ends_with("lock"));
    let file = keys.next().unwrap();
    assert!(keys.next().is_none());
    file
}

#[test]
fn key_is_kept_for_its_user() {
    let (_phone, keys) = phone();
    assert_eq!(public_key(&keys, "zoe"), None);
    let created = keys.generate("zoe".to_owned()).unwrap();
    assert_eq!(public_key(&keys, "zoe"), Some(created));
    assert_eq!(public_key(&keys, "ZOE"), None);
    let unknown = keys.sign("ZOE".to_owned(), vec![1]);
    assert_eq!(unknown, Err(KeyError::Unknown));
}

#[test]
fn looking_creates_nothing() {
    let (phone, keys) = phone();
    assert!(keys.list().unwrap().is_empty());
    assert_eq!(public_key(&keys, "zoe"), None);
    assert_eq!(fs::read_dir(phone.path()).unwrap().count(), 0);
}

#[test]
fn only_the_owner_can_read_a_key_file() {
    let (phone, keys) = phone();
    keys.generate("zoe".to_owned()).unwrap();
    let file = only_file(&phone);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    assert!(!file.display().to_string().contains("zoe"));
    fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    let refused = keys.public_key("zoe".to_owned()).unwrap_err();
    assert!(matches!(refused, KeyError::Failed { .. }), "{refused}");
}

#[test]
fn generating_again_replaces_the_pair() {
    let (phone, keys) = phone();
    let first = keys.generate_first("zoe").unwrap().unwrap();
    assert_eq!(keys.generate_first("zoe"), Ok(None));
    assert_eq!(public_key(&keys, "zoe"), Some(first.clone()));
    let second = keys.generate("zoe".to_owned()).unwrap();
    assert_ne!(second, first);
    assert_eq!(public_key(&keys, "zoe"), Some(second));
    only_file(&phone);
}

#[test]
fn every_user_id_can_have_a_key() {
    let (_phone, keys) = phone();
    let long = "x".repeat(256);
    let users = ["zoe@example.com", ANON, "Zoë/../.. \"🦀\"", &long];
    for id in users {
        keys.generate(id.to_owned()).unwrap();
    }
    let mut listed = keys.list().unwrap();
    listed.sort_unstable();
    let mut expected = users;
    expected.sort_unstable();
    assert_eq!(listed, expected);
}

#[test]
fn damaged_and_exchanged_files_are_refused() {
    let (phone, keys) = phone();
    keys.generate("zoe".to_owned()).unwrap();
    let file = only_file(&phone);
    let content = fs::read_to_string(&file).unwrap();
    for damaged in [
        String::new(),
        "{}".to_owned(),
        content.replace("zoe", "mallory"),
        content.replace("\"privateKey\":\"", "\"privateKey\":\"AA"),
    ] {
        fs::write(&file, damaged).unwrap();
        let refused = keys.public_key("zoe".to_owned()).unwrap_err().to_string();
        assert!(refused.contains("holds no association key"), "{refused}");
        assert!(!refused.contains("AA"), "the key stays out of messages");
        assert!(keys.list().is_err());
        assert!(keys.generate_first("zoe").is_err(), "it is not replaced");
    }
}
