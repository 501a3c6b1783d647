//! DynamoDB Local, Amazon's own emulator for development.

use std::process::{Command, Stdio};

use crate::emulator::Emulator;
use crate::{Missing, named_by};

const FOLDER: &str = "COUNTERSIGN_DYNAMODB_LOCAL";

/// Starts DynamoDB Local.
///
/// # Errors
/// If the emulator is not installed, returns what is missing.
///
/// # Panics
/// Panics if the emulator does not start.
pub fn start() -> Result<Emulator, Missing> {
    let jars = named_by(FOLDER)?;
    if !jars.is_dir() {
        let path = jars.display();
        return Err(Missing(format!("{FOLDER} is not a folder: {path}")));
    }
    let java = Command::new("java")
        .arg("-version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !java.is_ok_and(|status| status.success()) {
        return Err(Missing("java not found".to_owned()));
    }
    let mut native = std::ffi::OsString::from("-Dsqlite4java.library.path=");
    native.push(&jars);
    let command = |port: u16| {
        let mut command = Command::new("java");
        command
            .arg(&native)
            // Speeds up the start; the process is too short-lived for the optimizing compiler to
            // pay off.
            .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"])
            .arg(jars.join("*"))
            .arg("software.amazon.dynamodb.services.local.main.ServerRunner")
            .args(["-inMemory", "-sharedDb", "-disableTelemetry", "-port"])
            .arg(port.to_string());
        command
    };
    Ok(Emulator::start("dynamodb-local", "/", command))
}
