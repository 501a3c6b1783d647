//! DynamoDB Local: Amazon's own, for development.

use std::process::{Command, Stdio};

use crate::emulator::{Emulator, free_port};
use crate::{Missing, named_by};

const FOLDER: &str = "COUNTERSIGN_DYNAMODB_LOCAL";

/// Starts one.
///
/// # Errors
/// Fails, saying what is missing, where the emulator is not installed.
///
/// # Panics
/// Where it does not come up.
pub fn start() -> Result<Emulator, Missing> {
    let jars = named_by(FOLDER)?;
    if !jars.is_dir() {
        let path = jars.display();
        return Err(Missing(format!("{FOLDER} names no folder: {path}")));
    }
    let java = Command::new("java")
        .arg("-version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !java.is_ok_and(|status| status.success()) {
        return Err(Missing("java not found".to_owned()));
    }
    let port = free_port();
    let mut native = std::ffi::OsString::from("-Dsqlite4java.library.path=");
    native.push(&jars);
    let mut command = Command::new("java");
    command
        .arg(native)
        // It comes up sooner, and lives too short for the better compiler to pay.
        .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"])
        .arg(jars.join("*"))
        .arg("software.amazon.dynamodb.services.local.main.ServerRunner")
        .args(["-inMemory", "-sharedDb", "-disableTelemetry", "-port"])
        .arg(port.to_string());
    let endpoint = format!("http://127.0.0.1:{port}");
    Ok(Emulator::start(
        "dynamodb-local",
        &command,
        endpoint,
        port,
        "/",
    ))
}
