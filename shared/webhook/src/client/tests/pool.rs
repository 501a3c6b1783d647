//! Reuse of connections.

use tokio::io::AsyncWriteExt;

use super::support::{Receiver, local_client_with, post, read_request};
use crate::client::Limits;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

#[tokio::test]
async fn webhooks_to_one_origin_share_a_connection() {
    let receiver = Receiver::answering(OK).await;
    let client = local_client_with(Limits::default());
    for _ in 0..5 {
        assert_eq!(post(&client, &receiver.url()).await.unwrap().body_bytes, 2);
    }
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn connections_to_further_origins_are_not_kept() {
    let (first, second) = (Receiver::answering(OK).await, Receiver::answering(OK).await);
    let client = local_client_with(Limits {
        kept_origins: 1,
        ..Limits::default()
    });
    for _ in 0..3 {
        post(&client, &first.url()).await.unwrap();
        post(&client, &second.url()).await.unwrap();
    }
    assert_eq!((first.connections(), second.connections()), (1, 3));
}

#[tokio::test]
async fn connection_with_a_cut_off_answer_is_not_reused() {
    let receiver = Receiver::start(|mut stream| async move {
        while read_request(&mut stream).await.is_some() {
            let head = "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n";
            let body = vec![b'x'; 1_000_000];
            if stream.write_all(head.as_bytes()).await.is_err()
                || stream.write_all(&body).await.is_err()
            {
                return;
            }
        }
    })
    .await;
    let client = local_client_with(Limits::default());
    for _ in 0..2 {
        assert_eq!(post(&client, &receiver.url()).await.unwrap().status, 200);
    }
    assert_eq!(receiver.connections(), 2);
}
