//! The measured server: a separate process with its own data.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::client::Client;
use crate::figures::mebibytes;

/// A server that runs until it is stopped or dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) authority: String,
    pub(crate) api_key: String,
    pub(crate) app_key: String,
    pub(crate) inbound_secret: String,
    pub(crate) send_to: String,
    /// Time from the start of the process until it answers that it is healthy.
    pub(crate) start: Duration,
}

/// Rate limits of the server: on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limits {
    /// As in production.
    Enforced,
    /// For measurements with few apps and one address.
    Lifted,
}

/// Resident memory of a process, in MiB (Linux; zero elsewhere).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) now: f64,
    pub(crate) peak: f64,
}

impl Server {
    /// Starts the server on a free port.
    pub(crate) async fn start(binary: &Path, data: &Path, limits: Limits) -> Self {
        let began = Instant::now();
        let mut command = Command::new(binary);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--validity", "1h"])
            .arg("--data")
            .arg(data)
            .env("RUST_LOG", "warn")
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        if limits == Limits::Lifted {
            command.arg("--no-rate-limits");
        }
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        lines.next_line().await.unwrap().expect("the server starts");
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let facts = std::fs::read(data.join("demo.json")).unwrap();
        let facts: Value = serde_json::from_slice(&facts).unwrap();
        let field = |name: &str| facts[name].as_str().unwrap().to_owned();
        let authority = field("url").strip_prefix("http://").unwrap().to_owned();
        let mut client = Client::connect(&authority).await;
        assert_eq!(client.get("/healthz", &[]).await.status, 200);
        Self {
            child,
            authority,
            api_key: field("apiKey"),
            app_key: field("appKey"),
            inbound_secret: field("inboundSecret"),
            send_to: field("sendTo"),
            start: began.elapsed(),
        }
    }

    /// Asks the server to stop and waits until it has.
    pub(crate) async fn stop(mut self) {
        self.signal(Signal::TERM);
        assert!(self.child.wait().await.unwrap().success());
    }

    /// Kills the server without warning, as a crash would.
    pub(crate) async fn kill(mut self) {
        self.signal(Signal::KILL);
        self.child.wait().await.unwrap();
    }

    fn signal(&self, signal: Signal) {
        let id = self.child.id().expect("the server runs");
        let pid = Pid::from_raw(i32::try_from(id).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Returns the processor time that the server has used (Linux; zero elsewhere), to the hundredth of a second.
    pub(crate) fn processor_time(&self) -> Duration {
        let pid = self.child.id().unwrap_or_default();
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The name before the parenthesis may contain anything.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let ticks = fields.split_whitespace().skip(11).take(2);
        let ticks = ticks
            .filter_map(|field| field.parse::<u64>().ok())
            .sum::<u64>();
        Duration::from_millis(ticks * 10)
    }

    pub(crate) fn memory(&self) -> Memory {
        let pid = self.child.id().unwrap_or_default();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
            mebibytes(kibibytes.unwrap_or(0_u64) * 1024)
        };
        Memory {
            now: field("VmRSS:"),
            peak: field("VmHWM:"),
        }
    }
}
