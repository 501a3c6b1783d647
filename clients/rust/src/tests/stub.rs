//! A stub of the service, which gives the answers that a test sets.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use super::vectors::text;
use super::world::TestWorld;
use crate::builder::Builder;
use crate::client::Countersign;

/// A received request.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self
            .headers
            .iter()
            .filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
struct State {
    /// The remaining answers in the form of the vectors, next one first.
    script: VecDeque<Value>,
    /// The answer with published keys, if they are answered separately.
    keys: Option<Value>,
    asked: Vec<Asked>,
}

pub(crate) struct Stub {
    pub(crate) url: String,
    pub(crate) world: TestWorld,
    state: Arc<Mutex<State>>,
    task: AbortHandle,
}

impl Stub {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state: Arc<Mutex<State>> = Arc::default();
        let served = Arc::clone(&state);
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, Arc::clone(&served)));
            }
        });
        Self {
            url,
            world: TestWorld::default(),
            state,
            task: task.abort_handle(),
        }
    }

    pub(crate) fn builder_with_key(&self, api_key: &str) -> Builder {
        Countersign::builder(&self.url, api_key).world(self.world.world())
    }

    pub(crate) fn builder(&self) -> Builder {
        self.builder_with_key("cs_live_secret")
    }

    /// Sets the next answers.
    pub(crate) fn answers<'a>(&self, answers: impl IntoIterator<Item = &'a Value>) {
        self.state.lock().unwrap().script = answers.into_iter().cloned().collect();
    }

    /// Answers requests for the published keys separately from the script: with no keys, and the
    /// vectors' time.
    pub(crate) fn tell_time(&self, date: &str) {
        let keys = json!({ "status": 200, "headers": [["date", date]], "body": { "keys": [] } });
        self.state.lock().unwrap().keys = Some(keys);
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.state.lock().unwrap().asked.clone()
    }

    /// Returns the number of requests, without those for separately answered keys.
    pub(crate) fn requests(&self) -> usize {
        self.state.lock().unwrap().asked.len()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(stream: TcpStream, state: Arc<Mutex<State>>) {
    let mut stream = BufReader::new(stream);
    let Some(asked) = read(&mut stream).await else {
        return;
    };
    let answer = {
        let mut state = state.lock().unwrap();
        let keys = state
            .keys
            .clone()
            .filter(|_| asked.path == "/.well-known/jwks.json");
        keys.unwrap_or_else(|| {
            state.asked.push(asked);
            state
                .script
                .pop_front()
                .unwrap_or_else(|| json!({ "status": 404, "headers": [] }))
        })
    };
    if answer == "drop" {
        return;
    }
    let content = match (answer.get("text"), answer.get("body")) {
        (Some(text), _) => text.as_str().unwrap().to_owned(),
        (None, Some(body)) => body.to_string(),
        (None, None) => String::new(),
    };
    let mut head = format!(
        "HTTP/1.1 {} Stub\r\nconnection: close\r\n",
        answer["status"]
    );
    for pair in answer["headers"].as_array().unwrap() {
        write!(head, "{}: {}\r\n", text(pair, 0), text(pair, 1)).unwrap();
    }
    if answer["status"] != 204 {
        write!(head, "content-length: {}\r\n", content.len()).unwrap();
    }
    let _ = stream
        .write_all(format!("{head}\r\n{content}").as_bytes())
        .await;
    let _ = stream.shutdown().await;
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    let mut words = line.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut asked = Asked {
        method,
        path,
        headers,
        body: Value::Null,
    };
    let length = asked
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    asked.body = serde_json::from_slice(&body).unwrap_or_default();
    Some(asked)
}
