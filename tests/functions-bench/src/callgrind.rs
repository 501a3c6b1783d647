//! The instructions of a warm call, counted by Valgrind.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use rustix::process::Signal;

use crate::events;
use crate::function::Function;
use crate::pace::Pace;
use crate::services::Services;

/// Numbers of calls of the two runs. Their difference is free of the start and of the first calls.
const RUNS: [usize; 2] = [2, 12];

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
    let [few, many] = RUNS.map(|calls| run(function, program, calls));
    let calls = (RUNS[1] - RUNS[0]) as u64;
    many.saturating_sub(few) / calls
}

fn run(function: &str, program: &[OsString], calls: usize) -> u64 {
    let pace = Pace::default();
    let services = Services::start(&pace).expect("loopback can be used");
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(program);
    let mut running = Function::start(command, &services, &pace);
    let process = running.id();
    pace.follow(process);
    for _ in 0..calls {
        let answer = running.invoke(events::event(function)).answer;
        assert!(answer.is_ok, "{function}: {}", answer.body);
        assert_eq!(events::refusal(function, &answer.body), None);
    }
    // Valgrind writes its total when a signal ends the program.
    let output = running.end(process, Signal::TERM);
    total(&output).unwrap_or_else(|| panic!("valgrind wrote no total: {output}"))
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
