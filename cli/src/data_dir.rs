//! The data directory (`--data`), which contains everything that a deployment stores.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use countersign_embedded::store::STORE_FILE;
use countersign_system::private_files::{
    FileIdentity, PrivateDirectory, PrivateFileError, TEMPORARY,
};
use thiserror::Error;

/// Interval between attempts to take a lock that another process holds.
const LOCK_POLL: Duration = Duration::from_millis(20);

/// Time to wait for another command that is changing settings.
const SETTINGS_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) const SIGNING_KEYS: &str = "signing-keys";
/// The file that contains the id of the signing key, in the folder of the keys.
const CURRENT_KEY: &str = "current";
pub(crate) const INBOUND_SECRET: &str = "inbound-secret";
/// The secret from which the webhook secrets of apps derive.
pub(crate) const WEBHOOK_SECRET: &str = "webhook-secret";
/// The keys and the secret of the `OpenID` provider.
pub(crate) const OPENID: &str = "openid";
/// The settings of SMS providers.
pub(crate) const PROVIDERS: &str = "providers.json";
/// The settings of carrier lookups.
pub(crate) const CARRIER_LOOKUP: &str = "carrier-lookup.json";
pub(crate) const DEMO: &str = "demo.json";
/// The record of the latest backups.
pub(crate) const BACKUPS: &str = "backups.json";
/// The running server's admin socket.
pub(crate) const ADMIN_SOCKET: &str = "admin.sock";
const LOCK: &str = "lock";
/// Locked by commands that change the settings of SMS providers.
const SETTINGS_LOCK: &str = "settings.lock";

/// The entries of a data directory, by which it is recognized.
const OURS: [&str; 12] = [
    STORE_FILE,
    SIGNING_KEYS,
    INBOUND_SECRET,
    WEBHOOK_SECRET,
    OPENID,
    PROVIDERS,
    CARRIER_LOOKUP,
    DEMO,
    ADMIN_SOCKET,
    LOCK,
    SETTINGS_LOCK,
    BACKUPS,
];

/// An existing data directory that belongs to this process's user and that no other user can
/// access.
#[derive(Clone, Debug)]
pub(crate) struct DataDir(PrivateDirectory);

/// Why the directory cannot be used.
#[derive(Debug, Error)]
pub(crate) enum DataDirError {
    /// The directory contains no data.
    #[error(
        "{0} holds no countersign data: start `countersign serve --data {0}` first, or choose \
         another directory with --data"
    )]
    Absent(PathBuf),
    /// The directory contains other files.
    #[error(
        "{0} is not empty and holds no countersign data: choose an empty directory with --data"
    )]
    Foreign(PathBuf),
    #[error(
        "another countersign process already uses {0}: stop it, or choose another directory with --data"
    )]
    Locked(PathBuf),
    /// Other users can access the directory or a file in it, or it cannot be used.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    #[error("another command is changing the settings in {0}: try again")]
    SettingsLocked(PathBuf),
    /// The lock could not be taken.
    #[error("cannot lock {path}")]
    Lock {
        /// The lock file.
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    /// The file is not UTF-8 text.
    #[error("{0} is not text")]
    NotText(PathBuf),
}

/// Exclusive use of the directory's files. Released when dropped or when the process ends.
#[derive(Debug)]
pub(crate) struct DataLock {
    files: [File; 2],
    /// Identity of the lock file, with which [`DataDir::check_lock`] compares.
    pub(crate) identity: FileIdentity,
}

/// Permission to read the directory: no process that writes holds its lock.
#[derive(Debug)]
pub(crate) struct ReadLock {
    _files: Vec<File>,
}

impl From<DataLock> for ReadLock {
    fn from(lock: DataLock) -> Self {
        Self {
            _files: lock.files.into(),
        }
    }
}

/// Exclusive use of the settings of SMS providers. Released when dropped.
#[derive(Debug)]
pub(crate) struct SettingsLock {
    _file: File,
}

impl DataDir {
    /// Opens the directory, and creates it if it is missing (mode 0700). An existing directory must
    /// be empty or a data directory.
    pub(crate) fn create(path: &Path) -> Result<Self, DataDirError> {
        let dir = Self(PrivateDirectory::create_unchecked(path)?);
        if !dir.is_ours()? && !dir.0.names()?.is_empty() {
            return Err(DataDirError::Foreign(path.to_owned()));
        }
        dir.check()?;
        Ok(dir)
    }

    /// Opens an existing data directory.
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

    /// Checks that a server has stored data here. A directory is recognized as a data directory as
    /// soon as a starting server has locked it.
    ///
    /// # Errors
    ///
    /// Fails with [`DataDirError::Absent`] if the directory contains neither a store nor a key that
    /// belongs to one.
    pub(crate) fn check_served(&self) -> Result<(), DataDirError> {
        if self.0.has(STORE_FILE)? || self.first_key()?.is_some() {
            Ok(())
        } else {
            Err(DataDirError::Absent(self.path().to_owned()))
        }
    }

    /// Returns whether the directory contains only the lock file.
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

    /// Repeats the checks made when the directory was opened, and checks that its path still leads to
    /// it.
    pub(crate) fn check_again(&self) -> Result<(), DataDirError> {
        self.0.check_place()?;
        self.check()
    }

    /// Rejects a directory that is a link, that belongs to another user, that others can access, or
    /// that contains one of our files that others can access.
    fn check(&self) -> Result<(), DataDirError> {
        self.0.check_closed()?;
        for name in OURS {
            self.0.check(name)?;
        }
        Ok(())
    }

    /// Locks the directory; waits at most `patience` for another process that holds the lock.
    ///
    /// The lock on the directory itself remains effective even if the file is removed; the file shows
    /// users that the directory is in use.
    pub(crate) fn lock(&self, patience: Duration) -> Result<DataLock, DataDirError> {
        let deadline = Instant::now() + patience;
        let directory = self.0.reopen()?;
        let locked = || DataDirError::Locked(self.path().to_owned());
        self.acquire(&directory, deadline, locked)?;
        let file = self.0.open_file(LOCK)?;
        self.acquire(&file, deadline, locked)?;
        Ok(DataLock {
            files: [directory, file],
            identity: self.0.identity(LOCK)?,
        })
    }

    /// Locks the directory as [`lock`](Self::lock) does, also on a read-only file system.
    pub(crate) fn lock_to_read(&self, patience: Duration) -> Result<ReadLock, DataDirError> {
        if !self.is_read_only()? {
            return Ok(self.lock(patience)?.into());
        }
        let deadline = Instant::now() + patience;
        let files = [Some(self.0.reopen()?), self.0.open_to_read(LOCK)?];
        let files: Vec<File> = files.into_iter().flatten().collect();
        for file in &files {
            let locked = || DataDirError::Locked(self.path().to_owned());
            self.acquire(file, deadline, locked)?;
        }
        Ok(ReadLock { _files: files })
    }

    /// Returns whether the directory is on a read-only file system.
    pub(crate) fn is_read_only(&self) -> Result<bool, DataDirError> {
        Ok(self.0.is_read_only()?)
    }

    /// Checks that the lock file is still the same one.
    pub(crate) fn check_lock(&self, lock: FileIdentity) -> Result<(), DataDirError> {
        Ok(self.0.check_same(LOCK, lock)?)
    }

    /// Locks the settings, which commands change while a server is running.
    pub(crate) fn lock_settings(&self) -> Result<SettingsLock, DataDirError> {
        let file = self.0.open_file(SETTINGS_LOCK)?;
        let locked = || DataDirError::SettingsLocked(self.path().to_owned());
        self.acquire(&file, Instant::now() + SETTINGS_TIMEOUT, locked)?;
        Ok(SettingsLock { _file: file })
    }

    fn acquire(
        &self,
        file: &File,
        deadline: Instant,
        locked: impl Fn() -> DataDirError,
    ) -> Result<(), DataDirError> {
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(LOCK_POLL);
                }
                Err(TryLockError::WouldBlock) => return Err(locked()),
                Err(TryLockError::Error(cause)) => {
                    return Err(DataDirError::Lock {
                        path: self.path().join(LOCK),
                        cause,
                    });
                }
            }
        }
    }

    /// Returns the path as the user gave it.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) const fn files(&self) -> &PrivateDirectory {
        &self.0
    }

    /// Opens the directory of the signing keys, and creates it if it is missing.
    pub(crate) fn signing_keys(&self) -> Result<PrivateDirectory, DataDirError> {
        Ok(self.0.subdirectory(SIGNING_KEYS)?)
    }

    /// Opens the directory of the `OpenID` provider, and creates it if it is missing.
    pub(crate) fn openid(&self) -> Result<PrivateDirectory, DataDirError> {
        Ok(self.0.subdirectory(OPENID)?)
    }

    /// Returns the first key file found: the signing keys, the secret for webhooks, the generic provider's secret,
    /// or the demo app's API key. The first start creates them after the store is on disk.
    pub(crate) fn first_key(&self) -> Result<Option<PathBuf>, DataDirError> {
        if self.0.has(SIGNING_KEYS)? {
            let unfinished =
                |name: &std::ffi::OsStr| name.as_encoded_bytes().ends_with(TEMPORARY.as_bytes());
            let names = self.signing_keys()?.names()?;
            if names.iter().any(|name| !unfinished(name)) {
                return Ok(Some(self.path().join(SIGNING_KEYS)));
            }
        }
        for name in [WEBHOOK_SECRET, INBOUND_SECRET, DEMO] {
            if self.0.has(name)? {
                return Ok(Some(self.path().join(name)));
            }
        }
        Ok(None)
    }

    /// Returns whether a signing key exists.
    pub(crate) fn has_signing_key(&self) -> Result<bool, DataDirError> {
        Ok(self.0.has(SIGNING_KEYS)? && self.signing_keys()?.has(CURRENT_KEY)?)
    }

    /// Returns the path of the file that contains the id of the signing key.
    pub(crate) fn current_signing_key(&self) -> PathBuf {
        self.path().join(SIGNING_KEYS).join(CURRENT_KEY)
    }

    /// Returns the path of the generic provider's secret.
    pub(crate) fn inbound_secret(&self) -> PathBuf {
        self.path().join(INBOUND_SECRET)
    }

    /// Returns the path of the settings of SMS providers.
    pub(crate) fn providers(&self) -> PathBuf {
        self.path().join(PROVIDERS)
    }

    /// Returns the path of the settings of carrier lookups.
    pub(crate) fn carrier_lookup(&self) -> PathBuf {
        self.path().join(CARRIER_LOOKUP)
    }

    /// Returns the path of the file that describes the demo app to scripts.
    pub(crate) fn demo(&self) -> PathBuf {
        self.path().join(DEMO)
    }

    /// Returns the path of the running server's socket.
    pub(crate) fn admin_socket(&self) -> PathBuf {
        self.path().join(ADMIN_SOCKET)
    }

    /// Writes one of the directory's files atomically, readable only by its owner. The file is on
    /// disk when this function returns.
    pub(crate) fn write(&self, name: &str, content: &str) -> Result<(), DataDirError> {
        Ok(self.0.replace(name, content.as_bytes())?)
    }

    /// Removes one of the directory's files if it exists.
    pub(crate) fn remove(&self, name: &str) -> Result<(), DataDirError> {
        Ok(self.0.remove(name)?)
    }

    /// Returns whether the directory has an entry with this name.
    pub(crate) fn has(&self, name: &str) -> Result<bool, DataDirError> {
        Ok(self.0.has(name)?)
    }

    /// Reads one of the directory's files; `None` if it does not exist.
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
    fn new_directory_is_private() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("deep/data");
        DataDir::create(&path).unwrap();
        assert_eq!(mode(&path), 0o700);
    }

    #[test]
    fn empty_directory_becomes_private_and_a_foreign_one_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        fs::set_permissions(parent.path(), Permissions::from_mode(0o755)).unwrap();
        let dir = DataDir::create(parent.path()).unwrap();
        assert_eq!(mode(parent.path()), 0o700);
        drop(dir.lock(Duration::ZERO).unwrap());
        assert!(DataDir::create(parent.path()).is_ok(), "it is ours now");

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
    fn directory_that_never_served_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let absent = DataDir::existing(&parent.path().join("none"));
        assert!(matches!(absent, Err(DataDirError::Absent(_))), "{absent:?}");
        let locked = DataDir::create(parent.path()).unwrap();
        drop(locked.lock(Duration::ZERO).unwrap());
        locked.write(PROVIDERS, "{}").unwrap();
        let empty = DataDir::existing(parent.path()).unwrap().check_served();
        assert!(matches!(empty, Err(DataDirError::Absent(_))), "{empty:?}");
        locked.write(INBOUND_SECRET, "").unwrap();
        locked.check_served().unwrap();
    }

    #[test]
    fn second_process_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let dir = DataDir::create(parent.path()).unwrap();
        let held = dir.lock(Duration::ZERO).unwrap();
        let second = dir.lock(Duration::ZERO);
        assert!(matches!(second, Err(DataDirError::Locked(_))), "{second:?}");
        drop(held);
        assert!(dir.lock(Duration::ZERO).is_ok());
    }

    #[test]
    fn file_is_replaced_atomically_and_stays_private() {
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
            "no other file is left"
        );
    }

    #[test]
    fn every_file_of_ours_must_be_private() {
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
