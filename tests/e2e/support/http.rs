//! A client that speaks plain HTTP/1.1 to loopback, one connection per request.

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{HeaderMap, Request};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Parses the body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("not JSON: {}", String::from_utf8_lossy(&self.body)))
    }

    /// Parses the body as JSON, and removes the fields that depend on the time of the answer.
    pub(crate) fn lasting(&self) -> Value {
        let mut body = self.json();
        let now = ["expiresIn", "serverTime"].map(|name| body[name].take());
        assert!(now[0].is_u64() && now[1].is_string(), "{body}");
        body
    }

    /// Checks the status and returns the problem's code.
    pub(crate) fn problem(&self, status: u16) -> String {
        assert_eq!(
            self.status,
            status,
            "{}",
            String::from_utf8_lossy(&self.body)
        );
        assert_eq!(self.headers["content-type"], "application/problem+json");
        self.json()["code"].as_str().unwrap().to_owned()
    }

    /// Checks that the status is 2xx and returns the JSON.
    pub(crate) fn ok(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        assert!((200..300).contains(&self.status), "{} {text}", self.status);
        self.json()
    }
}

/// A client of one server with fixed headers.
#[derive(Clone, Debug)]
pub(crate) struct Http {
    authority: String,
    headers: Vec<(String, String)>,
}

impl Http {
    /// Creates a client of the server at `url` (`http://host:port`).
    pub(crate) fn new(url: &str) -> Self {
        let authority = url
            .strip_prefix("http://")
            .unwrap()
            .trim_end_matches('/')
            .to_owned();
        Self {
            authority,
            headers: Vec::new(),
        }
    }

    /// Adds a header to every request.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call("GET", path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.call("POST", path, Some(body.to_string())).await
    }

    /// Sends a request, with a JSON content type if it has a body.
    pub(crate) async fn call(&self, method: &str, path: &str, body: Option<String>) -> Answer {
        self.try_call(method, path, body)
            .await
            .unwrap_or_else(|e| panic!("{method} {path}: {e}"))
    }

    /// Sends a request to a server that may be dead.
    pub(crate) async fn try_call(
        &self,
        method: &str,
        path: &str,
        body: Option<String>,
    ) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
        let stream = TcpStream::connect(&self.authority).await?;
        stream.set_nodelay(true)?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri(path);
        if !self.headers.iter().any(|(name, _)| name == "host") {
            request = request.header("host", &self.authority);
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if body.is_some() && !self.headers.iter().any(|(name, _)| name == "content-type") {
            request = request.header("content-type", "application/json");
        }
        let request = request.body(Full::new(Bytes::from(body.unwrap_or_default())))?;
        let (parts, body) = sender.send_request(request).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        Ok(Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body,
        })
    }
}
