//! An HTTP server that does nothing: it reads a request, and answers with bytes that `serve` once
//! answered with. It shows what HTTP, the loopback and the scheduler cost.

use std::thread;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;

/// Number of its threads, as many as `serve` has.
const THREADS: usize = 2;

/// An answer, to be sent again.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Returns the response that gives this answer again.
    pub(crate) fn again(&self) -> Response {
        let mut response = (self.status, self.body.clone()).into_response();
        *response.headers_mut() = self.headers.clone();
        // The server writes these itself.
        response.headers_mut().remove(header::CONTENT_LENGTH);
        response.headers_mut().remove(header::DATE);
        response
    }
}

/// Starts a server that gives the same answer to every request; returns its authority. It has its own threads,
/// and ends with the process.
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
