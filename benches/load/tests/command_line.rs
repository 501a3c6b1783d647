//! The load program prints its help and refuses wrong options without measuring anything.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::process::{Command, Output};

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_countersign-load"))
        .args(args)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the output is text")
}

#[test]
fn help_is_printed() {
    let output = run(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("Usage: countersign-load"));
    assert!(text(&output.stderr).is_empty(), "{output:?}");
}

#[test]
fn unknown_option_is_refused() {
    let output = run(&["--unknown"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("unexpected argument '--unknown'"));
}

#[test]
fn missing_binary_is_refused() {
    let output = run(&["no/such/server"]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("'no/such/server'"), "{message}");
    assert!(message.contains("make bench"), "{message}");
}

#[test]
fn value_out_of_range_is_refused() {
    let output = run(&["--seconds", "0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("0 is not in 1..=600"));
}
