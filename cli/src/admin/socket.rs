//! The server side of the admin socket.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::Listener;
use axum::{Json, Router};
use countersign_api::Causes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;
use tokio::net::{UnixListener, UnixStream};

use super::request::Request;
use super::requests::{Visitor, visit_all};
use super::sentence::RefusalCode;
use super::user::User;
use super::{Admin, AdminError, aside, refusal_codes};
use crate::data_dir::{ADMIN_SOCKET, DataDir};

/// The directory in which the socket is created before it is moved to its final path. The path in
/// this directory is shorter than the final path, so it fits wherever that one does.
const NURSERY: &str = ".admin";

/// Why the socket could not be created.
#[derive(Debug, Error)]
pub(crate) enum SocketError {
    /// The path does not fit into a socket address (108 bytes on Linux).
    #[error(
        "{0} is too long a path for a socket: choose a directory with a shorter path with --data"
    )]
    PathTooLong(PathBuf),
    /// The operating system refused to create the socket.
    #[error("cannot make the admin socket {path}")]
    Io {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
}

/// The answer to a request that was not executed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Refusal {
    /// The reason as a sentence.
    pub(crate) message: String,
    /// The present values of settings that differ from those that the operator saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) now: Option<BTreeMap<String, Value>>,
    /// The content of the sentence, for readers in other languages.
    #[serde(flatten)]
    pub(crate) code: Option<RefusalCode>,
}

/// The bound socket, ready to serve.
#[derive(Debug)]
pub(crate) struct AdminSocket {
    /// Accepts connections.
    pub(crate) listener: UserListener,
    /// Removes the socket's file when dropped.
    pub(crate) file: SocketFile,
}

/// Accepts connections from users of this machine.
#[derive(Debug)]
pub(crate) struct UserListener(UnixListener);

impl From<UnixListener> for UserListener {
    fn from(listener: UnixListener) -> Self {
        Self(listener)
    }
}

impl Listener for UserListener {
    type Io = UnixStream;
    type Addr = User;

    async fn accept(&mut self) -> (UnixStream, User) {
        loop {
            let (stream, _) = Listener::accept(&mut self.0).await;
            // The kernel reports the user of each open connection.
            if let Ok(peer) = stream.peer_cred() {
                return (stream, User::of_id(peer.uid()));
            }
        }
    }

    fn local_addr(&self) -> io::Result<User> {
        Ok(User::current())
    }
}

#[derive(Debug)]
pub(crate) struct SocketFile(DataDir);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Uses the directory's handle, because its path may lead to another server's directory by now. If the
        // removal fails, the next server replaces the file.
        let _ = self.0.remove(ADMIN_SOCKET);
    }
}

impl AdminSocket {
    /// Checks that the path of a socket in this directory fits into an address.
    pub(crate) fn check_path(data: &Path) -> Result<(), SocketError> {
        let path = data.join(ADMIN_SOCKET);
        match SocketAddr::from_pathname(&path) {
            Ok(_) => Ok(()),
            Err(_) => Err(SocketError::PathTooLong(path)),
        }
    }

    /// Creates the socket, readable only by its owner from the start, and replaces a socket that a
    /// dead server left behind. The caller holds the directory's lock, so no live server can own an
    /// existing socket.
    pub(crate) fn bind(data: &DataDir) -> Result<Self, SocketError> {
        Self::check_path(data.path())?;
        let path = data.admin_socket();
        match Self::bind_at(data.path(), &path) {
            Ok(listener) => Ok(Self {
                listener: UserListener(listener),
                file: SocketFile(data.clone()),
            }),
            Err(cause) => Err(SocketError::Io { path, cause }),
        }
    }

    fn bind_at(data: &Path, path: &Path) -> io::Result<UnixListener> {
        // Between bind and chmod others could connect, so the socket is created in a private
        // directory.
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

/// Returns the socket's routes: `POST /NAME` executes the [`Request`] with this name for a [`User`].
/// Includes those of [`metrics_router`].
pub(crate) fn router(admin: Arc<Admin>) -> Router {
    let mut routes = Routes(Router::new());
    visit_all(&mut routes);
    routes
        .0
        .with_state(Arc::clone(&admin))
        .merge(metrics_router(admin))
}

/// `GET /metrics` answers with the counters, as Prometheus scrapes them.
pub(crate) fn metrics_router(admin: Arc<Admin>) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .with_state(admin)
}

async fn metrics(State(admin): State<Arc<Admin>>) -> Response {
    match admin.export_metrics().await {
        Ok(text) => ([(CONTENT_TYPE, prometheus::TEXT_FORMAT)], text).into_response(),
        Err(error) => refuse(&error),
    }
}

/// Routes before the state is added.
struct Routes(Router<Arc<Admin>>);

impl Visitor for Routes {
    fn visit<R: Request>(&mut self) {
        let path = format!("/{}", R::NAME);
        let routes = std::mem::take(&mut self.0);
        self.0 = routes.route(&path, post(dispatch::<R>));
    }
}

async fn dispatch<R: Request>(
    State(admin): State<Arc<Admin>>,
    Extension(user): Extension<User>,
    Json(request): Json<R>,
) -> Response {
    match admin.execute(request, user).await {
        Ok(answer) => match aside(move || Json(answer).into_response()).await {
            Ok(response) => response,
            Err(error) => refuse(&error.into()),
        },
        Err(error) => refuse(&error),
    }
}

fn refuse(error: &AdminError) -> Response {
    let message = Causes(error).to_string();
    let status = if error.is_ours() {
        tracing::error!(cause = %message, "admin command failed");
        StatusCode::INTERNAL_SERVER_ERROR
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let refusal = Refusal {
        message,
        now: error.now().cloned(),
        code: refusal_codes::of(error),
    };
    (status, Json(refusal)).into_response()
}
