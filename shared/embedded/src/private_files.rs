//! Files that nobody but their owner may read: keys, the database, facts for scripts.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

const FILE_MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;

/// Makes a directory (mode 0700), and those above it, where it is not there. One that is there is
/// left as its owner made it.
pub fn create_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(DIRECTORY_MODE)
        .create(path)
}

/// Opens a file for reading and writing, making it where it is not there. Its mode is 0600
/// afterwards, whatever it was.
pub fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(FILE_MODE)
        .open(path)?;
    if file.metadata()?.permissions().mode() & 0o7777 != FILE_MODE {
        file.set_permissions(fs::Permissions::from_mode(FILE_MODE))?;
    }
    Ok(file)
}

/// Replaces a file's content (mode 0600) so that at every instant, a crash included, either all of
/// the old content is there or all of the new.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(TEMPORARY);
    let temporary = directory.join(name);
    // What a crash left behind must not keep its mode.
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(&temporary)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    sync_directory(directory)
}

/// What the name of a file that [`replace`] has not finished ends with.
pub const TEMPORARY: &str = ".new";

/// Makes the names in a directory survive a crash.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    File::open(path)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn only_the_owner_may_read_them() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("a/b");
        create_directory(&directory).unwrap();
        assert_eq!(mode(&directory), 0o700);
        let path = directory.join("file");
        replace(&path, b"one").unwrap();
        assert_eq!(mode(&path), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        drop(open(&path).unwrap());
        assert_eq!(mode(&path), 0o600);
    }

    #[test]
    fn what_a_crash_left_behind_is_in_nobodys_way() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("file");
        replace(&path, b"one").unwrap();
        fs::write(root.path().join("file.new"), b"half").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }
}
