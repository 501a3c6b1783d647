//! Where operators' requests go: to the running server, to the data directory of a stopped server,
//! or to a deployment's table.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use countersign_embedded::places::Fetched;
use countersign_system::clock::SystemClock;

use super::ask_error::AskError;
use super::client::{self, ClientError};
use super::request::{Needs, Request};
use super::running::{RereadPlaces, RereadProviders, ShowServer};
use super::texts::{ExplainText, TextEffect};
use super::user::User;
use super::{Admin, table};
use crate::data_dir::{DataDir, DataDirError};
use crate::demo::DemoFile;
use crate::failure::Failure;
use crate::storage;
use crate::terminal;

/// Time to wait until another process releases the data or listens: a starting server locks the
/// data before it can answer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(3);

/// Interval between attempts.
const POLL: Duration = Duration::from_millis(50);

/// The apps and keys that a request is about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'a> {
    /// The apps and keys in a data directory, reached through its server if that is running.
    Data(&'a Path),
    /// The apps and keys in a table of a deployment on AWS.
    Table(&'a str),
}

impl Target<'_> {
    /// Returns the beginning of every command line for this target.
    pub(crate) fn command(self) -> String {
        match self {
            Self::Data(path) => terminal::command(path),
            Self::Table(name) => format!("{} --table '{name}'", terminal::program()),
        }
    }
}

/// Sends a request to its target and returns the answer.
pub(crate) async fn ask<R: Request>(target: Target<'_>, request: R) -> Result<R::Answer, Failure> {
    Ok(try_ask(target, request).await?)
}

/// Dispatches a request as [`ask`] does, and returns the kind of a failure, too.
pub(crate) async fn try_ask<R: Request>(
    target: Target<'_>,
    request: R,
) -> Result<R::Answer, AskError> {
    match target {
        Target::Data(path) => ask_data(path, request).await,
        Target::Table(_) if R::NEEDS == Needs::Server => Err(AskError::NotOffered(Failure::new(
            "a deployment on AWS has no server to ask; docs/operations.md says where its figures are",
        ))),
        Target::Table(name) => table::ask(name, request).await,
    }
}

async fn ask_data<R: Request>(path: &Path, request: R) -> Result<R::Answer, AskError> {
    let data = DataDir::existing(path).map_err(AskError::unavailable)?;
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        match client::ask(&data.admin_socket(), &request).await {
            Err(ClientError::NotRunning) if R::NEEDS == Needs::Server => {
                return Err(AskError::Unavailable(not_running(&data)));
            }
            Err(ClientError::NotRunning) => {}
            Ok(answer) => return Ok(answer),
            Err(error) => return Err(error.into()),
        }
        match data.lock(Duration::ZERO) {
            Ok(lock) => {
                // Only a server creates a store; otherwise an app could be created in a directory
                // that no server uses.
                data.check_served().map_err(AskError::unavailable)?;
                let storage =
                    storage::open_store(&data, &lock, R::IF_MISSING, Arc::new(SystemClock));
                let storage = storage.map_err(AskError::unavailable)?;
                let admin = Admin::of_stopped(&storage, &data).map_err(AskError::unavailable)?;
                let answer = admin.execute(request, User::current()).await;
                return answer.map_err(|error| {
                    let failure = Failure::because_of(&error);
                    AskError::of_request(&error, failure)
                });
            }
            Err(DataDirError::Locked(_)) if Instant::now() < deadline => {
                tokio::time::sleep(POLL).await;
            }
            Err(error) => return Err(AskError::unavailable(error)),
        }
    }
}

/// Sends a request to the running server; `None` if no server is running.
async fn ask_running<R: Request>(
    data: &DataDir,
    request: &R,
) -> Result<Option<R::Answer>, Failure> {
    match client::ask(&data.admin_socket(), request).await {
        Ok(answer) => Ok(Some(answer)),
        Err(ClientError::NotRunning) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Explains the effect of a text, if a server is running.
pub(crate) async fn explain(path: &Path, text: &ExplainText) -> Option<TextEffect> {
    let data = DataDir::existing(path).ok()?;
    client::ask(&data.admin_socket(), text).await.ok()
}

/// Makes the running server reload the settings of SMS providers. Returns whether a server is
/// running.
pub(crate) async fn reread_providers(data: &DataDir) -> Result<bool, Failure> {
    Ok(ask_running(data, &RereadProviders {}).await?.is_some())
}

/// Makes the running server reload its place databases. Returns whether a server is running.
pub(crate) async fn reread_places(data: &DataDir) -> Result<bool, Failure> {
    Ok(ask_running(data, &RereadPlaces {}).await?.is_some())
}

/// Returns whether the running server has a place database, or, if no server is running, whether one was fetched for
/// it.
pub(crate) async fn knows_places(data: &DataDir) -> bool {
    match client::ask(&data.admin_socket(), &ShowServer {}).await {
        Ok(server) => server.knows_places,
        Err(_) => Fetched::directory(data.files()).is_ok_and(|directory| directory.is_some()),
    }
}

/// Returns the running server's public URL; `None` if no server is running.
pub(crate) async fn public_url(data: &DataDir) -> Result<Option<String>, Failure> {
    let server = ask_running(data, &ShowServer {}).await?;
    Ok(server.map(|server| server.url))
}

/// Returns the running server's URL on this machine, from the server itself or from `demo.json`.
pub(crate) async fn server_url(path: &Path) -> Result<String, Failure> {
    let data = DataDir::existing(path)?;
    if let Some(server) = ask_running(&data, &ShowServer {}).await? {
        return Ok(server.nearby_url);
    }
    match DemoFile::read(&data) {
        Ok(Some(file)) => Ok(file.url),
        Ok(None) => Err(not_running(&data)),
        Err(error) => Err(error.into()),
    }
}

fn not_running(data: &DataDir) -> Failure {
    let data = data.path().display();
    Failure::new(format!(
        "no server is running on {data}: start `countersign serve --data {data}` in another terminal"
    ))
}
