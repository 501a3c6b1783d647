//! The handlers of events, and the loop that feeds them.

mod browser_socket;
mod dispatcher;
mod http;
mod inbound_sns;

use std::error::Error;

use countersign_api::Causes;
use countersign_domain::primitives::time::Clock as _;
use countersign_system::clock::SystemClock;
use lambda_runtime::{Diagnostic, LambdaEvent, Runtime, service_fn};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use browser_socket::{BrowserSocket, BrowserSocketError};
pub use dispatcher::Dispatcher;
pub use http::{HttpHandler, UnreadableAnswer};
pub use inbound_sns::{InboundSns, InboundSnsError};

use crate::metrics::EmbeddedMetrics;

/// Handles one kind of event.
#[allow(async_fn_in_trait, reason = "functions run on one thread")]
pub trait Handler {
    /// The event.
    type Event: DeserializeOwned;
    /// The answer to it.
    type Answer: Serialize;
    /// The reason for no answer. Lambda counts it as an error of the function.
    type Error: Error;

    /// Handles an event. `invocation` is Lambda's id of it.
    ///
    /// # Errors
    /// Fails if the event must be handed over again, or looked at by a person.
    async fn handle(
        &self,
        event: Self::Event,
        invocation: &str,
    ) -> Result<Self::Answer, Self::Error>;
}

/// A function: gets events from Lambda and answers them.
#[allow(async_fn_in_trait, reason = "functions run on one thread")]
pub trait Function {
    /// Answers events until Lambda ends the process, and writes the metrics after each.
    ///
    /// # Errors
    /// Fails if Lambda's runtime API cannot be reached.
    async fn serve(self, metrics: &EmbeddedMetrics) -> Result<(), lambda_runtime::Error>;
}

impl<H: Handler> Function for H {
    async fn serve(self, metrics: &EmbeddedMetrics) -> Result<(), lambda_runtime::Error> {
        let service = service_fn(async |event: LambdaEvent<H::Event>| {
            let invocation = event.context.request_id;
            let answer = self.handle(event.payload, &invocation).await;
            metrics.flush(SystemClock.now());
            answer.map_err(|error| failed(&invocation, &error))
        });
        Runtime::new(service).run().await
    }
}

/// Logs why an event has no answer, and tells Lambda.
fn failed(invocation: &str, error: &dyn Error) -> Diagnostic {
    let cause = Causes(error);
    tracing::error!(invocation, %cause, "failed");
    Diagnostic {
        error_type: "Failed".to_owned(),
        error_message: error.to_string(),
    }
}
