//! A webhook receiver on loopback.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use p256::ecdsa::signature::Verifier;
use p256::ecdsa::{Signature, VerifyingKey};
use p256::pkcs8::DecodePublicKey;
use serde_json::Value;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{Mutex, mpsc};

use super::{Http, unless_hung};

/// A received webhook.
#[derive(Clone, Debug)]
pub(crate) struct Webhook {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Webhook {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn id(&self) -> String {
        self.headers["webhook-id"].to_str().unwrap().to_owned()
    }

    pub(crate) fn confirmation_id(&self) -> String {
        self.json()["confirmationId"].as_str().unwrap().to_owned()
    }

    /// Verifies the signature with the server's published key.
    pub(crate) async fn verify(&self, server: &Http) {
        let pem = server.get("/public-key").await;
        let key = VerifyingKey::from_public_key_pem(std::str::from_utf8(&pem.body).unwrap());
        let der = BASE64_STANDARD
            .decode(&self.headers["x-signature"])
            .unwrap();
        key.unwrap()
            .verify(&self.body, &Signature::from_der(&der).unwrap())
            .unwrap();
    }
}

/// A receiver that is down until it is opened. Meanwhile it reserves its port, so that no other test
/// receives the webhooks that are pending for it.
pub(crate) struct ClosedReceiver {
    pub(crate) url: String,
    socket: TcpSocket,
}

impl ClosedReceiver {
    /// Binds a port without listening on it, so connections to it are refused.
    pub(crate) fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
        let url = url_of(socket.local_addr());
        Self { url, socket }
    }

    /// Starts a receiver on the port that accepts everything.
    pub(crate) fn open(self) -> Receiver {
        Receiver::on(self.socket.listen(1024).unwrap(), |_| 204)
    }
}

fn url_of(address: io::Result<SocketAddr>) -> String {
    format!("http://{}/hook", address.unwrap())
}

/// A receiver that records webhooks.
pub(crate) struct Receiver {
    pub(crate) url: String,
    arrived: Arc<Mutex<mpsc::UnboundedReceiver<Webhook>>>,
}

impl Receiver {
    /// Starts a receiver that accepts everything.
    pub(crate) async fn start() -> Self {
        Self::answering(|_| 204).await
    }

    /// Starts a receiver that answers the n-th webhook (from 0) with a status.
    pub(crate) async fn answering(status: impl Fn(usize) -> u16 + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        Self::on(listener, status)
    }

    fn on(listener: TcpListener, status: impl Fn(usize) -> u16 + Send + Sync + 'static) -> Self {
        let url = url_of(listener.local_addr());
        let (sender, arrived) = mpsc::unbounded_channel();
        let count = std::sync::atomic::AtomicUsize::new(0);
        let shared = Arc::new((sender, count, status));
        let handler = move |headers: HeaderMap, body: Bytes| {
            let shared = Arc::clone(&shared);
            async move {
                let (sender, count, status) = &*shared;
                let number = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                let _ = sender.send(Webhook { headers, body });
                StatusCode::from_u16(status(number)).unwrap()
            }
        };
        let router = Router::new().route("/hook", post(handler));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            url,
            arrived: Arc::new(Mutex::new(arrived)),
        }
    }

    /// Waits for the next webhook.
    pub(crate) async fn next(&self) -> Webhook {
        unless_hung("a webhook", async {
            self.arrived.lock().await.recv().await.unwrap()
        })
        .await
    }

    /// Returns a webhook that has already arrived, if any.
    pub(crate) async fn arrived(&self) -> Option<Webhook> {
        self.arrived.lock().await.try_recv().ok()
    }
}
