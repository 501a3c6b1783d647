//! The client side of the admin socket.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use http::{Method, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::net::UnixStream;

use super::request::Request;
use super::socket::Refusal;

/// Timeout for an answer. It exceeds the duration of a test webhook.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum size of an answer, in bytes.
const MAX_ANSWER: usize = 16 << 20;

/// Why the running server did not execute a request.
#[derive(Debug, Error)]
pub(crate) enum ClientError {
    /// No server listens on the socket.
    #[error("no server is running")]
    NotRunning,
    /// The server refused, with this reason.
    #[error("{}", .0.message)]
    Refused(Refusal),
    /// The server could not execute it, for this reason.
    #[error("{0}")]
    Unavailable(String),
    /// The socket exists, but connecting to it failed.
    #[error("the running server's socket cannot be used")]
    Socket(#[source] io::Error),
    #[error("the connection to the running server broke")]
    Broken(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The answer took too long.
    #[error("the running server did not answer within {} s", ANSWER_TIMEOUT.as_secs())]
    TimedOut,
    /// The server is executing too many other requests.
    #[error("the running server is busy with other commands: try again")]
    Busy,
    /// The server panicked.
    #[error("the running server failed; its log says where")]
    Failed,
    /// The server is a different version of this program.
    #[error("the running server is a different version: restart it with this one")]
    OtherVersion,
}

/// Sends a request to the running server and returns its answer.
pub(super) async fn ask<R: Request>(socket: &Path, request: &R) -> Result<R::Answer, ClientError> {
    let body = serde_json::to_vec(request).map_err(|error| ClientError::Broken(Box::new(error)))?;
    let path = format!("/{}", R::NAME);
    let stream = connect(socket).await?;
    let conversation = converse(stream, &path, body.into());
    let conversation = tokio::time::timeout(ANSWER_TIMEOUT, conversation);
    let (status, body) = conversation.await.map_err(|_| ClientError::TimedOut)??;
    if status == StatusCode::OK {
        return serde_json::from_slice(&body).map_err(|_| ClientError::OtherVersion);
    }
    match serde_json::from_slice(&body) {
        Ok(Refusal { message, .. }) if status.is_server_error() => {
            Err(ClientError::Unavailable(message))
        }
        Ok(refusal) => Err(ClientError::Refused(refusal)),
        Err(_) => Err(refused(status)),
    }
}

/// Maps a response status without a reason to an error.
fn refused(status: StatusCode) -> ClientError {
    match status {
        StatusCode::SERVICE_UNAVAILABLE => ClientError::Busy,
        StatusCode::INTERNAL_SERVER_ERROR => ClientError::Failed,
        _ => ClientError::OtherVersion,
    }
}

async fn connect(socket: &Path) -> Result<UnixStream, ClientError> {
    UnixStream::connect(socket)
        .await
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::ConnectionRefused => ClientError::NotRunning,
            _ => ClientError::Socket(error),
        })
}

fn post(path: &str, body: bytes::Bytes) -> Result<http::Request<Full<bytes::Bytes>>, ClientError> {
    http::Request::builder()
        .method(Method::POST)
        .uri(path)
        .header(http::header::HOST, "admin")
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(Full::from(body))
        .map_err(|error| ClientError::Broken(Box::new(error)))
}

async fn converse(
    stream: UnixStream,
    path: &str,
    body: bytes::Bytes,
) -> Result<(StatusCode, bytes::Bytes), ClientError> {
    let broken = |error: hyper::Error| ClientError::Broken(Box::new(error));
    let request = post(path, body)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(broken)?;
    let connection = tokio::spawn(connection);
    let response = sender.send_request(request).await.map_err(broken)?;
    let status = response.status();
    let body = Limited::new(response.into_body(), MAX_ANSWER)
        .collect()
        .await
        .map_err(ClientError::Broken)?
        .to_bytes();
    connection.abort();
    Ok((status, body))
}
