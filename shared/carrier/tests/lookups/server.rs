//! A loopback server that gives one answer to every request.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The running server.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers each request with these bytes. The connection then stays open.
    pub(crate) async fn answering(answer: Vec<u8>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let (seen, answer) = (Arc::clone(&heads), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&answer), Arc::clone(&seen)));
            }
        });
        Self { address, heads }
    }

    pub(crate) async fn with(status: &str, body: &str) -> Self {
        let length = body.len();
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}");
        Self::answering(answer.into_bytes()).await
    }

    /// Returns the head of each request.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, answer: Arc<Vec<u8>>, seen: Arc<Mutex<Vec<String>>>) {
    let mut bytes = Vec::new();
    loop {
        while !bytes.ends_with(b"\r\n\r\n") {
            if !matches!(stream.read_buf(&mut bytes).await, Ok(1..)) {
                return;
            }
        }
        let head = String::from_utf8(std::mem::take(&mut bytes)).unwrap();
        seen.lock().unwrap().push(head);
        if stream.write_all(&answer).await.is_err() {
            return;
        }
    }
}
