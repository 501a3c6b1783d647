//! The system calls of a warm call, counted by strace.

use std::ffi::OsString;
use std::fs;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use tempfile::TempDir;

use crate::events;
use crate::function::Function;
use crate::pace::Pace;
use crate::runtime_api::invocation;
use crate::services::Services;

/// Number of calls before the first that counts. The first fills caches and makes connections.
const WARM_UP: usize = 2;
/// Number of calls that count.
const COUNTED: usize = 10;
/// Number of runs after which one counts even though the machine disturbed it.
const RUNS: usize = 5;

/// The call that moves the end of the heap, which does not count. The heap begins at a random place, so whether
/// a call comes past its end is chance.
const HEAP: &str = "brk";

/// Returns what is missing to count system calls, if anything.
#[must_use]
pub fn missing() -> Option<String> {
    let run = Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .stdin(Stdio::null())
        .output();
    match run {
        Err(_) => Some("strace".to_owned()),
        Ok(run) if !run.status.success() => Some(format!(
            "permission to trace processes ({})",
            String::from_utf8_lossy(&run.stderr).trim()
        )),
        Ok(_) => None,
    }
}

/// Counts the system calls of a warm call, in tenths, given the words of the command that runs the function.
///
/// # Panics
/// If the function does not do its work, or strace cannot run.
#[must_use]
pub fn count(function: &str, program: &[OsString]) -> usize {
    let mut run = 1;
    loop {
        let log = record(function, program);
        let lines = between(&log, &invocation(WARM_UP), &invocation(WARM_UP + COUNTED));
        if run == RUNS || !has_waited_in_vain(&lines) {
            return tally(&lines) * 10 / COUNTED;
        }
        run += 1;
    }
}

/// Returns the log of a function's system calls, of its start and of some calls.
///
/// # Panics
/// If the function does not do its work, or strace cannot run.
#[must_use]
pub fn record(function: &str, program: &[OsString]) -> String {
    let pace = Pace::default();
    let services = Services::start(&pace).expect("loopback can be used");
    let folder = TempDir::new().expect("there is room for the log");
    let log = folder.path().join("calls");
    let mut command = Command::new("strace");
    command
        // The id of an invocation is at most this far into what is read.
        .args(["-f", "-qq", "-s", "128", "-e", "trace=all", "-o"])
        .arg(&log)
        .args(program);
    let mut running = Function::start(command, &services, &pace);
    let process = traced(&fs::read_to_string(&log).expect("strace writes its log"));
    pace.follow(process);
    for _ in 0..=(WARM_UP + COUNTED) {
        let answer = running.invoke(events::event(function)).answer;
        assert!(answer.is_ok, "{function}: {}", answer.body);
        let refusal = events::refusal(function, &answer.body);
        assert_eq!(refusal, None);
    }
    let output = running.end(process, Signal::KILL);
    let is_calm = !["\"WARN\"", "\"ERROR\""]
        .iter()
        .any(|level| output.contains(level));
    assert!(
        is_calm,
        "{function} met trouble, or the machine is too busy to count: {output}"
    );
    fs::read_to_string(&log).expect("strace wrote its log")
}

/// Returns the process of the first line.
fn traced(log: &str) -> u32 {
    let process = log.split_ascii_whitespace().next();
    process
        .and_then(|process| process.parse().ok())
        .expect("each line begins with a process")
}

/// Returns the lines after the one with one text, up to and with the one with the other.
fn between<'a>(log: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let lines = log.lines().skip_while(|line| !line.contains(from)).skip(1);
    for line in lines {
        found.push(line);
        if line.contains(to) {
            return found;
        }
    }
    panic!("the log does not have {to}");
}

/// Returns whether a wait ended because a timer did. The calls here take milliseconds and the function's
/// time limits a second or more, so the machine stalled, and the function sets its timer once more.
fn has_waited_in_vain(lines: &[&str]) -> bool {
    lines.iter().any(|line| {
        let Some((call, "0")) = line.split_once(") = ") else {
            return false;
        };
        // A wait of zero only looks.
        call.contains("epoll_wait") && !call.ends_with(", 0")
    })
}

/// Counts the calls that begin in these lines. A call that another thread interrupts has two lines, of which
/// the first counts.
fn tally(lines: &[&str]) -> usize {
    let names = lines.iter().filter_map(|line| name(line));
    names.filter(|&name| name != HEAP).count()
}

fn name(line: &str) -> Option<&str> {
    let (_, call) = line.split_once(' ')?;
    let (name, _) = call.trim_start().split_once('(')?;
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_name && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
7 recvfrom(9, \"HTTP/1.1 200 X\\r\\nid: one\"..., 8192) = 20
7 write(3, \"a(b)\", 4) = 4
7 brk(0x5581c000) = 0x5581c000
8 epoll_wait(5,  <unfinished ...>
7 read(4, \"x\", 1) = 1
8 <... epoll_wait resumed>[], 1024, 5) = 0
7 --- SIGCHLD {si_signo=SIGCHLD} ---
7 recvfrom(9, \"HTTP/1.1 200 X\\r\\nid: two\"..., 8192) = 20
7 write(3, \"c\", 1) = 1
";

    #[test]
    fn each_call_after_the_first_event_counts_once() {
        let lines = between(LOG, "id: one", "id: two");
        let counted: Vec<_> = lines.iter().filter_map(|line| name(line)).collect();
        assert_eq!(counted, ["write", "brk", "epoll_wait", "read", "recvfrom"]);
        assert_eq!(tally(&lines), 4);
    }

    #[test]
    fn run_in_which_a_timer_ended_is_noticed() {
        for (line, is_in_vain) in [
            ("8 epoll_wait(5, [], 1024, 1499) = 0", true),
            ("8 <... epoll_wait resumed>[], 1024, 5) = 0", true),
            ("8 epoll_wait(5, [], 1024, 0) = 0", false),
            ("8 epoll_wait(5, [{events=EPOLLIN}], 1024, 1499) = 1", false),
            ("8 close(5) = 0", false),
        ] {
            assert_eq!(has_waited_in_vain(&[line]), is_in_vain, "{line}");
        }
    }

    #[test]
    #[should_panic(expected = "the log does not have")]
    fn log_without_the_last_event_is_refused() {
        between(LOG, "id: one", "id: three");
    }
}
