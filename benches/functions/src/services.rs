//! Fakes of the AWS services, over TLS on one loopback port, and a webhook receiver.
//!
//! The fakes give the answers that the functions' calls about [`crate::samples`] expect. They refuse
//! any unknown operation of DynamoDB, KMS or SQS by name, so that a function that starts to call
//! something new fails its measurement.

mod keys;
mod table;
mod tls;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use base16ct::lower;
use md5::{Digest as _, Md5};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::http::{self, Reader, Request};
use crate::samples;
use keys::Keys;
use table::Table;

/// The running services.
#[derive(Debug)]
pub struct Services {
    address: SocketAddr,
    shared: Arc<Shared>,
    /// The folder with the certificate of the authority.
    folder: TempDir,
}

#[derive(Debug)]
struct Shared {
    table: Table,
    keys: Keys,
    webhooks: AtomicUsize,
}

/// File name of the authority's certificate.
const AUTHORITY: &str = "authority.pem";

impl Services {
    /// Starts the services and the receiver; they run as long as the process.
    ///
    /// # Errors
    /// Fails if they cannot listen, or the certificate cannot be written.
    pub fn start() -> io::Result<Self> {
        let identity = tls::identity();
        let folder = TempDir::new()?;
        std::fs::write(folder.path().join(AUTHORITY), &identity.authority)?;
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let receiver = TcpListener::bind("127.0.0.1:0")?;
        let callback = format!("http://{}/hook", receiver.local_addr()?);
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            table: Table::new(&callback),
            keys: Keys::default(),
            webhooks: AtomicUsize::new(0),
        });
        accept(listener, &shared, move |shared, stream| {
            shared.serve_tls(&identity.config, stream)
        });
        accept(receiver, &shared, Shared::receive);
        Ok(Self {
            address,
            shared,
            folder,
        })
    }

    /// Returns how often a function has done its work, if the services can see that.
    #[must_use]
    pub fn done(&self, function: &str) -> Option<usize> {
        let count = match function {
            "inbound-sms" | "inbound-sns" => &self.shared.table.verified,
            "dispatcher" => &self.shared.webhooks,
            _ => return None,
        };
        Some(count.load(Ordering::Relaxed))
    }

    /// Returns the environment variables that point a function to these services.
    pub(crate) fn environment(&self) -> [(&'static str, String); 5] {
        let authority = self.folder.path().join(AUTHORITY).display().to_string();
        let address = self.address;
        [
            ("AWS_ENDPOINT_URL", format!("https://{address}")),
            (
                "COUNTERSIGN_SOCKET_ENDPOINT",
                format!("https://{address}/socket"),
            ),
            // The variables that Python, Node.js and everything else read.
            ("AWS_CA_BUNDLE", authority.clone()),
            ("NODE_EXTRA_CA_CERTS", authority.clone()),
            ("SSL_CERT_FILE", authority),
        ]
    }
}

/// Serves each connection in a separate thread.
fn accept(
    listener: TcpListener,
    shared: &Arc<Shared>,
    serve: impl Fn(&Shared, TcpStream) -> Option<()> + Send + Sync + 'static,
) {
    let shared = Arc::clone(shared);
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (shared, serve) = (Arc::clone(&shared), Arc::clone(&serve));
            thread::spawn(move || serve(&shared, stream));
        }
    });
}

impl Shared {
    fn serve_tls(&self, config: &Arc<ServerConfig>, stream: TcpStream) -> Option<()> {
        stream.set_nodelay(true).ok()?;
        let connection = ServerConnection::new(Arc::clone(config)).ok()?;
        let mut stream = StreamOwned::new(connection, stream);
        let mut reader = Reader::default();
        loop {
            let request = reader.read(&mut stream)?;
            let (status, body) = self.answer(&request);
            http::write(&mut stream, status, HEADERS, &body.to_string()).ok()?;
        }
    }

    /// Receives webhooks.
    fn receive(&self, mut stream: TcpStream) -> Option<()> {
        stream.set_nodelay(true).ok()?;
        let mut reader = Reader::default();
        loop {
            reader.read(&mut stream)?;
            self.webhooks.fetch_add(1, Ordering::Relaxed);
            http::write(&mut stream, 200, "", "").ok()?;
        }
    }

    fn answer(&self, request: &Request) -> (u16, Value) {
        let target = request.header("x-amz-target").unwrap_or_default();
        let body = serde_json::from_slice(&request.body).unwrap_or_default();
        let (service, operation) = target.split_once('.').unwrap_or_default();
        let found = match service.split('_').next().unwrap_or_default() {
            "DynamoDB" => self.table.answer(operation, &body),
            "TrentService" => self.keys.answer(operation, &body),
            "secretsmanager" => Some(json!({ "SecretString": samples::providers() })),
            "AmazonSQS" => queue(operation, &body),
            // A WebSocket connection that has ended, like the one that a login's browser would be
            // notified on.
            _ => return (410, json!({ "__type": "GoneException" })),
        };
        match found {
            Some(answer) => (200, answer),
            None => (
                400,
                json!({ "__type": "ValidationException", "message": format!("not faked: {target}") }),
            ),
        }
    }
}

fn queue(operation: &str, body: &Value) -> Option<Value> {
    match operation {
        "GetQueueAttributes" => Some(json!({
            "Attributes": { "QueueArn": "arn:aws:sqs:eu-central-1:000000000000:first" },
        })),
        // The client verifies the digest.
        "SendMessage" => Some(json!({
            "MD5OfMessageBody": lower::encode_string(&Md5::digest(body["MessageBody"].as_str()?)),
            "MessageId": "5fea7756-0ea4-451a-a703-a558b933e274",
        })),
        _ => None,
    }
}

/// The headers of every answer, as AWS sends them.
const HEADERS: &str = "Server: Server\r\nDate: Fri, 02 Jan 2026 03:04:05 GMT\r\n\
    Content-Type: application/x-amz-json-1.0\r\nConnection: keep-alive\r\n\
    x-amzn-RequestId: B0PBHF9TRCVSG7QC9MM8P0HFQ3VV4KQNSO5AEMVJF66Q9ASUAAJG\r\n";
