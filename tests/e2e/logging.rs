//! Tests that requests are answered even if nothing reads the log or the startup message.

use std::fs;
use std::io::{BufRead, BufReader, PipeReader};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use serde_json::Value;
use tokio::sync::oneshot;

use crate::support::{Http, Server, count_of, data_dir, unless_hung, until};

/// Number of requests between two checks of the counters.
const SOME: usize = 500;

async fn is_healthy(server: &Server) {
    let health = unless_hung("a request", server.anyone().get("/healthz")).await;
    assert_eq!(health.status, 200);
}

/// Ends the server with SIGTERM.
async fn terminate(server: Server) -> ExitStatus {
    let (ended, end) = oneshot::channel();
    // Runs on a separate thread, because the runtime waits for its own threads when it shuts down.
    std::thread::spawn(move || ended.send(server.terminate()));
    unless_hung("the server to stop", end).await.unwrap()
}

/// Starts a server that writes its log into a full pipe.
async fn with_a_stalled_log(data: &Path) -> (Server, PipeReader) {
    let (reader, writer) = std::io::pipe().unwrap();
    let server = Server::start_logging_to(data, writer.into());
    until("lines to be lost", async || {
        for _ in 0..SOME {
            is_healthy(&server).await;
        }
        (count_of(data, "log_line_lost") > 0).then_some(())
    })
    .await;
    (server, reader)
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_answered_without_a_log_reader() {
    let data = data_dir();
    let (reader, writer) = std::io::pipe().unwrap();
    let server = Server::start_logging_to(data.path(), writer.into());
    drop(reader);
    until("lines to be lost", async || {
        is_healthy(&server).await;
        (count_of(data.path(), "log_line_lost") > 0).then_some(())
    })
    .await;
    is_healthy(&server).await;
    assert!(terminate(server).await.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_and_shutdown_do_not_wait_for_a_log_reader() {
    let data = data_dir();
    let (server, reader) = with_a_stalled_log(data.path()).await;
    is_healthy(&server).await;
    assert!(terminate(server).await.success());
    drop(reader);
}

#[tokio::test(flavor = "multi_thread")]
async fn log_reports_dropped_lines_once_it_is_read_again() {
    let data = data_dir();
    let (server, reader) = with_a_stalled_log(data.path()).await;
    let (found, line) = oneshot::channel();
    std::thread::spawn(move || {
        let mut lines = BufReader::new(reader).lines().map(Result::unwrap);
        let line = lines.find(|line| line.contains("log lines were dropped"));
        let _ = found.send(line.unwrap());
        lines.for_each(drop);
    });
    let line = unless_hung("the line about dropped lines", line)
        .await
        .unwrap();
    let (_, lost) = line.rsplit_once("lines=").unwrap();
    let lost: u64 = lost.parse().unwrap();
    assert!(lost >= 1, "{line}");
    // The server counts a log line shortly after dropping it.
    until("the reported lines to be counted", async || {
        (lost <= count_of(data.path(), "log_line_lost")).then_some(())
    })
    .await;
    is_healthy(&server).await;
    assert!(terminate(server).await.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_greeting_does_not_stop_the_server() {
    let data = data_dir();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut server = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data.path())
        .stdout(Stdio::from(writer))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let url = until("the server to listen", async || {
        let facts = fs::read(data.path().join("demo.json")).ok()?;
        let facts: Value = serde_json::from_slice(&facts).ok()?;
        Some(facts["url"].as_str()?.to_owned())
    })
    .await;
    let health = unless_hung("a request", Http::new(&url).get("/healthz")).await;
    assert_eq!(health.status, 200);
    assert!(server.try_wait().unwrap().is_none());
    server.kill().unwrap();
    server.wait().unwrap();
}
