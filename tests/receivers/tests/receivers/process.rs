//! A running sample.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use reqwest::{Client, StatusCode};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::fake::{API_KEY, Fake, Jwks, Key};
use crate::language::Language;
use crate::webhook::Webhook;

/// Timeout that only a hanging test reaches.
pub(crate) const HANG: Duration = Duration::from_mins(2);

static CLIENT: LazyLock<Client> = LazyLock::new(|| {
    rustls::crypto::ring::default_provider()
        .install_default()
        .unwrap();
    Client::builder()
        .timeout(HANG)
        .no_proxy()
        .pool_max_idle_per_host(0)
        .build()
        .unwrap()
});

static LOGS: AtomicU32 = AtomicU32::new(0);

/// A listening sample. The sample is killed when this is dropped.
pub(crate) struct Receiver {
    pub(crate) url: String,
    child: Child,
    output: Lines<BufReader<ChildStdout>>,
}

/// Returns the command in a controlled environment: every variable that matters is set or removed.
pub(crate) fn command(language: &Language, service: &str, refetch_seconds: u32) -> Command {
    let mut command = sample(language);
    command
        .env("COUNTERSIGN_URL", service)
        .env("COUNTERSIGN_API_KEY", API_KEY)
        .env("KEY_REFETCH_SECONDS", refetch_seconds.to_string())
        .env_remove("CALLBACK_URL");
    command
}

/// Returns the command of any sample, which listens on a free port and logs to a file.
pub(crate) fn sample(language: &Language) -> Command {
    let number = LOGS.fetch_add(1, Ordering::Relaxed);
    let log = format!("receiver-{}-{number}.log", language.name);
    let log = File::create(Path::new(env!("CARGO_TARGET_TMPDIR")).join(log)).unwrap();
    let mut command = language.command();
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    command
        .env("PORT", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .kill_on_drop(true);
    command
}

impl Receiver {
    /// Starts the sample and waits until it prints its address.
    pub(crate) async fn start(language: &Language, service: &str, refetch_seconds: u32) -> Self {
        Self::spawn(language.name, command(language, service, refetch_seconds)).await
    }

    /// Like [`Self::start`], but for a command that the test has changed.
    pub(crate) async fn spawn(language: &str, mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = timeout(HANG, output.next_line())
            .await
            .expect("it hangs")
            .unwrap();
        let url = first
            .as_deref()
            .and_then(|line| line.strip_prefix("listening on "))
            .unwrap_or_else(|| panic!("{language} began with {first:?}"));
        Self {
            url: url.to_owned(),
            child,
            output,
        }
    }

    /// Starts a confirmation and returns its id.
    pub(crate) async fn begin(&self) -> String {
        let (status, text) = self.post_start().await;
        assert_eq!(status, 200, "{text}");
        let session: Value = serde_json::from_str(&text).unwrap();
        session["confirmationId"].as_str().unwrap().to_owned()
    }

    /// Sends `POST /start`.
    pub(crate) async fn post_start(&self) -> (StatusCode, String) {
        answer(CLIENT.post(format!("{}/start", self.url))).await
    }

    /// Posts a webhook.
    pub(crate) async fn deliver(&self, webhook: &Webhook) -> (StatusCode, String) {
        let mut request = CLIENT
            .post(format!("{}/webhook", self.url))
            .body(webhook.body.clone());
        for (name, value) in &webhook.headers {
            request = request.header(*name, value);
        }
        answer(request).await
    }

    /// Posts the data that a page with this origin passes to its server.
    pub(crate) async fn log_in(&self, origin: Option<&str>, body: Vec<u8>) -> (StatusCode, String) {
        let mut request = CLIENT.post(format!("{}/login", self.url)).body(body);
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        answer(request).await
    }

    /// Sends a request with another method or path.
    pub(crate) async fn request(&self, method: &str, path: &str) -> StatusCode {
        let method = method.parse().unwrap();
        answer(CLIENT.request(method, format!("{}{path}", self.url)))
            .await
            .0
    }

    /// Stops the sample and returns its output without the first line.
    pub(crate) async fn stop(mut self) -> Vec<String> {
        self.child.start_kill().unwrap();
        let mut printed = Vec::new();
        while let Some(line) = timeout(HANG, self.output.next_line())
            .await
            .unwrap()
            .unwrap()
        {
            printed.push(line);
        }
        self.child.wait().await.unwrap();
        printed
    }
}

async fn answer(request: reqwest::RequestBuilder) -> (StatusCode, String) {
    let response = request.send().await.unwrap();
    (response.status(), response.text().await.unwrap())
}

/// Starts a fake service that publishes `key`, and a receiver that trusts it.
pub(crate) async fn pair(language: &Language, key: &Key) -> (Fake, Receiver) {
    let fake = Fake::start(Jwks::Keys(vec![key.clone()])).await;
    let receiver = Receiver::start(language, &fake.url, 0).await;
    (fake, receiver)
}
