//! Measures the operator's console over a store with many confirmations: the first screen, and pages of searches.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::acquire;
use crate::client::Client;
use crate::figures::Times;
use crate::server::{Limits, Server};

/// Number of connections that fill the store. It is below the server's limit per address.
const CALLERS: usize = 128;

/// Number of times that each page is requested.
const REPETITIONS: usize = 30;

/// Starts `count` confirmations, and measures the console beside their server.
pub(crate) async fn measure(binary: &Path, count: usize) {
    let folder = crate::disk::folder();
    let server = Server::start(binary, folder.path(), Limits::Lifted).await;
    acquire::fill(&server, count, CALLERS.min(count)).await;
    print(binary, folder.path(), count).await;
    server.stop().await;
}

/// Measures the console of a server with `count` confirmations. Prints a line for each figure.
pub(crate) async fn print(binary: &Path, data: &Path, count: usize) {
    println!("the console over {count} confirmations:");
    let began = Instant::now();
    let mut console = Console::start(binary, data).await;
    for name in ["show_console", "list_apps"] {
        console.ask(name, &json!({})).await;
    }
    let first = console.ask("find_confirmations", &json!({})).await;
    println!(
        "  from the command to the first list: {:.0} ms",
        milliseconds(began.elapsed())
    );
    let (id, newest) = (&first["items"][0]["id"], &first["items"][0]["createdAt"]);
    let next = &first["next"];
    for (what, name, request) in [
        ("first page", "find_confirmations", json!({})),
        (
            "second page",
            "find_confirmations",
            json!({ "after": next }),
        ),
        (
            "one app, open",
            "find_confirmations",
            json!({ "app": "demo", "states": ["open"] }),
        ),
        (
            "older than the newest",
            "find_confirmations",
            json!({ "to": newest }),
        ),
        ("no text", "find_confirmations", json!({ "noText": true })),
        (
            "digits, none match",
            "find_confirmations",
            json!({ "digits": "0123" }),
        ),
        (
            "failed, none match",
            "find_confirmations",
            json!({ "failed": true }),
        ),
        (
            "cancelled, none match",
            "find_confirmations",
            json!({ "states": ["cancelled"] }),
        ),
        ("logins, none", "find_logins", json!({})),
        ("one confirmation", "show_confirmation", json!({ "id": id })),
    ] {
        let mut times = Vec::new();
        for _ in 0..REPETITIONS {
            let sent = Instant::now();
            console.ask(name, &request).await;
            times.push(sent.elapsed());
        }
        println!("  {what}: {}", Times::new(times));
    }
    let began = Instant::now();
    let pages = console.walk().await;
    println!(
        "  digits, through all {count}: {pages} pages in {:.0} ms",
        milliseconds(began.elapsed())
    );
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// A console with an open session. Dropping it ends it.
struct Console {
    _child: Child,
    client: Client,
    headers: Vec<(&'static str, String)>,
}

impl Console {
    async fn start(binary: &Path, data: &Path) -> Self {
        let mut child = Command::new(binary)
            .args(["console", "--no-browser", "--data"])
            .arg(data)
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (authority, code) = loop {
            let printed = lines.next_line().await.unwrap().expect("a link");
            let address = printed.trim().strip_prefix("http://");
            if let Some((authority, code)) = address.and_then(|it| it.split_once("/#code=")) {
                break (authority.to_owned(), code.to_owned());
            }
        };
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let client = Client::connect(&authority).await;
        let headers = vec![("origin", format!("http://{authority}"))];
        let mut console = Self {
            _child: child,
            client,
            headers,
        };
        let opened = console.post("/session", &json!({ "code": code })).await;
        let cookie = opened.headers["set-cookie"].to_str().unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let opened: Value = serde_json::from_slice(&opened.body).unwrap();
        let secret = opened["secret"].as_str().unwrap().to_owned();
        console.headers.push(("cookie", cookie));
        console.headers.push(("countersign-console", secret));
        console
    }

    async fn post(&mut self, path: &str, body: &Value) -> crate::empty::Answer {
        let headers = self.headers.iter();
        let headers: Vec<_> = headers
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let answer = self.client.post(path, &headers, body.to_string()).await;
        assert_eq!(answer.status, 200, "{path} {body}: {:?}", answer.body);
        answer
    }

    async fn ask(&mut self, name: &str, request: &Value) -> Value {
        let answer = self.post(&format!("/api/{name}"), request).await;
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// Goes through all pages of a search that finds nothing, and returns their number.
    async fn walk(&mut self) -> usize {
        let mut after = Value::Null;
        for pages in 1.. {
            let request = json!({ "digits": "0123", "after": after });
            let found = self.ask("find_confirmations", &request).await;
            if found["complete"] == true {
                return pages;
            }
            after = found["next"].clone();
        }
        unreachable!("the search ends")
    }
}
