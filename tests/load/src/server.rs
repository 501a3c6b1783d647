//! The measured server: a separate process with its own data.

use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::figures::mebibytes;

/// A server that runs until it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) authority: String,
    pub(crate) api_key: String,
    pub(crate) app_key: String,
    pub(crate) inbound_secret: String,
    pub(crate) send_to: String,
    _data: TempDir,
}

impl Server {
    /// Starts the binary on a free port, on the disk that holds the build.
    pub(crate) async fn start(binary: &Path) -> Self {
        let data = tempfile::tempdir_in("target")
            .or_else(|_| tempfile::tempdir())
            .unwrap();
        let mut child = Command::new(binary)
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--no-rate-limits",
                "--validity",
                "1h",
                "--data",
            ])
            .arg(data.path())
            .env("RUST_LOG", "warn")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        lines.next_line().await.unwrap().expect("the server starts");
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let facts = std::fs::read(data.path().join("demo.json")).unwrap();
        let facts: Value = serde_json::from_slice(&facts).unwrap();
        let field = |name: &str| facts[name].as_str().unwrap().to_owned();
        Self {
            child,
            authority: field("url").strip_prefix("http://").unwrap().to_owned(),
            api_key: field("apiKey"),
            app_key: field("appKey"),
            inbound_secret: field("inboundSecret"),
            send_to: field("sendTo"),
            _data: data,
        }
    }

    /// Returns the resident memory in MiB (Linux; zero elsewhere).
    pub(crate) fn resident(&self) -> f64 {
        let pid = self.child.id().unwrap_or_default();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        mebibytes(kibibytes.unwrap_or_default() * 1024)
    }
}
