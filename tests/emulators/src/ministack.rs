//! ministack: DynamoDB, SQS, SNS, KMS, Lambda and more in one process.

use std::process::Command;

use crate::emulator::Emulator;
use crate::{Missing, named_by};

const EXECUTABLE: &str = "COUNTERSIGN_MINISTACK";

/// Starts ministack with additional environment variables (`("AUTH", "true")` makes it enforce IAM
/// policies). Each 12-digit access key selects a separate account.
///
/// # Errors
/// If the emulator is not installed, returns what is missing.
///
/// # Panics
/// Panics if the emulator does not start.
pub fn start(environment: &[(&str, &str)]) -> Result<Emulator, Missing> {
    let executable = named_by(EXECUTABLE)?;
    if !executable.is_file() {
        let path = executable.display();
        return Err(Missing(format!("{EXECUTABLE} is not a file: {path}")));
    }
    let command = |port: u16| {
        let mut command = Command::new(&executable);
        command
            .env("BIND_HOST", "127.0.0.1")
            .env("GATEWAY_PORT", port.to_string())
            // Lambda functions that the emulator runs call its other services.
            .env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}"))
            .env("IOT_MTLS_ENABLED", "0")
            .env("LOG_LEVEL", "WARNING")
            .envs(environment.iter().copied());
        command
    };
    Ok(Emulator::start("ministack", "/_ministack/health", command))
}
