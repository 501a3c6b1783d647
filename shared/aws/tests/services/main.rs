//! Adapters for KMS, SQS, the WebSocket API and the secret services, tested against an emulator.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod keys;
mod queues;
mod secrets;
mod sockets;

use std::sync::OnceLock;
use std::time::Duration;

use aws_smithy_types::timeout::TimeoutConfig;
use countersign_aws::config;
use countersign_aws::config::settings::Lambda;
use countersign_aws::services::Services;
use countersign_emulators::{Emulator, Missing, ministack, skip};

/// Returns clients for an account that no other test uses. Without ministack, reports `test` as
/// skipped.
async fn services(test: &str, account: &str) -> Option<Services> {
    Some(at(emulator(test).await?, account))
}

/// Returns the endpoint of ministack.
async fn emulator(test: &str) -> Option<&'static str> {
    static STARTED: OnceLock<Result<Emulator, Missing>> = OnceLock::new();
    let waiting = tokio::task::spawn_blocking(|| STARTED.get_or_init(|| ministack::start(&[])));
    match waiting.await.unwrap() {
        Ok(emulator) => Some(emulator.endpoint()),
        Err(missing) => {
            skip(test, missing);
            None
        }
    }
}

/// Returns a function's clients for this endpoint and account, but without time limits: an emulator
/// under load may be slow.
fn at(endpoint: &str, account: &str) -> Services {
    let variable = |name: &str| {
        let value = match name {
            "AWS_REGION" => "eu-central-1",
            "AWS_ACCESS_KEY_ID" => account,
            "AWS_SECRET_ACCESS_KEY" => "secret",
            "AWS_ENDPOINT_URL" => endpoint,
            "AWS_LAMBDA_FUNCTION_NAME" => "test",
            _ => return None,
        };
        Some(value.to_owned())
    };
    let services = Services::new(config::read::<Lambda>("", &variable).unwrap());
    // Without a connection timeout, the transport would use its own.
    let patient = TimeoutConfig::builder().connect_timeout(Duration::from_mins(1));
    let sdk = services.sdk().to_builder();
    Services::with(sdk.timeout_config(patient.build()).build())
}
