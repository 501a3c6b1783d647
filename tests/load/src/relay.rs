//! An HTTP server that does the least that any server must do for this job: it reads a request, flushes
//! a block to disk, and gives a prepared answer. For a text it also posts a signed webhook. It looks
//! nothing up and verifies nothing.

mod flusher;
mod sender;

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::disk::Log;
use crate::floor::{self, Answer};
use flusher::Flusher;
pub(crate) use sender::Sender;

/// Length of the log's file, in blocks: 16 MiB, more than all requests that can wait at once.
const LOG_BLOCKS: usize = 4096;

struct Relay {
    flusher: Flusher,
    answer: Answer,
    /// Sends the webhooks; `None` for requests that cause none.
    sender: Option<Arc<Sender>>,
}

/// Starts a relay that logs to a new file and gives the same answer to every request; returns its
/// authority.
pub(crate) async fn start(file: &Path, answer: Answer, sender: Option<Sender>) -> String {
    let mut log = Log::create(file, LOG_BLOCKS);
    let relay = Arc::new(Relay {
        flusher: Flusher::start(move |requests| log.append(requests)),
        answer,
        sender: sender.map(Arc::new),
    });
    floor::serve(async move {
        if let Some(sender) = &relay.sender {
            sender.warm_up().await;
        }
        let handler = move |headers: HeaderMap, _body: Bytes| {
            let relay = Arc::clone(&relay);
            async move { relay.handle(&headers).await }
        };
        Router::new().fallback(handler)
    })
    .await
}

impl Relay {
    async fn handle(&self, headers: &HeaderMap) -> Response {
        let flushed = self.flusher.flush();
        // Signed while the disk works.
        let webhook = self.sender.as_ref().map(|sender| {
            let id = headers["webhook-id"].to_str().unwrap();
            (Arc::clone(sender), sender.sign(id))
        });
        flushed.await.unwrap();
        if let Some((sender, webhook)) = webhook {
            tokio::spawn(async move { sender.post(webhook).await });
        }
        self.answer.again()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;
    use crate::receiver::{self, Arrival};

    fn answer() -> Answer {
        Answer {
            status: axum::http::StatusCode::ACCEPTED,
            headers: HeaderMap::new(),
            body: Bytes::from_static(b"{}"),
        }
    }

    #[tokio::test]
    async fn text_is_answered_and_its_webhook_arrives() {
        let (url, mut arrivals) = receiver::start().await;
        let folder = tempfile::tempdir().unwrap();
        let example = Arrival::example();
        let sender = Sender::new(&url, &example);
        let authority = start(&folder.path().join("log"), answer(), Some(sender)).await;
        let mut client = Client::connect(&authority).await;
        let headers = [("webhook-id", "cfm_2")];
        let answer = client.post("/text", &headers, "{}".to_owned()).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.body[..]),
            (202, &b"{}"[..])
        );
        let arrival = arrivals.recv().await.unwrap();
        assert_eq!(arrival.confirmation, "cfm_2");
        assert_eq!(arrival.body.len(), example.body.len());
    }

    #[tokio::test]
    async fn request_without_webhook_is_answered() {
        let folder = tempfile::tempdir().unwrap();
        let authority = start(&folder.path().join("log"), answer(), None).await;
        let mut client = Client::connect(&authority).await;
        let answer = client.post("/acquisition", &[], "{}".to_owned()).await;
        assert_eq!(answer.status, 202);
    }
}
