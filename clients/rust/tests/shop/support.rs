//! The service, and a shop with a logged-in browser.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use axum::http::StatusCode;
use countersign_client::Countersign;
use countersign_client::testing::TestPhone;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::task::AbortHandle;

use crate::app::{self, Endpoints, Session, Tables};

const COOKIE: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
/// Reached only by a test that fails.
const PATIENCE: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(20);

/// Waits until a condition returns a value.
pub(crate) async fn until<T>(condition: impl AsyncFn() -> Option<T>) -> T {
    let found = async {
        let mut ticks = tokio::time::interval(PAUSE);
        loop {
            ticks.tick().await;
            if let Some(value) = condition().await {
                return value;
            }
        }
    };
    tokio::time::timeout(PATIENCE, found)
        .await
        .expect("nothing happened")
}

/// A service in local mode, for the duration of the test.
pub(crate) struct Service {
    program: PathBuf,
    data: TempDir,
    _process: Child,
    pub(crate) url: String,
    pub(crate) api_key: String,
    app_key: String,
}

impl Service {
    /// Starts the program at the path in `COUNTERSIGN_BIN`. Without that variable, the test is
    /// skipped.
    pub(crate) async fn start(test: &str) -> Option<Self> {
        let Some(program) = std::env::var_os("COUNTERSIGN_BIN").map(PathBuf::from) else {
            skip(test);
            return None;
        };
        let data = tempfile::tempdir().unwrap();
        let mut process = Command::new(&program)
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data.path().join("data"))
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        while !lines
            .next_line()
            .await
            .unwrap()
            .expect("the server did not start")
            .contains("is ready")
        {}
        // An unread pipe would block the server.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let demo = std::fs::read(data.path().join("data/demo.json")).unwrap();
        let demo: Value = serde_json::from_slice(&demo).unwrap();
        let member = |name: &str| demo[name].as_str().unwrap().to_owned();
        Some(Self {
            program,
            data,
            _process: process,
            url: member("url"),
            api_key: member("apiKey"),
            app_key: member("appKey"),
        })
    }

    /// Returns a new test key of the app.
    pub(crate) async fn test_key(&self) -> String {
        let output = Command::new(&self.program)
            .arg("--data")
            .arg(self.data.path().join("data"))
            .args(["key", "issue", "demo", "--test", "--json"])
            .output()
            .await
            .unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["apiKey"].as_str().unwrap().to_owned()
    }

    pub(crate) fn client(&self, api_key: &str) -> Countersign {
        let builder = Countersign::builder(&self.url, api_key).app_key(&self.app_key);
        builder.published_webhook_keys().build().unwrap()
    }
}

fn skip(test: &str) {
    let line = format!("SKIPPED: Rust library, {test}: COUNTERSIGN_BIN does not name the program");
    assert!(std::env::var_os("COUNTERSIGN_NO_SKIPS").is_none(), "{line}");
    eprintln!("{line}");
    if let Some(log) = std::env::var_os("COUNTERSIGN_SKIP_LOG") {
        let mut log = OpenOptions::new()
            .append(true)
            .create(true)
            .open(log)
            .unwrap();
        writeln!(log, "{line}").unwrap();
    }
}

/// The shop, and a browser in which a user is logged in.
pub(crate) struct TestShop {
    pub(crate) client: Countersign,
    pub(crate) api_key: String,
    pub(crate) tables: Tables,
    pub(crate) origin: String,
    pub(crate) webhook_url: String,
    address: SocketAddr,
    http: reqwest::Client,
    service: String,
    task: AbortHandle,
}

/// The shop's answer.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) text: String,
    pub(crate) cookie: Option<String>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("{} {}", self.status, self.text))
    }
}

impl TestShop {
    pub(crate) async fn start(service: &Service) -> Self {
        let api_key = service.test_key().await;
        let client = service.client(&api_key);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let places = Endpoints {
            // The demo app allows its own pages.
            origin: service.url.clone(),
            webhook_url: format!("http://{address}/webhook"),
            service: service.url.clone(),
        };
        let tables = Tables::default();
        tables
            .rows()
            .sessions
            .insert(COOKIE.to_owned(), Session::new("zoe@example.com"));
        let shop = app::shop(&client, &places, &tables).unwrap();
        let shop = shop.into_make_service_with_connect_info::<SocketAddr>();
        let task = tokio::spawn(async move { axum::serve(listener, shop).await.unwrap() });
        Self {
            client,
            api_key,
            tables,
            origin: places.origin,
            webhook_url: places.webhook_url,
            address,
            http: plain_client(),
            service: places.service,
            task: task.abort_handle(),
        }
    }

    /// Returns the phone of a user whose key the shop already has.
    pub(crate) fn phone(&self, user: &str) -> TestPhone {
        let phone = TestPhone::new(&self.client, user).unwrap();
        self.tables
            .rows()
            .phone_keys
            .insert(phone.key_id().to_owned(), phone.known_key());
        phone
    }

    /// Posts the data that the shop's page posts.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        let request = self.http.post(format!("http://{}{path}", self.address));
        let request = request
            .header("cookie", format!("session={COOKIE}"))
            .header("origin", &self.origin);
        let request = request
            .header("content-type", "application/json")
            .body(body.to_string());
        let answer = request.send().await.unwrap();
        let cookie = answer
            .headers()
            .get("set-cookie")
            .map(|cookie| cookie.to_str().unwrap().to_owned());
        let cookie = cookie.and_then(|cookie| {
            Some(
                cookie
                    .strip_prefix("session=")?
                    .split(';')
                    .next()?
                    .to_owned(),
            )
        });
        Answer {
            status: answer.status(),
            text: answer.text().await.unwrap(),
            cookie,
        }
    }

    /// Sends the text of a confirmation that the shop started with its test key.
    pub(crate) async fn text(&self, from: &str, started: &Value) {
        let text = json!({ "from": from, "to": started["sendTo"], "text": started["confirmationMessage"] });
        let request = self
            .http
            .post(format!("{}/simulated-texts", self.service))
            .header("x-api-key", &self.api_key);
        let request = request
            .header("content-type", "application/json")
            .body(text.to_string());
        let answer = request.send().await.unwrap();
        assert_eq!(
            answer.status(),
            StatusCode::OK,
            "{}",
            answer.text().await.unwrap()
        );
    }
}

impl Drop for TestShop {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Returns a client for plain http, which does not depend on the process's TLS provider.
fn plain_client() -> reqwest::Client {
    let provider = rustls::crypto::ring::default_provider();
    let config = rustls::ClientConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    reqwest::Client::builder()
        .tls_backend_preconfigured(config)
        .build()
        .unwrap()
}
