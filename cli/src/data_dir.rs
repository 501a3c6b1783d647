//! The directory that holds everything one deployment knows: `--data`.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use countersign_embedded::private_files::{PrivateDirectory, PrivateFileError, TEMPORARY};
use countersign_embedded::store::STORE_FILE;
use thiserror::Error;

/// How often a lock that another process holds is tried again.
const LOCK_POLL: Duration = Duration::from_millis(20);

pub(crate) const SIGNING_KEYS: &str = "signing-keys";
pub(crate) const INBOUND_SECRET: &str = "inbound-secret";
pub(crate) const DEMO: &str = "demo.json";
/// The socket of the running server.
pub(crate) const ADMIN_SOCKET: &str = "admin.sock";
const LOCK: &str = "lock";

/// What a directory may hold, by which it is known as ours.
const OURS: [&str; 6] = [
    STORE_FILE,
    SIGNING_KEYS,
    INBOUND_SECRET,
    DEMO,
    ADMIN_SOCKET,
    LOCK,
];

/// The directory, which is there. It is this process's user's, and nobody else can look into it.
#[derive(Clone, Debug)]
pub(crate) struct DataDir(PrivateDirectory);

/// Why the directory cannot be used.
#[derive(Debug, Error)]
pub(crate) enum DataDirError {
    /// Nothing was ever kept there.
    #[error(
        "{0} holds no data of countersign: start `countersign serve --data {0}` first, or name \
         another directory with --data"
    )]
    Absent(PathBuf),
    /// It holds something else.
    #[error(
        "{0} is not empty and holds no data of countersign: name a directory of its own with --data"
    )]
    Foreign(PathBuf),
    /// Another process works with it.
    #[error(
        "another countersign already works with {0}: stop it, or name another directory with --data"
    )]
    Locked(PathBuf),
    /// The directory or a file in it is not for us alone, or cannot be used.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// The lock cannot be taken.
    #[error("cannot lock {path}")]
    Lock {
        /// Its file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// A file holds something else than text.
    #[error("{0} is not text")]
    NotText(PathBuf),
}

/// Held while a process works with the directory's files; given back when it is dropped, or when
/// the process ends however it ends.
#[derive(Debug)]
pub(crate) struct DataLock {
    _file: File,
}

impl DataDir {
    /// The directory, made where it is not there (mode 0700). One that is there must be empty or
    /// ours.
    pub(crate) fn create(path: &Path) -> Result<Self, DataDirError> {
        let dir = Self(PrivateDirectory::create_unchecked(path)?);
        if !dir.is_ours()? && !dir.0.names()?.is_empty() {
            return Err(DataDirError::Foreign(path.to_owned()));
        }
        dir.check()?;
        Ok(dir)
    }

    /// The directory, where it is there and ours.
    pub(crate) fn existing(path: &Path) -> Result<Self, DataDirError> {
        let dir = match PrivateDirectory::of_this_user(path) {
            Ok(directory) => Self(directory),
            Err(error) if error.is_absent() => return Err(DataDirError::Absent(path.to_owned())),
            Err(error) => return Err(error.into()),
        };
        if !dir.is_ours()? {
            return Err(DataDirError::Absent(path.to_owned()));
        }
        dir.check()?;
        Ok(dir)
    }

    /// Whether there is nothing in it yet but the lock.
    pub(crate) fn is_new(&self) -> Result<bool, DataDirError> {
        Ok(self.0.names()?.iter().all(|name| name == LOCK))
    }

    fn is_ours(&self) -> Result<bool, DataDirError> {
        for name in OURS {
            if self.0.has(name)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Refuses the directory if it or one of our files in it is open to others, or a file is a link
    /// or another user's.
    fn check(&self) -> Result<(), DataDirError> {
        self.0.check_closed()?;
        for name in OURS {
            self.0.check(name)?;
        }
        Ok(())
    }

    /// Takes the directory's lock, waiting for at most `patience` where another process holds it.
    pub(crate) fn lock(&self, patience: Duration) -> Result<DataLock, DataDirError> {
        let file = self.0.open_file(LOCK)?;
        let deadline = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(DataLock { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(LOCK_POLL);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(DataDirError::Locked(self.path().to_owned()));
                }
                Err(TryLockError::Error(cause)) => {
                    return Err(DataDirError::Lock {
                        path: self.path().join(LOCK),
                        cause,
                    });
                }
            }
        }
    }

    /// As the person named it.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The directory with what is in it.
    pub(crate) const fn files(&self) -> &PrivateDirectory {
        &self.0
    }

    /// The directory of the signing keys, made where it is not there.
    pub(crate) fn signing_keys(&self) -> Result<PrivateDirectory, DataDirError> {
        Ok(self.0.subdirectory(SIGNING_KEYS)?)
    }

    /// The first key that it holds: the signing keys, the generic provider's secret, or the demo
    /// app's API key. At a first start they are made after the store is on disk.
    pub(crate) fn first_key(&self) -> Result<Option<PathBuf>, DataDirError> {
        if self.0.has(SIGNING_KEYS)? {
            let unfinished =
                |name: &std::ffi::OsStr| name.as_encoded_bytes().ends_with(TEMPORARY.as_bytes());
            let names = self.signing_keys()?.names()?;
            if names.iter().any(|name| !unfinished(name)) {
                return Ok(Some(self.path().join(SIGNING_KEYS)));
            }
        }
        for name in [INBOUND_SECRET, DEMO] {
            if self.0.has(name)? {
                return Ok(Some(self.path().join(name)));
            }
        }
        Ok(None)
    }

    /// The file with the generic provider's secret.
    pub(crate) fn inbound_secret(&self) -> PathBuf {
        self.path().join(INBOUND_SECRET)
    }

    /// The file with what scripts need to know of the demo app.
    pub(crate) fn demo(&self) -> PathBuf {
        self.path().join(DEMO)
    }

    /// The socket of the running server.
    pub(crate) fn admin_socket(&self) -> PathBuf {
        self.path().join(ADMIN_SOCKET)
    }

    /// Writes one of the directory's files, readable for its owner alone: wholly or not at all,
    /// and on disk when it returns.
    pub(crate) fn write(&self, name: &str, content: &str) -> Result<(), DataDirError> {
        Ok(self.0.replace(name, content.as_bytes())?)
    }

    /// Removes one of the directory's files, if it is there.
    pub(crate) fn remove(&self, name: &str) -> Result<(), DataDirError> {
        Ok(self.0.remove(name)?)
    }

    /// Reads one of the directory's files; `None` where it is not there.
    pub(crate) fn read(&self, name: &str) -> Result<Option<String>, DataDirError> {
        let Some(content) = self.0.read(name)? else {
            return Ok(None);
        };
        let text = String::from_utf8(content);
        let text = text.map_err(|_| DataDirError::NotText(self.path().join(name)))?;
        Ok(Some(text))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_directory_is_its_owners_alone() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("deep/data");
        DataDir::create(&path).unwrap();
        assert_eq!(mode(&path), 0o700);
    }

    #[test]
    fn an_empty_directory_is_closed_and_a_foreign_one_is_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        fs::set_permissions(parent.path(), Permissions::from_mode(0o755)).unwrap();
        let dir = DataDir::create(parent.path()).unwrap();
        assert_eq!(mode(parent.path()), 0o700);
        drop(dir.lock(Duration::ZERO).unwrap());
        assert!(DataDir::create(parent.path()).is_ok(), "it is ours by now");

        let foreign = tempfile::tempdir().unwrap();
        fs::write(foreign.path().join("thesis.txt"), "").unwrap();
        fs::set_permissions(foreign.path(), Permissions::from_mode(0o755)).unwrap();
        let refused = DataDir::create(foreign.path());
        assert!(
            matches!(refused, Err(DataDirError::Foreign(_))),
            "{refused:?}"
        );
        assert_eq!(mode(foreign.path()), 0o755);
    }

    #[test]
    fn what_was_never_served_is_absent() {
        let parent = tempfile::tempdir().unwrap();
        let absent = DataDir::existing(&parent.path().join("none"));
        assert!(matches!(absent, Err(DataDirError::Absent(_))), "{absent:?}");
    }

    #[test]
    fn one_process_at_a_time() {
        let parent = tempfile::tempdir().unwrap();
        let dir = DataDir::create(parent.path()).unwrap();
        let held = dir.lock(Duration::ZERO).unwrap();
        let second = dir.lock(Duration::ZERO);
        assert!(matches!(second, Err(DataDirError::Locked(_))), "{second:?}");
        drop(held);
        assert!(dir.lock(Duration::ZERO).is_ok());
    }

    #[test]
    fn a_file_is_replaced_whole_and_private() {
        let parent = tempfile::tempdir().unwrap();
        let dir = DataDir::create(parent.path()).unwrap();
        assert_eq!(dir.read(DEMO).unwrap(), None);
        for content in ["a longer text", "short"] {
            dir.write(DEMO, content).unwrap();
            assert_eq!(dir.read(DEMO).unwrap().as_deref(), Some(content));
            assert_eq!(mode(&dir.demo()), 0o600);
        }
        assert_eq!(
            fs::read_dir(parent.path()).unwrap().count(),
            1,
            "nothing else is left"
        );
    }

    #[test]
    fn every_file_of_ours_is_checked() {
        for name in OURS {
            let parent = tempfile::tempdir().unwrap();
            let dir = DataDir::create(parent.path()).unwrap();
            drop(dir.lock(Duration::ZERO).unwrap());
            let stranger = tempfile::NamedTempFile::new().unwrap();
            fs::set_permissions(stranger.path(), Permissions::from_mode(0o644)).unwrap();
            let path = parent.path().join(name);
            let _ = fs::remove_file(&path);
            symlink(stranger.path(), &path).unwrap();
            for refused in [
                DataDir::create(parent.path()),
                DataDir::existing(parent.path()),
            ] {
                let refused = refused.unwrap_err().to_string();
                assert!(refused.contains("symbolic link"), "{refused}");
            }
            assert_eq!(mode(stranger.path()), 0o644);
            fs::remove_file(&path).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o604)).unwrap();
            let refused = DataDir::existing(parent.path()).unwrap_err().to_string();
            assert!(refused.contains("chmod"), "{refused}");
        }
    }
}
