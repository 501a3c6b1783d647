//! Receivers that refuse or ignore connections.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::support::{HANG, Receiver, local_client, local_url, post};
use crate::client::{Failure, Limits};

/// The listener's queue is full, so the system leaves further connections hanging.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn connection_that_is_never_accepted_times_out() {
    use tokio::net::TcpStream;

    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    // Fill the queue: connect until a connection hangs.
    let mut held = Vec::new();
    while let Ok(made) =
        tokio::time::timeout(Duration::from_millis(300), TcpStream::connect(address)).await
    {
        held.push(made.unwrap());
        assert!(held.len() < 1_000, "the queue does not fill");
    }
    tokio::time::pause();
    let began = Instant::now();
    let url = local_url(&format!("http://{address}/"));
    assert_eq!(post(&local_client(), &url).await, Err(Failure::Connect));
    let connect = Limits::default().connect;
    assert!(
        began.elapsed() <= connect + Duration::from_millis(10),
        "{:?}",
        began.elapsed()
    );
    assert!(
        began.elapsed() + Duration::from_millis(10) >= connect,
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test]
async fn unanswered_handshake_times_out_like_a_connection() {
    let arrived = Arc::new(Notify::new());
    let told = Arc::clone(&arrived);
    let receiver = Receiver::start(move |stream| {
        let told = Arc::clone(&told);
        async move {
            stream.readable().await.unwrap();
            told.notify_one();
            std::future::pending::<()>().await;
        }
    })
    .await;
    let url = local_url(&format!("https://{}/", receiver.address));
    let posted = tokio::spawn(async move { post(&local_client(), &url).await });
    tokio::time::timeout(HANG, arrived.notified())
        .await
        .unwrap();
    tokio::time::pause();
    let began = Instant::now();
    assert_eq!(posted.await.unwrap(), Err(Failure::Connect));
    let connect = Limits::default().connect;
    assert!(
        began.elapsed() <= connect + Duration::from_millis(10),
        "{:?}",
        began.elapsed()
    );
}
