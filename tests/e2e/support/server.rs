//! Runs the built binary as a user would.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Http, until};

/// The content of `DATA/demo.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Facts {
    pub(crate) url: String,
    pub(crate) api_key: String,
    pub(crate) app_key: String,
    pub(crate) inbound_secret: String,
    pub(crate) send_to: String,
}

/// A server that runs until it is dropped.
pub(crate) struct Server {
    child: Child,
    data: PathBuf,
    pub(crate) facts: Facts,
}

/// Creates a folder for one test's data, with a path short enough for a Unix socket.
pub(crate) fn data_dir() -> TempDir {
    tempfile::Builder::new().prefix("cs").tempdir().unwrap()
}

/// Runs a command of the binary for the server with this `data` directory.
pub(crate) fn countersign(data: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command.args(args).arg("--data").arg(data).output().unwrap()
}

/// Returns one of the running server's counters.
pub(crate) fn count_of(data: &Path, name: &str) -> u64 {
    let output = countersign(data, &["metrics", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let counted: Value = serde_json::from_slice(&output.stdout).unwrap();
    let events = counted["events"].as_array().unwrap();
    let event = events.iter().find(|event| event["name"] == name);
    event.unwrap()["count"].as_u64().unwrap()
}

impl Server {
    /// Starts a server on a free port and waits for its first line of output.
    pub(crate) fn start(data: &Path) -> Self {
        Self::start_with(data, &[])
    }

    /// Starts a server with additional arguments. The log goes to a file next to `data`.
    pub(crate) fn start_with(data: &Path, args: &[&str]) -> Self {
        let (child, _) = Self::spawn(data, args);
        Self::new(child, data)
    }

    /// Starts a server outside local mode with the data of a local server. The server writes no demo file,
    /// but the app and its key still exist.
    pub(crate) fn start_public(data: &Path, args: &[&str], facts: &Facts) -> Self {
        let (child, first) = Self::spawn(data, args);
        let port: String = first
            .rsplit("127.0.0.1:")
            .next()
            .unwrap()
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        let facts = Facts {
            url: format!("http://127.0.0.1:{port}"),
            ..facts.clone()
        };
        Self {
            child,
            data: data.to_owned(),
            facts,
        }
    }

    pub(crate) fn start_logging_to(data: &Path, log: Stdio) -> Self {
        let (child, _) = Self::spawn_logging_to(data, &[], &[], log);
        Self::new(child, data)
    }

    /// Starts a server with these environment variables.
    pub(crate) fn start_under(data: &Path, variables: &[(&str, &Path)]) -> Self {
        let (child, _) = Self::spawn_under(data, &[], variables);
        Self::new(child, data)
    }

    /// Waits until the server has written its demo file.
    fn new(child: Child, data: &Path) -> Self {
        let facts = fs::read(data.join("demo.json")).unwrap();
        Self {
            child,
            data: data.to_owned(),
            facts: serde_json::from_slice(&facts).unwrap(),
        }
    }

    fn spawn(data: &Path, args: &[&str]) -> (Child, String) {
        Self::spawn_under(data, args, &[])
    }

    fn spawn_under(data: &Path, args: &[&str], variables: &[(&str, &Path)]) -> (Child, String) {
        let log = File::options()
            .create(true)
            .append(true)
            .open(Self::log_of(data))
            .unwrap();
        Self::spawn_logging_to(data, args, variables, log.into())
    }

    fn spawn_logging_to(
        data: &Path,
        args: &[&str],
        variables: &[(&str, &Path)],
        log: Stdio,
    ) -> (Child, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .args(args)
            .env("RUST_LOG", "debug")
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let Some(first) = lines.next() else {
            let log = fs::read_to_string(Self::log_of(data)).unwrap_or_default();
            panic!("the server did not start: {:?}\n{log}", child.wait());
        };
        // Reads the rest of the output, so that the pipe does not fill up.
        std::thread::spawn(move || lines.for_each(drop));
        (child, first.unwrap())
    }

    /// Returns the error of a server that refuses to start with these arguments.
    pub(crate) fn refusal(data: &Path, args: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_countersign"))
            .args(["serve", "--data"])
            .arg(data)
            .args(args)
            .output()
            .unwrap();
        assert!(!output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Returns the log file of a server with this data.
    pub(crate) fn log_of(data: &Path) -> PathBuf {
        data.with_extension("log")
    }

    /// Returns a client with the demo app's key.
    pub(crate) fn caller(&self) -> Http {
        self.anyone().with("x-api-key", &self.facts.api_key)
    }

    /// Returns a client without a key.
    pub(crate) fn anyone(&self) -> Http {
        Http::new(&self.facts.url)
    }

    /// Sends a text with `countersign phone text`.
    pub(crate) fn text(&self, from: &str, to: &str, message: &str) {
        let args = [
            "phone",
            "text",
            "--from",
            from,
            "--to",
            to,
            "--message",
            message,
        ];
        let output = countersign(&self.data, &args);
        assert!(output.status.success(), "{output:?}");
    }

    /// Starts an acquisition for the demo app and returns its id and message.
    pub(crate) async fn acquire(&self, callback: &str) -> (String, String) {
        let request = json!({"callbackUrl": callback});
        let caller = self.caller();
        let confirmation = caller.post("/acquire-phone-number", &request).await.ok();
        let field = |name: &str| confirmation[name].as_str().unwrap().to_owned();
        (field("confirmationId"), field("confirmationMessage"))
    }

    /// Waits until the webhook of a confirmation is delivered, and returns the confirmation.
    pub(crate) async fn delivered(&self, id: &str) -> Value {
        let path = format!("/confirmations/{id}");
        until("the delivery to be settled", async || {
            let status = self.caller().get(&path).await.ok();
            (status["delivery"]["status"] == "delivered").then_some(status)
        })
        .await
    }

    /// Kills the server with `kill -9` and waits until it is gone.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Stops the server as a service manager would, and waits until it is gone.
    pub(crate) fn terminate(mut self) -> std::process::ExitStatus {
        let pid = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &pid])
                .status()
                .unwrap()
                .success()
        );
        self.child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
