//! The parts that the floors share: the answer that they give, and the threads that they run on.

use std::future::Future;
use std::thread;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;

/// Number of a floor's threads, as many as `serve` has.
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

/// Serves a router on a free port; returns its authority. The server has its own threads, on which the
/// router is made, and ends with the process.
pub(crate) async fn serve(router: impl Future<Output = Router> + Send + 'static) -> String {
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
            axum::serve(listener, router.await).await
        })
    });
    authority
}
