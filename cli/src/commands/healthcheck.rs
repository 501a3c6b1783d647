//! `countersign healthcheck`, for container images that have no other HTTP client.

use std::process::ExitCode;

use reqwest::StatusCode;

use super::web;
use crate::args::HealthcheckArgs;
use crate::failure::Failure;

/// Requests `/healthz`, and fails unless the server answers 200.
pub(super) async fn run(args: &HealthcheckArgs) -> Result<ExitCode, Failure> {
    let server = args.url.to_string();
    let request = web::client()?.get(format!("{server}/healthz"));
    let (status, body) = web::send(&server, request).await?;
    if status == StatusCode::OK {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(Failure::new(format!(
            "{server} is not healthy: it answered {status}: {}",
            web::refusal(&server, status, &body)
        )))
    }
}
