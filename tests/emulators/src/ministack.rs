//! ministack: DynamoDB, SQS, SNS, KMS, Lambda and more in one process.

use std::process::Command;

use crate::emulator::{Emulator, free_port};
use crate::{Missing, named_by};

const EXECUTABLE: &str = "COUNTERSIGN_MINISTACK";

/// Starts one, with these environment variables besides its own (`("AUTH", "true")` has it enforce
/// IAM policies). A 12-digit access key is an account of its own.
///
/// # Errors
/// Fails, saying what is missing, where the emulator is not installed.
///
/// # Panics
/// Where it does not come up.
pub fn start(environment: &[(&str, &str)]) -> Result<Emulator, Missing> {
    let executable = named_by(EXECUTABLE)?;
    if !executable.is_file() {
        let path = executable.display();
        return Err(Missing(format!("{EXECUTABLE} names no file: {path}")));
    }
    let port = free_port();
    let endpoint = format!("http://127.0.0.1:{port}");
    let mut command = Command::new(executable);
    command
        .env("BIND_HOST", "127.0.0.1")
        .env("GATEWAY_PORT", port.to_string())
        // Functions that it runs call back to it.
        .env("AWS_ENDPOINT_URL", &endpoint)
        .env("IOT_MTLS_ENABLED", "0")
        .env("LOG_LEVEL", "WARNING")
        .envs(environment.iter().copied());
    Ok(Emulator::start(
        "ministack",
        &command,
        endpoint,
        port,
        "/_ministack/health",
    ))
}
