//! Notifications to browsers over API Gateway's WebSocket API.
//!
//! Source: "Use @connections commands in your backend service", API Gateway Developer Guide.

#[cfg(test)]
mod tests;

use std::time::Duration;

use async_trait::async_trait;
use aws_sdk_apigatewaymanagement::Client;
use aws_sdk_apigatewaymanagement::config::Builder;
use aws_sdk_apigatewaymanagement::config::retry::RetryConfig;
use aws_sdk_apigatewaymanagement::config::timeout::TimeoutConfig;
use aws_sdk_apigatewaymanagement::error::SdkError;
use aws_sdk_apigatewaymanagement::primitives::Blob;
use aws_types::SdkConfig;
use countersign_api::socket::CHANGED;
use countersign_domain::primitives::push::{NotifyOutcome, Push};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::primitives::watcher::WatcherId;

use crate::config::Endpoint;
use crate::error::failed;

/// Time limit for one attempt.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(1);

/// Time limit for a call, including both attempts. The phone that confirms a login waits for this
/// call, and a browser that misses a notification polls a little later.
const CALL_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum number of attempts per call.
const MAX_ATTEMPTS: u32 = 2;

/// The id of a connection that does not exist.
const NO_CONNECTION: &str = "bm9ib2R5";

/// Notifies browsers that are connected to the WebSocket API.
#[derive(Clone, Debug)]
pub struct SocketPush {
    client: Client,
}

impl SocketPush {
    /// Creates a port for the connections of the stage that this endpoint manages. The timeouts are
    /// shorter than those in `sdk`.
    #[must_use]
    pub fn new(sdk: &SdkConfig, endpoint: &Endpoint) -> Self {
        let timeouts = sdk
            .timeout_config()
            .map_or_else(TimeoutConfig::builder, TimeoutConfig::to_builder)
            .operation_attempt_timeout(ATTEMPT_TIMEOUT)
            .operation_timeout(CALL_TIMEOUT);
        let retries = sdk.retry_config().cloned();
        let retries = retries.unwrap_or_else(RetryConfig::standard);
        let config = Builder::from(sdk)
            .endpoint_url(endpoint.as_str().trim_end_matches('/'))
            .timeout_config(timeouts.build())
            .retry_config(retries.with_max_attempts(MAX_ATTEMPTS));
        Self {
            client: Client::from_conf(config.build()),
        }
    }

    /// Connects to the API by notifying a nonexistent connection.
    ///
    /// # Errors
    /// Fails if the API does not answer.
    pub async fn connect(&self) -> Result<(), Unavailable> {
        match self.send(NO_CONNECTION).await {
            // An error response is an answer.
            Ok(()) | Err(SdkError::ServiceError(_)) => Ok(()),
            Err(error) => Err(failed("push: connect", &error)),
        }
    }

    /// Closes a connection. Succeeds if the connection is already closed.
    ///
    /// # Errors
    /// Fails if the API does not answer, or refuses.
    pub async fn close(&self, watcher: &WatcherId) -> Result<(), Unavailable> {
        let request = self.client.delete_connection();
        match request.connection_id(watcher.as_str()).send().await {
            Ok(_) => Ok(()),
            Err(error) if is_gone(&error) => Ok(()),
            Err(error) => Err(failed("push: close", &error)),
        }
    }

    async fn send(
        &self,
        connection: &str,
    ) -> Result<
        (),
        SdkError<
            aws_sdk_apigatewaymanagement::operation::post_to_connection::PostToConnectionError,
        >,
    > {
        let request = self.client.post_to_connection().connection_id(connection);
        let data = Blob::new(CHANGED.as_bytes());
        request.data(data).send().await.map(|_| ())
    }
}

#[async_trait]
impl Push for SocketPush {
    async fn notify(&self, watcher: &WatcherId) -> Result<NotifyOutcome, Unavailable> {
        match self.send(watcher.as_str()).await {
            Ok(()) => Ok(NotifyOutcome::Sent),
            Err(error) if is_gone(&error) => Ok(NotifyOutcome::Gone),
            Err(error) => Err(failed("push: poke", &error)),
        }
    }
}

/// Returns whether the connection is closed: status 410, `GoneException`.
fn is_gone<E>(error: &SdkError<E>) -> bool {
    error
        .raw_response()
        .is_some_and(|answer| answer.status().as_u16() == 410)
}
