//! Tests that planted files and links are refused.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::net::UnixListener;

use super::*;
use countersign_conformance::skip::skip;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn files_are_closed_to_everyone_but_the_owner() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a/b/");
    let directory = PrivateDirectory::create(&path).unwrap();
    assert_eq!((mode(&path), mode(&root.path().join("a"))), (0o700, 0o700));
    directory.replace("file", b"one").unwrap();
    drop(directory.open_file("other").unwrap());
    for name in ["file", "other"] {
        assert_eq!(mode(&path.join(name)), 0o600, "{name}");
    }
    let keys = directory.subdirectory("keys").unwrap();
    assert_eq!(mode(keys.path()), 0o700);
}

#[test]
fn leftovers_of_a_crash_are_replaced() {
    let root = tempfile::tempdir().unwrap();
    let directory = PrivateDirectory::create(root.path()).unwrap();
    directory.replace("file", b"one").unwrap();
    fs::write(root.path().join("file.new"), b"half").unwrap();
    directory.replace("file", b"two").unwrap();
    assert_eq!(directory.read("file").unwrap().unwrap(), b"two");
    assert_eq!(directory.names().unwrap(), ["file"]);
}

#[test]
fn empty_directory_is_closed_and_a_full_open_one_is_refused() {
    let root = tempfile::tempdir().unwrap();
    set_mode(root.path(), 0o755);
    PrivateDirectory::create(root.path()).unwrap();
    assert_eq!(mode(root.path()), 0o700);
    fs::write(root.path().join("inbound-secret"), "planted").unwrap();
    set_mode(root.path(), 0o777);
    let refused = PrivateDirectory::create(root.path()).unwrap_err();
    let PrivateFileError::OpenToOthers { mode: 0o777, .. } = refused else {
        panic!("{refused:?}");
    };
    assert!(refused.to_string().contains("chmod go="), "{refused}");
    assert_eq!(mode(root.path()), 0o777, "its mode stays unchanged");
}

#[test]
fn planted_link_is_not_followed() {
    let root = tempfile::tempdir().unwrap();
    let stranger = root.path().join("shadow");
    fs::write(&stranger, "secret").unwrap();
    set_mode(&stranger, 0o644);
    let directory = PrivateDirectory::create(&root.path().join("data")).unwrap();
    for name in ["lock", "there"] {
        symlink(&stranger, directory.path().join(name)).unwrap();
    }
    symlink("nowhere", directory.path().join("dangling")).unwrap();
    for name in ["lock", "dangling"] {
        let refused = directory.open_file(name).unwrap_err();
        assert!(
            matches!(refused, PrivateFileError::Link { .. }),
            "{refused:?}"
        );
        let refused = directory.read(name).unwrap_err();
        assert!(
            matches!(refused, PrivateFileError::Link { .. }),
            "{refused:?}"
        );
        let refused = directory.check(name).unwrap_err();
        assert!(
            matches!(refused, PrivateFileError::Link { .. }),
            "{refused:?}"
        );
    }
    // `replace` replaces the link, not its target.
    directory.replace("there", b"ours").unwrap();
    assert_eq!(directory.read("there").unwrap().unwrap(), b"ours");
    assert_eq!(fs::read(&stranger).unwrap(), b"secret");
    assert_eq!(mode(&stranger), 0o644);
    assert!(!directory.path().join("nowhere").exists());

    for link in ["link", "link/", "link/."] {
        let _ = symlink(directory.path(), root.path().join("link"));
        let path = root.path().join(link);
        for refused in [
            PrivateDirectory::create(&path),
            PrivateDirectory::open(&path),
        ] {
            let refused = refused.unwrap_err();
            assert!(
                matches!(refused, PrivateFileError::Link { .. }),
                "{refused:?}"
            );
        }
    }
}

#[test]
fn open_files_and_other_kinds_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let directory = PrivateDirectory::create(root.path()).unwrap();
    directory.replace("key", b"one").unwrap();
    set_mode(&root.path().join("key"), 0o640);
    for refused in [directory.read("key").map(drop), directory.check("key")] {
        let refused = refused.unwrap_err();
        let PrivateFileError::OpenToOthers { mode: 0o640, .. } = refused else {
            panic!("{refused:?}");
        };
    }
    let pipe = root.path().join("pipe");
    rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, FILE_MODE, 0).unwrap();
    let _socket = UnixListener::bind(root.path().join("socket")).unwrap();
    fs::create_dir(root.path().join("directory")).unwrap();
    for name in ["pipe", "socket", "directory"] {
        let refused = directory.open_file(name).unwrap_err();
        assert!(
            matches!(refused, PrivateFileError::WrongKind { .. }),
            "{name}: {refused:?}"
        );
    }
    let refused = PrivateDirectory::open(&root.path().join("key")).unwrap_err();
    assert!(
        matches!(refused, PrivateFileError::WrongKind { .. }),
        "{refused:?}"
    );
}

/// Only root can change a file's owner.
#[test]
fn entries_of_another_user_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let directory = PrivateDirectory::create(&root.path().join("data")).unwrap();
    directory.replace("inbound-secret", b"planted").unwrap();
    let path = directory.path().join("inbound-secret");
    if chown(&path, Some(65_534), None).is_err() {
        skip("entries_of_another_user_are_refused", "root");
        return;
    }
    for refused in [
        directory.read("inbound-secret").map(drop),
        directory.check("inbound-secret"),
        directory.open_file("inbound-secret").map(drop),
    ] {
        let refused = refused.unwrap_err();
        assert!(
            matches!(refused, PrivateFileError::OtherOwner { owner: 65_534, .. }),
            "{refused:?}"
        );
    }
    assert_eq!(fs::metadata(&path).unwrap().uid(), 65_534);
    chown(directory.path(), Some(65_534), None).unwrap();
    for refused in [
        PrivateDirectory::open(directory.path()),
        PrivateDirectory::create(directory.path()),
    ] {
        let refused = refused.unwrap_err();
        assert!(refused.to_string().contains("chown"), "{refused}");
    }
}

#[test]
fn moved_removed_replaced_and_opened_entries_are_noticed() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("data");
    let directory = PrivateDirectory::create(&path).unwrap();
    let (file, aside) = (path.join("file"), path.join("aside"));
    directory.replace("file", b"one").unwrap();
    let identity = directory.identity("file").unwrap();
    let check = || directory.check_same("file", identity);
    check().unwrap();
    fs::rename(&file, &aside).unwrap();
    assert!(matches!(check(), Err(PrivateFileError::Gone { .. })));
    assert!(matches!(
        directory.identity("file"),
        Err(PrivateFileError::Gone { .. })
    ));
    symlink(&aside, &file).unwrap();
    assert!(matches!(check(), Err(PrivateFileError::Link { .. })));
    fs::remove_file(&file).unwrap();
    directory.replace("file", b"one").unwrap();
    assert!(matches!(check(), Err(PrivateFileError::Replaced { .. })));
    fs::rename(&aside, &file).unwrap();
    check().unwrap();
    set_mode(&file, 0o640);
    assert!(matches!(
        check(),
        Err(PrivateFileError::OpenToOthers { .. })
    ));

    let elsewhere = root.path().join("elsewhere");
    directory.check_place().unwrap();
    fs::rename(&path, &elsewhere).unwrap();
    let check = || directory.check_place();
    assert!(matches!(check(), Err(PrivateFileError::Gone { .. })));
    symlink(&elsewhere, &path).unwrap();
    assert!(matches!(check(), Err(PrivateFileError::Link { .. })));
    fs::remove_file(&path).unwrap();
    drop(PrivateDirectory::create(&path).unwrap());
    assert!(matches!(check(), Err(PrivateFileError::Replaced { .. })));
    fs::remove_dir(&path).unwrap();
    fs::rename(&elsewhere, &path).unwrap();
    check().unwrap();
    set_mode(&path, 0o701);
    assert!(matches!(
        check(),
        Err(PrivateFileError::OpenToOthers { .. })
    ));
}

#[test]
fn read_only_file_system_is_noticed() {
    let root = tempfile::tempdir().unwrap();
    let directory = PrivateDirectory::create(root.path()).unwrap();
    assert!(!directory.is_read_only().unwrap());
    let mut mount = std::process::Command::new("mount");
    mount.args([
        "-t",
        "tmpfs",
        "-o",
        "ro,size=1m,mode=0700",
        "countersign-test",
    ]);
    let mounted = mount.arg(root.path()).output();
    if !mounted.is_ok_and(|done| done.status.success()) {
        skip(
            "read_only_file_system_is_noticed",
            "the right to mount a tmpfs",
        );
        return;
    }
    let mounted = PrivateDirectory::open(root.path());
    let is_read_only = mounted.map(|directory| directory.is_read_only());
    let unmounted = std::process::Command::new("umount")
        .arg("-l")
        .arg(root.path())
        .status();
    assert!(unmounted.unwrap().success());
    assert!(is_read_only.unwrap().unwrap());
}
