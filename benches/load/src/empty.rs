//! An HTTP server that does nothing: it reads a request and answers with bytes that `serve` once
//! answered. It shows the cost of HTTP, loopback and the scheduler.

use std::thread;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;

/// Number of the server's threads, the same as `serve` has.
const THREADS: usize = 2;

/// A recorded answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Returns a response that repeats the recorded answer.
    pub(crate) fn again(&self) -> Response {
        let mut response = (self.status, self.body.clone()).into_response();
        *response.headers_mut() = self.headers.clone();
        // The server writes these itself.
        response.headers_mut().remove(header::CONTENT_LENGTH);
        response.headers_mut().remove(header::DATE);
        response
    }
}

/// Starts a server that gives the same answer to every request; returns its authority. The server has its own
/// threads and runs until the process ends.
pub(crate) async fn start(answer: Answer) -> String {
    let handler = move |_body: Bytes| {
        let answer = answer.again();
        async move { answer }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    let listener = listener.into_std().unwrap();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            let listener = listener.tap_io(|stream| {
                let _ = stream.set_nodelay(true);
            });
            axum::serve(listener, Router::new().fallback(handler)).await
        })
    });
    authority
}
