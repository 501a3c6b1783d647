//! The instructions of a warm call, counted by Valgrind.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use tempfile::TempDir;

use crate::events;
use crate::function::Function;
use crate::pace::Pace;
use crate::services::Services;

/// Number of calls before the first that counts. The first fills caches and makes connections.
const WARM_UP: usize = 2;
/// Number of calls that count.
const COUNTED: u64 = 10;

/// Returns what is missing to count instructions, if anything.
#[must_use]
pub fn missing() -> Option<String> {
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "true"])
        .stdin(Stdio::null())
        .output();
    match run {
        Err(_) => Some("valgrind".to_owned()),
        Ok(run) if !run.status.success() => Some("a valgrind that runs programs".to_owned()),
        Ok(_) => None,
    }
}

/// Counts the instructions of a call of a function, given the words of the command that runs it.
///
/// # Panics
/// If the function does not do its work, or Valgrind cannot run.
#[must_use]
pub fn count(function: &str, program: &[OsString]) -> u64 {
    let pace = Pace::default();
    let services = Services::start(&pace).expect("loopback can be used");
    let folder = TempDir::new().expect("there is room for pipes");
    let pipes = format!("--vgdb-prefix={}", folder.path().join("pipe").display());
    let mut command = Command::new("valgrind");
    command
        .args([
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            "--instr-atstart=no",
        ])
        .arg(&pipes)
        .args(program);
    let mut running = Function::start(command, &services, &pace);
    let process = running.id();
    pace.follow(process);
    let mut invoke = || {
        let answer = running.invoke(events::event(function)).answer;
        assert!(answer.is_ok, "{function}: {}", answer.body);
        assert_eq!(events::refusal(function, &answer.body), None);
    };
    (0..WARM_UP).for_each(|_| invoke());
    // The start does not count, and is faster so: a time limit that passes while it connects would cost
    // another connection.
    let switch = Command::new("vgdb")
        // As for the function: user and host are part of the names of the pipes.
        .env_clear()
        .arg(&pipes)
        .arg(format!("--pid={process}"))
        .args(["instrumentation", "on"])
        .output()
        .expect("vgdb comes with Valgrind");
    assert!(switch.status.success(), "{switch:?}");
    (0..COUNTED).for_each(|_| invoke());
    // Valgrind writes its total when a signal ends the program.
    let output = running.end(process, Signal::TERM);
    let total = total(&output).unwrap_or_else(|| panic!("valgrind wrote no total: {output}"));
    total / COUNTED
}

/// Returns the total of a run.
fn total(output: &str) -> Option<u64> {
    let line = output.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_is_read() {
        let output =
            "{\"level\":\"INFO\"}\n==7== \n==7== Events    : Ir\n==7== Collected : 165131\n";
        assert_eq!(total(output), Some(165_131));
        assert_eq!(total("==7== nothing"), None);
    }
}
