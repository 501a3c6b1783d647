//! Pokes over API Gateway's WebSocket API, and the end of its connections.
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
use countersign_domain::login::WatcherId;
use countersign_domain::login::push::{PokeOutcome, Push};
use countersign_domain::primitives::unavailable::Unavailable;

use crate::configuration::Endpoint;
use crate::told::failed;

/// How long one attempt may take.
const ATTEMPT: Duration = Duration::from_secs(1);

/// How long a call may take, both attempts included. Whoever confirms a login waits for it, and the
/// browser asks by itself a little later.
const OPERATION: Duration = Duration::from_secs(2);

/// How often a call is attempted.
const ATTEMPTS: u32 = 2;

/// The name of no connection: what is sent to it goes nowhere.
const NOBODY: &str = "bm9ib2R5";

/// Pokes browsers that watch over the WebSocket API.
#[derive(Clone, Debug)]
pub struct SocketPush {
    client: Client,
}

impl SocketPush {
    /// Pokes the connections of the stage that is managed at that endpoint. `sdk` is what every
    /// client of ours has; the bounds in time are tighter here.
    #[must_use]
    pub fn new(sdk: &SdkConfig, endpoint: &Endpoint) -> Self {
        let timeouts = sdk
            .timeout_config()
            .map_or_else(TimeoutConfig::builder, TimeoutConfig::to_builder)
            .operation_attempt_timeout(ATTEMPT)
            .operation_timeout(OPERATION);
        let retries = sdk.retry_config().cloned();
        let retries = retries.unwrap_or_else(RetryConfig::standard);
        let config = Builder::from(sdk)
            .endpoint_url(endpoint.as_str().trim_end_matches('/'))
            .timeout_config(timeouts.build())
            .retry_config(retries.with_max_attempts(ATTEMPTS));
        Self {
            client: Client::from_conf(config.build()),
        }
    }

    /// Connects to the API, before anybody waits for it.
    pub async fn connect(&self) -> Result<(), Unavailable> {
        match self.send(NOBODY).await {
            // Nobody is there, and the API says so: it answers.
            Ok(()) | Err(SdkError::ServiceError(_)) => Ok(()),
            Err(error) => Err(failed("push: connect", &error)),
        }
    }

    /// Ends a connection. One that is gone is no failure.
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
    async fn poke(&self, watcher: &WatcherId) -> Result<PokeOutcome, Unavailable> {
        match self.send(watcher.as_str()).await {
            Ok(()) => Ok(PokeOutcome::Sent),
            Err(error) if is_gone(&error) => Ok(PokeOutcome::Gone),
            Err(error) => Err(failed("push: poke", &error)),
        }
    }
}

/// Whether the connection is no more: status 410, `GoneException`.
fn is_gone<E>(error: &SdkError<E>) -> bool {
    error
        .raw_response()
        .is_some_and(|answer| answer.status().as_u16() == 410)
}
