//! Makes the wall clock jump, with a library that is preloaded before the C library, and checks that no
//! pending webhook is lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{ClosedReceiver, Server, countersign, data_dir, deliver_text};

/// A C library that adds the seconds in a file to the wall clock. The time since boot is not changed.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int answer = real(id, at);
    const char *path = getenv("CLOCK_OFFSET");
    FILE *file = id == CLOCK_REALTIME && path ? fopen(path, "r") : NULL;
    long offset = 0;
    if (file) {
        if (fscanf(file, "%ld", &offset) == 1) at->tv_sec += offset;
        fclose(file);
    }
    return answer;
}
"#;

const TWENTY_DAYS: u64 = 20 * 24 * 3600;

/// Timeout for the upkeep that runs once a minute, with some margin.
const UPKEEP: Duration = Duration::from_mins(3);

fn shim(directory: &Path) -> Option<PathBuf> {
    let (source, library) = (directory.join("clock.c"), directory.join("clock.so"));
    fs::write(&source, SHIM).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library);
    let built = compiler.arg(&source).arg("-ldl").status();
    built
        .is_ok_and(|status| status.success())
        .then_some(library)
}

fn clock_ahead(data: &Path) -> Option<u64> {
    let metrics = countersign(data, &["metrics", "--json"]);
    let metrics: Value = serde_json::from_slice(&metrics.stdout).ok()?;
    let events = metrics["events"].as_array()?;
    events.iter().find(|event| event["name"] == "clock_ahead")?["count"].as_u64()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn clock_that_jumps_twenty_days_loses_no_webhook() {
    let tools = tempfile::tempdir().unwrap();
    let Some(library) = shim(tools.path()) else {
        crate::support::skip("a clock that jumps", "a C compiler for Linux");
        return;
    };
    let offset = tools.path().join("offset");
    fs::write(&offset, "0").unwrap();
    let data = data_dir();
    let variables = [
        ("LD_PRELOAD", library.as_path()),
        ("CLOCK_OFFSET", offset.as_path()),
    ];
    let server = Server::start_under(data.path(), &variables);
    // The webhook stays pending while this is closed.
    let closed = ClosedReceiver::new();
    let (id, message) = server.acquire(&closed.url).await;
    deliver_text(&server.facts, "text-1", "+12025550100", &message)
        .await
        .unwrap();

    fs::write(&offset, TWENTY_DAYS.to_string()).unwrap();
    let began = Instant::now();
    // Sweep and purge run once a minute and then count the clock jump.
    while clock_ahead(data.path()).is_none_or(|count| count == 0) {
        assert!(began.elapsed() < UPKEEP, "the jump went unnoticed");
        tokio::time::sleep(Duration::from_secs(1)).await; // sleep: each check starts a program
    }
    fs::write(&offset, "0").unwrap();

    let path = format!("/confirmations/{id}");
    let status = server.caller().get(&path).await.ok();
    assert_eq!(status["delivery"]["status"], "pending");
    let attempts = status["delivery"]["attempts"].as_array().unwrap().len();
    assert!(attempts <= 7, "the jump used up retries: {attempts}");
    let receiver = closed.open();
    let redelivered = server
        .caller()
        .call("POST", &format!("{path}/redeliver"), None)
        .await;
    assert!(redelivered.status < 300, "{}", redelivered.status);
    assert_eq!(receiver.next().await.confirmation_id(), id);
}
