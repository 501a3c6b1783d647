//! A fake AWS endpoint: the management API of WebSocket connections, or SQS.

use std::sync::{Arc, Mutex};

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_types::SdkConfig;
use aws_types::region::Region;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::push::SocketPush;
use crate::queues::SqsQueue;
use crate::services::{Roots, bounded, transport};

/// The fake's answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FakeAnswer {
    /// A status, and the name of an error.
    Status(u16, &'static str),
    /// This body with status 200.
    Body(&'static str),
    /// No answer.
    Silence,
}

/// An endpoint that gives every request the same answer, and records method, path and body.
pub(crate) struct FakeEndpoint {
    pub(crate) push: SocketPush,
    pub(crate) queues: Arc<SqsQueue>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl FakeEndpoint {
    pub(crate) async fn with(answer: FakeAnswer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/prod", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::default());
        let remembered = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answer, Arc::clone(&remembered)));
            }
        });
        let push = SocketPush::new(&sdk(), &url.parse().unwrap());
        let queue = |name: &str| format!("{url}/{name}").parse().unwrap();
        let sqs = sdk().into_builder().endpoint_url(&url).build();
        let sqs = aws_sdk_sqs::Client::new(&sqs);
        let queues = SqsQueue::new(sqs, queue("first-attempts"), queue("retries"));
        Self {
            push,
            queues: Arc::new(queues),
            asked,
        }
    }

    /// Returns the requests since the last call.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

/// Returns the configuration of a client for a server on this machine.
pub(crate) fn sdk() -> SdkConfig {
    let credentials = Credentials::new("id", "secret", None, None, "tests");
    bounded(SdkConfig::builder())
        .http_client(transport(Roots::Amazon))
        .region(Region::new("eu-central-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .build()
}

async fn serve(mut stream: TcpStream, answer: FakeAnswer, asked: Arc<Mutex<Vec<String>>>) {
    while let Some(request) = read_request(&mut stream).await {
        asked.lock().unwrap().push(request);
        let (status, name, body) = match answer {
            FakeAnswer::Status(status, "") => (status, "", ""),
            FakeAnswer::Status(status, name) => (status, name, r#"{"message":"x"}"#),
            FakeAnswer::Body(body) => (200, "", body),
            FakeAnswer::Silence => return std::future::pending().await,
        };
        let answer = format!(
            "HTTP/1.1 {status} X\r\nx-amzn-errortype: {name}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
    }
}

/// Reads a request and returns its method, path and body.
async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    loop {
        if stream.read_buf(&mut request).await.ok()? == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&request);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            let named = name.eq_ignore_ascii_case("content-length");
            named.then(|| value.trim().parse::<usize>().ok()).flatten()
        });
        if body.len() >= length.unwrap_or(0) {
            let line = head.lines().next()?.trim_end_matches(" HTTP/1.1");
            return Some(format!("{line} {body}").trim_end().to_owned());
        }
    }
}
