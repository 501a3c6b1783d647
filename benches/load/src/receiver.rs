//! A receiver that records when each webhook arrived.

use std::time::Instant;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// A webhook that arrived.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    /// Id of the webhook's confirmation.
    pub(crate) confirmation: String,
    pub(crate) at: Instant,
}

/// Webhooks as they arrive.
pub(crate) type Arrivals = mpsc::UnboundedReceiver<Arrival>;

/// Starts a receiver; returns its URL and the arrivals.
pub(crate) async fn start() -> (String, Arrivals) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (sender, arrivals) = mpsc::unbounded_channel();
    let handler = move |body: String| {
        let sender = sender.clone();
        async move {
            let at = Instant::now();
            let fields: serde_json::Value = serde_json::from_str(&body).unwrap();
            let confirmation = fields["confirmationId"].as_str().unwrap().to_owned();
            let _ = sender.send(Arrival { confirmation, at });
            StatusCode::NO_CONTENT
        }
    };
    let router = Router::new().route("/hook", post(handler));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, arrivals)
}
