//! The running server's side of the admin socket.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_api::Causes;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::net::UnixListener;

use super::backup;
use super::command::Command;
use super::{Admin, AdminError};
use crate::data_dir::{ADMIN_SOCKET, DataDir};
use crate::storage::Storage;

/// Where the socket is made before it is moved to its place. The whole name is shorter than the
/// socket's own, so that whatever path holds the one holds the other.
const NURSERY: &str = ".admin";

/// Why there is no socket.
#[derive(Debug, Error)]
pub(crate) enum SocketError {
    /// Its path does not fit into an address (108 bytes on Linux).
    #[error(
        "{0} is too long a path for a socket: name a directory with a shorter path with --data"
    )]
    PathTooLong(PathBuf),
    /// The system does not let us.
    #[error("cannot make the admin socket {path}")]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
}

/// What the socket answers to a command that was not carried out.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Refusal {
    /// Why, in a sentence.
    pub(crate) message: String,
}

/// The socket, ready to be served.
#[derive(Debug)]
pub(crate) struct AdminSocket {
    /// Takes connections.
    pub(crate) listener: UnixListener,
    /// Removes the socket's file when it is dropped.
    pub(crate) file: SocketFile,
}

/// The socket's file.
#[derive(Debug)]
pub(crate) struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // One that stays is replaced at the next start.
        let _ = fs::remove_file(&self.0);
    }
}

impl AdminSocket {
    /// Whether the path of a socket in this directory fits into an address.
    pub(crate) fn check_path(data: &Path) -> Result<(), SocketError> {
        let path = data.join(ADMIN_SOCKET);
        match SocketAddr::from_pathname(&path) {
            Ok(_) => Ok(()),
            Err(_) => Err(SocketError::PathTooLong(path)),
        }
    }

    /// Makes the socket, for its owner alone from its first moment on. One that a dead server left
    /// is replaced: whoever calls this holds the directory's lock, so none can be alive.
    pub(crate) fn bind(data: &DataDir) -> Result<Self, SocketError> {
        Self::check_path(data.path())?;
        let path = data.admin_socket();
        match Self::bind_at(data.path(), &path) {
            Ok(listener) => Ok(Self {
                listener,
                file: SocketFile(path),
            }),
            Err(cause) => Err(SocketError::Io { path, cause }),
        }
    }

    fn bind_at(data: &Path, path: &Path) -> io::Result<UnixListener> {
        // Between bind and chmod a socket may be open to others, so that happens where nobody
        // else can look.
        let nursery = data.join(NURSERY);
        let _ = fs::remove_dir_all(&nursery);
        DirBuilder::new().mode(0o700).create(&nursery)?;
        let newborn = nursery.join("s");
        let listener = UnixListener::bind(&newborn)?;
        fs::set_permissions(&newborn, Permissions::from_mode(0o600))?;
        fs::rename(&newborn, path)?;
        fs::remove_dir(&nursery)?;
        Ok(listener)
    }
}

/// Where a backup is made.
pub(crate) const BACKUP_PATH: &str = "/backup";

/// What the socket serves: `POST /` with a [`Command`], answered with an `Answer`, and
/// `POST /backup`, answered with a backup.
pub(crate) fn router(admin: Arc<Admin>, storage: Storage, data: DataDir) -> Router {
    let backup = Router::new()
        .route(BACKUP_PATH, post(backup::stream))
        .with_state((storage, data, Arc::clone(&admin.clock)));
    Router::new()
        .route("/", post(carry_out))
        .with_state(admin)
        .merge(backup)
}

async fn carry_out(State(admin): State<Arc<Admin>>, Json(command): Json<Command>) -> Response {
    match admin.carry_out(command).await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => refuse(&error),
    }
}

fn refuse(error: &AdminError) -> Response {
    let message = Causes(error).to_string();
    let status = if error.is_ours() {
        tracing::error!(cause = %message, "an operator's command failed");
        StatusCode::INTERNAL_SERVER_ERROR
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    (status, Json(Refusal { message })).into_response()
}
