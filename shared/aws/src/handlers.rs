//! The event handlers, and the loop that feeds them.

mod browser_socket;
mod dispatcher;
mod http;
mod inbound_sns;
mod origin_check;
mod sweeper;

use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;

use countersign_api::Causes;
use countersign_domain::primitives::time::Clock as _;
use countersign_system::clock::SystemClock;
use lambda_runtime::{Diagnostic, LambdaEvent, Runtime, service_fn};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tower::util::MapFutureLayer;
use tower::{Layer as _, Service};

pub use browser_socket::{BrowserSocket, BrowserSocketError};
pub use dispatcher::Dispatcher;
pub use http::http;
pub use inbound_sns::{InboundSns, InboundSnsError};
pub use origin_check::OriginCheck;
pub use sweeper::Sweeper;

use crate::key_uses::KeyUseRecorder;
use crate::metrics::EmbeddedMetrics;

/// Handles one kind of event.
pub trait Handler: Send + Sync + 'static {
    type Event: DeserializeOwned + Send;
    type Response: Serialize + Send;
    /// The error if there is no answer. Lambda counts it as a function error.
    type Error: Error;

    /// Handles an event. `invocation` is Lambda's id for the event.
    ///
    /// # Errors
    /// Fails if the event must be delivered again, or examined by the operator.
    fn handle(
        &self,
        event: Self::Event,
        invocation: &str,
    ) -> impl Future<Output = Result<Self::Response, Self::Error>> + Send;
}

/// Handles events, and logs why one failed.
pub fn events<H: Handler>(
    handler: H,
) -> impl Service<LambdaEvent<H::Event>, Response = H::Response, Error = Diagnostic, Future: Send> {
    let handler = Arc::new(handler);
    service_fn(move |event: LambdaEvent<H::Event>| {
        let handler = Arc::clone(&handler);
        async move {
            let invocation = event.context.request_id;
            let answer = handler.handle(event.payload, &invocation).await;
            answer.map_err(|error| failed(&invocation, &error))
        }
    })
}

/// Logs why an event failed, and returns the diagnostic for Lambda.
fn failed(invocation: &str, error: &dyn Error) -> Diagnostic {
    tracing::error!(invocation, cause = %Causes(error), "failed");
    Diagnostic {
        error_type: "Failed".to_owned(),
        error_message: error.to_string(),
    }
}

/// Answers events until Lambda ends the process. Writes the metrics of each event before its answer is
/// sent, because Lambda may attribute later lines to the next event. The metrics of an event whose
/// handler panics are written with the next event. Records the last use of API keys after the answer was sent.
///
/// # Errors
/// Fails if Lambda's runtime API cannot be reached.
pub(crate) async fn serve<E, A, S>(
    service: S,
    metrics: Arc<EmbeddedMetrics>,
    key_uses: KeyUseRecorder,
) -> Result<(), lambda_runtime::Error>
where
    E: DeserializeOwned,
    A: Serialize,
    S: Service<LambdaEvent<E>, Response = A, Error: Into<Diagnostic> + Debug>,
{
    let written = MapFutureLayer::new(|answering| {
        let metrics = Arc::clone(&metrics);
        async move {
            let answered = answering.await;
            metrics.write(SystemClock.now());
            answered
        }
    });
    let recorded = MapFutureLayer::new(move |answering| {
        let key_uses = key_uses.clone();
        async move {
            let answered = answering.await;
            key_uses.record().await;
            answered
        }
    });
    let runtime = Runtime::new(written.layer(service));
    // The outermost layer's future goes on after the answer was sent. The box keeps the types of the mains within
    // the compiler's limit of nesting.
    Box::pin(runtime.layer(recorded).run()).await
}
