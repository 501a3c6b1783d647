//! The startup of every function: its environment, its connections and its handler.

mod connections;
mod logs;
#[cfg(test)]
mod tests;
mod unused;
mod wiring;

use std::env;
use std::fmt::{Debug, Display};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use countersign_api::Causes;
use countersign_domain::primitives::unavailable::Unavailable;
use lambda_runtime::{Diagnostic, LambdaEvent};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Builder;
use tokio::time::timeout;
use tower::Service;

pub use wiring::{Bootstrap, DispatcherPorts};

use self::connections::Connections;
use crate::config::settings::{Common, Lambda};
use crate::config::{self, ConfigError, OURS};
use crate::handlers;
use crate::key_uses::KeyUseRecorder;
use crate::metrics::EmbeddedMetrics;
use crate::services::Services;

/// Time limit for startup. Lambda kills a function whose startup takes ten seconds, without saying
/// why.
const START_TIMEOUT: Duration = Duration::from_secs(8);

/// Runs a function: reads its settings, wires it up, and answers events until Lambda ends it.
pub fn run<S, F, E, A>(wire: impl AsyncFnOnce(Bootstrap, S) -> Result<F, Unavailable>) -> ExitCode
where
    S: DeserializeOwned,
    F: Service<LambdaEvent<E>, Response = A, Error: Into<Diagnostic> + Debug>,
    E: DeserializeOwned,
    A: Serialize,
{
    logs::start(env::var("AWS_LAMBDA_LOG_LEVEL").ok().as_deref());
    // One thread: a function answers one event at a time, and more threads would slow down the
    // startup.
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error),
    };
    let variable = |name: &str| env::var(name).ok();
    let lambda = config::read::<Lambda>("", &variable);
    let common = config::read::<Common>(OURS, &variable);
    let settings = config::read::<S>(OURS, &variable);
    let read = ConfigError::both(ConfigError::both(lambda, common), settings);
    let ((lambda, common), settings) = match read {
        Ok(read) => read,
        Err(error) => return failed(&error),
    };
    let (deployment, function) = (&common.deployment, &lambda.aws_lambda_function_name);
    let metrics = Arc::new(EmbeddedMetrics::new(
        deployment.to_string(),
        function.to_string(),
    ));
    let bootstrap = Bootstrap {
        times: common.times(),
        due_shards: common.due_shards.unwrap_or_default(),
        services: Services::new(lambda),
        metrics: Arc::clone(&metrics),
        connections: Connections::default(),
        key_uses: KeyUseRecorder::default(),
    };
    let key_uses = bootstrap.key_uses.clone();
    runtime.block_on(async {
        let function = match begin(bootstrap, settings, wire).await {
            Ok(function) => function,
            Err(error) => return failed(&Causes(&error)),
        };
        match handlers::serve(function, metrics, key_uses).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&error),
        }
    })
}

/// Wires up a function and waits for its connections, for at most [`START_TIMEOUT`].
async fn begin<S, F>(
    bootstrap: Bootstrap,
    settings: S,
    wire: impl AsyncFnOnce(Bootstrap, S) -> Result<F, Unavailable>,
) -> Result<F, Unavailable> {
    let connections = bootstrap.connections.clone();
    let starting = async {
        let function = wire(bootstrap, settings).await?;
        connections.made().await?;
        Ok(function)
    };
    timeout(START_TIMEOUT, starting)
        .await
        .map_err(|elapsed| Unavailable::new("start", elapsed))?
}

fn failed(cause: &dyn Display) -> ExitCode {
    tracing::error!(%cause, "cannot start");
    ExitCode::FAILURE
}
