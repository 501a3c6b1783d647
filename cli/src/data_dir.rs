//! The directory that holds everything one deployment knows: `--data`.

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use countersign_embedded::private_files;
use thiserror::Error;

/// How often a lock that another process holds is tried again.
const LOCK_POLL: Duration = Duration::from_millis(20);

/// The bits of a mode that concern everybody but the owner.
const OTHERS: u32 = 0o077;

/// The store's file, by which a directory is known as ours.
const STORE: &str = "countersign.redb";
const SIGNING_KEYS: &str = "signing-keys";
const INBOUND_SECRET: &str = "inbound-secret";
const DEMO: &str = "demo.json";
/// The socket of the running server.
pub(crate) const ADMIN_SOCKET: &str = "admin.sock";
const LOCK: &str = "lock";

/// The directory, which is there. Its owner alone can look into it.
#[derive(Clone, Debug)]
pub(crate) struct DataDir(PathBuf);

/// Why the directory cannot be used.
#[derive(Debug, Error)]
pub(crate) enum DataDirError {
    /// Nothing was ever kept there.
    #[error(
        "{0} holds no data of countersign: start `countersign serve --data {0}` first, or name \
         another directory with --data"
    )]
    Absent(PathBuf),
    /// It holds something else, and would be closed to everybody but us.
    #[error(
        "{0} is not empty and holds no data of countersign: name a directory of its own with --data"
    )]
    Foreign(PathBuf),
    /// Another process works with it.
    #[error(
        "another countersign already works with {0}: stop it, or name another directory with --data"
    )]
    Locked(PathBuf),
    /// The system does not let us.
    #[error("cannot use {path}")]
    Io {
        /// What could not be used.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
}

impl DataDirError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |cause| Self::Io { path, cause }
    }
}

/// Held while a process works with the directory's files; given back when it is dropped, or when
/// the process ends however it ends.
#[derive(Debug)]
pub(crate) struct DataLock {
    _file: File,
}

impl DataDir {
    /// The directory, made where it is not there (mode 0700). One that is there must be empty or
    /// ours; others' access to it is taken away.
    pub(crate) fn create(path: &Path) -> Result<Self, DataDirError> {
        private_files::create_directory(path).map_err(DataDirError::io(path))?;
        let dir = Self(path.to_owned());
        if !dir.is_ours()
            && fs::read_dir(path)
                .map_err(DataDirError::io(path))?
                .next()
                .is_some()
        {
            return Err(DataDirError::Foreign(path.to_owned()));
        }
        let found = fs::metadata(path).map_err(DataDirError::io(path))?;
        if found.permissions().mode() & OTHERS != 0 {
            let closed = fs::set_permissions(path, Permissions::from_mode(0o700));
            closed.map_err(DataDirError::io(path))?;
        }
        Ok(dir)
    }

    /// The directory, where it is there and ours.
    pub(crate) fn existing(path: &Path) -> Result<Self, DataDirError> {
        let dir = Self(path.to_owned());
        if dir.is_ours() {
            Ok(dir)
        } else {
            Err(DataDirError::Absent(path.to_owned()))
        }
    }

    fn is_ours(&self) -> bool {
        [STORE, LOCK, DEMO, INBOUND_SECRET]
            .iter()
            .any(|name| self.0.join(name).exists())
    }

    /// Takes the directory's lock, waiting for at most `patience` where another process holds it.
    pub(crate) fn lock(&self, patience: Duration) -> Result<DataLock, DataDirError> {
        let path = self.0.join(LOCK);
        let file = private_files::open(&path).map_err(DataDirError::io(&path))?;
        let deadline = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(DataLock { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(LOCK_POLL);
                }
                Err(TryLockError::WouldBlock) => return Err(DataDirError::Locked(self.0.clone())),
                Err(TryLockError::Error(error)) => return Err(DataDirError::io(&path)(error)),
            }
        }
    }

    /// As the person named it.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The directory of the signing keys.
    pub(crate) fn signing_keys(&self) -> PathBuf {
        self.0.join(SIGNING_KEYS)
    }

    /// The file with the generic provider's secret.
    pub(crate) fn inbound_secret(&self) -> PathBuf {
        self.0.join(INBOUND_SECRET)
    }

    /// The file with what scripts need to know of the demo app.
    pub(crate) fn demo(&self) -> PathBuf {
        self.0.join(DEMO)
    }

    /// The socket of the running server.
    pub(crate) fn admin_socket(&self) -> PathBuf {
        self.0.join(ADMIN_SOCKET)
    }

    /// Writes one of the directory's files, readable for its owner alone: wholly or not at all,
    /// and on disk when it returns.
    pub(crate) fn write(path: &Path, content: &str) -> Result<(), DataDirError> {
        private_files::replace(path, content.as_bytes()).map_err(DataDirError::io(path))
    }

    /// Removes one of the directory's files, if it is there.
    pub(crate) fn remove(path: &Path) -> Result<(), DataDirError> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(DataDirError::io(path)(error)),
            _ => Ok(()),
        }
    }

    /// Reads one of the directory's files; `None` where it is not there.
    pub(crate) fn read(path: &Path) -> Result<Option<String>, DataDirError> {
        match fs::read_to_string(path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(DataDirError::io(path)(error)),
        }
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(DataDir::read(&dir.demo()).unwrap(), None);
        for content in ["a longer text", "short"] {
            DataDir::write(&dir.demo(), content).unwrap();
            assert_eq!(
                DataDir::read(&dir.demo()).unwrap().as_deref(),
                Some(content)
            );
            assert_eq!(mode(&dir.demo()), 0o600);
        }
        assert_eq!(
            fs::read_dir(parent.path()).unwrap().count(),
            1,
            "nothing else is left"
        );
    }
}
