//! The handlers of events, and the loop that feeds them.

mod browser_socket;
mod dispatcher;
mod http;
mod inbound_sns;

use std::error::Error;
use std::sync::Arc;

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
use crate::output;

/// Handles one kind of event.
pub trait Handler: Send + Sync + 'static {
    /// The event.
    type Event: DeserializeOwned + Send;
    /// The answer to it.
    type Answer: Serialize + Send;
    /// The reason for no answer. Lambda counts it as an error of the function.
    type Error: Error;

    /// Handles an event. `invocation` is Lambda's id of it.
    ///
    /// # Errors
    /// Fails if the event must be handed over again, or looked at by a person.
    fn handle(
        &self,
        event: Self::Event,
        invocation: &str,
    ) -> impl Future<Output = Result<Self::Answer, Self::Error>> + Send;
}

/// Answers events until Lambda ends the process. Writes log lines and metrics after each, at once.
///
/// # Errors
/// Fails if Lambda's runtime API cannot be reached.
pub async fn serve<H: Handler>(
    handler: H,
    metrics: Arc<EmbeddedMetrics>,
) -> Result<(), lambda_runtime::Error> {
    let handler = Arc::new(handler);
    let service = service_fn(move |event: LambdaEvent<H::Event>| {
        let (handler, metrics) = (Arc::clone(&handler), Arc::clone(&metrics));
        async move {
            let invocation = event.context.request_id;
            let answer = handler.handle(event.payload, &invocation).await;
            let answer = answer.map_err(|error| failed(&invocation, &error));
            metrics.write(SystemClock.now());
            output::flush();
            answer
        }
    });
    Runtime::new(service).run().await
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
