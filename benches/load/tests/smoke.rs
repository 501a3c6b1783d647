//! Every measurement works with a build in any profile. The figures of these runs mean nothing.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Command, Output};

use countersign_conformance::skip::skip;

/// Runs each measurement for an instant, with the server that was built next to the load program. Returns the output,
/// or `None` if the server is not built.
fn measure(test: &str, options: &[&str]) -> Option<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_countersign-load"));
    let server = program.with_file_name("countersign");
    if !server.is_file() {
        skip(test, "the command: cargo build -p countersign");
        return None;
    }
    let output = Command::new(program)
        .arg(server)
        .arg("--smoke")
        .args(options)
        .output();
    let Output {
        status,
        stdout,
        stderr,
    } = output.expect("the program starts");
    let stdout = String::from_utf8(stdout).expect("the output is text");
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{status}: {stdout}\n{stderr}");
    Some(stdout)
}

/// Checks that the output has a line that contains each text.
fn has_lines(output: &str, texts: &[&str]) {
    for text in texts {
        let found = output.lines().any(|line| line.contains(text));
        assert!(found, "no line has {text:?}: {output}");
    }
}

#[test]
fn everything_is_measured() {
    let Some(output) = measure("everything_is_measured", &["--callers", "4"]) else {
        return;
    };
    has_lines(
        &output,
        &[
            "a code among blanks, 5000 prefixes: ",
            "an origin: ",
            "confirmation to browser, 100 logins a second:",
            "until the payload: p50 ",
            "  0 connections list (",
            "  16 connections list (",
            "  100 connections list (",
            "strangers open /authorize 50 times over 50 connections:",
            " ms a page",
            "  a login, all six: p50 ",
            "a flush: p50 ",
            "500 texts a second, until the webhook: p50 ",
            "| acquisitions a second, 4 callers |",
            "| 50 sessions |",
            "| start after a kill |",
            "  from the command to the first list: ",
        ],
    );
}

#[test]
fn console_is_measured_without_the_rest() {
    let test = "console_is_measured_without_the_rest";
    let Some(output) = measure(test, &["--only-console"]) else {
        return;
    };
    has_lines(
        &output,
        &[
            "the console over 50 confirmations:",
            "  second page: p50 ",
            "  digits, through all 50: 1 pages in ",
        ],
    );
    assert!(!output.contains("texts a second"), "{output}");
}

#[test]
fn lists_are_measured_without_the_rest() {
    let test = "lists_are_measured_without_the_rest";
    let Some(output) = measure(test, &["--only-lists"]) else {
        return;
    };
    has_lines(&output, &["  100 connections list ("]);
    assert!(!output.contains("texts a second"), "{output}");
}

#[test]
fn openid_provider_is_measured_without_the_rest() {
    let test = "openid_provider_is_measured_without_the_rest";
    let Some(output) = measure(test, &["--only-openid"]) else {
        return;
    };
    has_lines(
        &output,
        &[
            "logins with the OpenID provider, 50 a second:",
            "logins beside strangers on 64 connections, 10 a second:",
            "  the plain flow, three requests: p50 ",
        ],
    );
    assert!(!output.contains("texts a second"), "{output}");
}
