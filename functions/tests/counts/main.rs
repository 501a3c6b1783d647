//! What a warm call of each function costs, in system calls and instructions, is what `limits.json` says.
//!
//! Times differ between machines and runs, these counts hardly do, so only these can be a gate
//! ([ADR 84](../../../docs/adr/0084-counts-are-the-gate.md)). `UPDATE_LIMITS=1` records new ones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ffi::OsString;

use countersign_conformance::skip::skip;
use countersign_functions_bench::counts::{Counts, Limits};
use countersign_functions_bench::{callgrind, strace};

macro_rules! program {
    ($name:literal) => {
        ($name, env!(concat!("CARGO_BIN_EXE_", $name)))
    };
}

/// Functions by name, each with its program.
const PROGRAMS: [(&str, &str); 10] = [
    program!("acquire"),
    program!("association-keys"),
    program!("browser-socket"),
    program!("confirm"),
    program!("confirmations"),
    program!("dispatcher"),
    program!("inbound-sms"),
    program!("inbound-sns"),
    program!("qr-session"),
    program!("well-known"),
];

const LIMITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/counts/limits.json");

fn updates() -> bool {
    std::env::var_os("UPDATE_LIMITS").is_some()
}

/// Returns whether the counts of this machine are comparable, and reports what is missing if not.
fn can_count(test: &str, missing: Option<String>) -> bool {
    let foreign = !cfg!(all(
        target_os = "linux",
        target_arch = "x86_64",
        target_env = "gnu"
    ));
    let other =
        foreign.then(|| "x86_64 Linux with glibc, for which counts are recorded".to_owned());
    let missing = other.or(missing);
    if let Some(missing) = &missing {
        skip(test, missing);
    }
    missing.is_none()
}

/// Compares what each function costs with its limits, or records it.
fn hold(count: impl Fn(&str, &[OsString]) -> Counts) {
    let text = std::fs::read_to_string(LIMITS).unwrap_or_else(|_| "{}".to_owned());
    let mut limits = Limits::read(&text).unwrap();
    let mut excesses = Vec::new();
    for (function, program) in PROGRAMS {
        let counts = count(function, &[OsString::from(program)]);
        if updates() {
            limits.record(function, counts);
        } else {
            excesses.extend(limits.compare(function, &counts));
        }
    }
    if updates() {
        std::fs::write(LIMITS, limits.write()).unwrap();
    }
    let lines: Vec<_> = excesses.iter().map(ToString::to_string).collect();
    assert!(
        lines.is_empty(),
        "if this is as it should be, set UPDATE_LIMITS=1 and commit limits.json:\n{}",
        lines.join("\n")
    );
}

// One test for both: they write one file, and each needs a core for the function and one for the services.
#[test]
fn warm_calls_cost_what_is_recorded() {
    let (calls, instructions) = (
        can_count("system calls of functions", strace::missing()),
        can_count("instructions of functions", callgrind::missing()),
    );
    hold(|function, program| Counts {
        system_calls: calls.then(|| strace::count(function, program)),
        instructions: instructions.then(|| callgrind::count(function, program)),
    });
}
