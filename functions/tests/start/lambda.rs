//! A fake of Lambda's runtime API, and the process of a function that uses it.

use std::net::SocketAddr;
use std::process::{Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::http::{read, write, write_with};

/// Timeout for each wait, far above the expected time, so that a test cannot hang.
const TIMEOUT: Duration = Duration::from_mins(2);

/// A running function.
pub(crate) struct Function {
    process: Child,
    /// Events that the function has not received yet.
    events: Arc<Mutex<Vec<String>>>,
    /// The function's answers, and `None` for each request for an event.
    said: UnboundedReceiver<Option<String>>,
}

impl Function {
    /// Starts a function's program with its environment on Lambda.
    pub(crate) async fn start(program: &str, services: SocketAddr, events: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let api = listener.local_addr().unwrap();
        let events = events.iter().rev().map(|&event| event.to_owned()).collect();
        let events = Arc::new(Mutex::new(events));
        let (says, said) = unbounded_channel();
        let handed = Arc::clone(&events);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&handed), says.clone()));
            }
        });
        let process = Command::new(program)
            .env_clear()
            .envs(ENVIRONMENT)
            .env("AWS_LAMBDA_RUNTIME_API", api.to_string())
            .env("AWS_ENDPOINT_URL", format!("http://{services}"))
            .env(
                "COUNTERSIGN_SOCKET_ENDPOINT",
                format!("http://{services}/socket"),
            )
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self {
            process,
            events,
            said,
        }
    }

    /// Waits until the function requests an event; returns `false` if it exits instead.
    pub(crate) async fn has_started(&mut self) -> bool {
        tokio::select! {
            said = self.said.recv() => said == Some(None),
            _ = self.process.wait() => false,
            // sleep: the limit against a hang.
            () = tokio::time::sleep(TIMEOUT) => panic!("it neither starts nor ends"),
        }
    }

    /// Returns the next answer, or the error in its place.
    pub(crate) async fn answer(&mut self) -> serde_json::Value {
        loop {
            let said = tokio::select! {
                said = self.said.recv() => said.unwrap(),
                ended = self.process.wait() => panic!("it ended: {ended:?}"),
                // sleep: the limit against a hang.
                () = tokio::time::sleep(TIMEOUT) => panic!("it does not answer"),
            };
            if let Some(answer) = said {
                return serde_json::from_str(&answer).unwrap();
            }
        }
    }

    /// Waits until the function exits, and returns its status and output.
    pub(crate) async fn end(self) -> Output {
        drop(self.events);
        let ended = tokio::time::timeout(TIMEOUT, self.process.wait_with_output()).await;
        ended.unwrap().unwrap()
    }

    /// Kills the function, and returns its output.
    pub(crate) async fn kill(mut self) -> String {
        self.process.start_kill().unwrap();
        let output = self.process.wait_with_output().await.unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

async fn serve(
    mut stream: TcpStream,
    events: Arc<Mutex<Vec<String>>>,
    says: UnboundedSender<Option<String>>,
) {
    while let Some(request) = read(&mut stream).await {
        let written = if request.line.contains("/invocation/next") {
            let _ = says.send(None);
            let event = events.lock().unwrap().pop();
            let Some(event) = event else {
                // Lambda freezes a waiting function.
                return std::future::pending().await;
            };
            let headers = "lambda-runtime-aws-request-id: one\r\n\
                           lambda-runtime-deadline-ms: 99999999999999\r\n\
                           lambda-runtime-invoked-function-arn: arn\r\n";
            write_with(&mut stream, 200, headers, &event).await
        } else {
            if request.line.contains("/response ") || request.line.contains("/error ") {
                let _ = says.send(Some(request.body));
            }
            write(&mut stream, (202, "", "{}")).await
        };
        if written.is_err() {
            return;
        }
    }
}

const ENVIRONMENT: [(&str, &str); 21] = [
    ("AWS_REGION", "eu-central-1"),
    ("AWS_ACCESS_KEY_ID", "id"),
    ("AWS_SECRET_ACCESS_KEY", "secret"),
    ("AWS_LAMBDA_FUNCTION_NAME", "shop-function"),
    ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
    ("AWS_LAMBDA_FUNCTION_VERSION", "1"),
    ("COUNTERSIGN_DEPLOYMENT", "shop"),
    ("COUNTERSIGN_TABLE", "shop"),
    (
        "COUNTERSIGN_FIRST_ATTEMPTS_QUEUE_URL",
        "http://sqs.example/first",
    ),
    (
        "COUNTERSIGN_RETRIES_QUEUE_URL",
        "http://sqs.example/retries",
    ),
    ("COUNTERSIGN_INBOUND_SECRETS", "secretsmanager:inbound"),
    ("COUNTERSIGN_WEBHOOK_SECRET", "secretsmanager:webhooks"),
    ("COUNTERSIGN_PUBLIC_URL", "https://api.example"),
    (
        "COUNTERSIGN_INBOUND_TOPIC_ARN",
        "arn:aws:sns:eu-central-1:000000000000:texts",
    ),
    (
        "COUNTERSIGN_SIGNING_KEY_ARN",
        "arn:aws:kms:eu-central-1:000000000000:key/current",
    ),
    (
        "COUNTERSIGN_PUBLISHED_KEY_ARNS",
        "arn:aws:kms:eu-central-1:000000000000:key/former,arn:aws:kms:eu-central-1:000000000000:key/next",
    ),
    (
        "COUNTERSIGN_OPENID_KEY_ARN",
        "arn:aws:kms:eu-central-1:000000000000:key/openid",
    ),
    ("COUNTERSIGN_OPENID_SECRET", "secretsmanager:openid"),
    ("COUNTERSIGN_SOCKET_URL", "wss://socket.example/socket"),
    ("COUNTERSIGN_VALIDITY", "5m"),
    ("COUNTERSIGN_RETENTION", "7d"),
];
