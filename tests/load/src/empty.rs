//! An HTTP server that does nothing: it reads a request, and answers with bytes that `serve` once
//! answered with. It shows what HTTP, the loopback and the scheduler cost.

use axum::Router;
use axum::body::Bytes;

use crate::floor::{self, Answer};

/// Starts a server that gives the same answer to every request; returns its authority.
pub(crate) async fn start(answer: Answer) -> String {
    let handler = move |_body: Bytes| {
        let answer = answer.again();
        async move { answer }
    };
    floor::serve(async { Router::new().fallback(handler) }).await
}
