//! The console on a Unix socket, which file permissions protect from other users.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use countersign_system::private_files::PrivateDirectory;
use tokio::net::UnixListener;

use crate::admin::socket::UserListener;
use crate::failure::Failure;

/// The bound socket.
#[derive(Debug)]
pub(super) struct ConsoleSocket {
    pub(super) listener: UserListener,
    pub(super) file: SocketFile,
}

/// The socket's file. Dropping it removes it.
#[derive(Debug)]
pub(super) struct SocketFile {
    directory: PrivateDirectory,
    name: String,
    /// The absolute path, for `ssh -L`.
    pub(super) path: PathBuf,
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // If the removal fails, the next console replaces the file.
        let _ = self.directory.remove(&self.name);
    }
}

impl ConsoleSocket {
    /// Creates the socket in a directory that no other user can enter, and replaces one that a dead console left
    /// behind.
    pub(super) fn bind(path: &Path) -> Result<Self, Failure> {
        let name = path.file_name().map(OsString::from);
        let name = name.and_then(|name| name.into_string().ok());
        let name = name.ok_or_else(|| {
            Failure::new(format!(
                "{} names no file: end it with one, such as console.sock",
                path.display()
            ))
        })?;
        let parent = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        // The link's text and `ssh -L` need the absolute path.
        let parent = parent.canonicalize();
        let parent = parent.map_err(|error| failed(path, &error))?;
        let directory = PrivateDirectory::open(&parent)?;
        let path = parent.join(&name);
        remove_stale(&path, &directory, &name)?;
        let listener = bind(&path).map_err(|error| failed(&path, &error))?;
        Ok(Self {
            listener: UserListener::from(listener),
            file: SocketFile {
                directory,
                name,
                path,
            },
        })
    }
}

/// Removes the socket of a dead console. Fails if anything else has its name.
fn remove_stale(path: &Path, directory: &PrivateDirectory, name: &str) -> Result<(), Failure> {
    if !directory.has(name)? {
        return Ok(());
    }
    let found = path.symlink_metadata();
    if !found.is_ok_and(|found| found.file_type().is_socket()) {
        return Err(Failure::new(format!(
            "{} exists and is not a socket: choose another path with --socket",
            path.display()
        )));
    }
    if UnixStream::connect(path).is_ok() {
        return Err(Failure::new(format!(
            "another program listens on {}: stop it, or choose another path with --socket",
            path.display()
        )));
    }
    directory.remove(name)?;
    Ok(())
}

/// Other users cannot connect before the mode is set, because the directory is closed to them.
fn bind(path: &Path) -> io::Result<UnixListener> {
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(listener)
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::because(
        format!(
            "cannot listen on {}; choose another path with --socket",
            path.display()
        ),
        error,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn private() -> tempfile::TempDir {
        tempfile::Builder::new()
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .unwrap()
    }

    #[tokio::test]
    async fn socket_is_private_and_replaces_a_dead_one() {
        let folder = private();
        let path = folder.path().join("console.sock");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let bound = ConsoleSocket::bind(&path).unwrap();
        assert_eq!(bound.file.path, path.canonicalize().unwrap());
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let second = ConsoleSocket::bind(&path).unwrap_err().to_string();
        assert!(second.contains("another program listens"), "{second}");
        drop(bound);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn unsafe_places_are_refused_and_left_alone() {
        let folder = private();
        let file = folder.path().join("notes");
        fs::write(&file, "mine").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for path in [&file, &link] {
            let refused = ConsoleSocket::bind(path).unwrap_err().to_string();
            assert!(refused.contains("is not a socket"), "{refused}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let open = ConsoleSocket::bind(&folder.path().join("console.sock")).unwrap_err();
        assert!(open.to_string().contains("open to other users"), "{open}");
        let nowhere = ConsoleSocket::bind(Path::new("/")).unwrap_err().to_string();
        assert!(nowhere.contains("names no file"), "{nowhere}");
        let long = private();
        let long = long.path().join("s".repeat(120));
        let long = ConsoleSocket::bind(&long).unwrap_err().to_string();
        assert!(long.contains("--socket"), "{long}");
    }
}
