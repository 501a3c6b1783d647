//! A receiver that records when each webhook arrived.

use std::time::Instant;

use axum::Router;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// The confirmation of a webhook, and the time of its arrival.
pub(crate) type Arrival = (String, Instant);

/// Starts a receiver; returns its URL and the arrivals.
pub(crate) async fn start() -> (String, mpsc::UnboundedReceiver<Arrival>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (sender, arrivals) = mpsc::unbounded_channel();
    let handler = move |body: Bytes| {
        let sender = sender.clone();
        async move {
            let now = Instant::now();
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            let id = body["confirmationId"].as_str().unwrap().to_owned();
            let _ = sender.send((id, now));
            StatusCode::NO_CONTENT
        }
    };
    let router = Router::new().route("/hook", post(handler));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, arrivals)
}
