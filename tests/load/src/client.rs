//! A caller with one kept connection.

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// One connection to a server.
pub(crate) struct Client {
    authority: String,
    sender: SendRequest<Full<Bytes>>,
}

impl Client {
    pub(crate) async fn connect(authority: &str) -> Self {
        let stream = TcpStream::connect(authority).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .unwrap();
        tokio::spawn(connection);
        Self {
            authority: authority.to_owned(),
            sender,
        }
    }

    /// Posts JSON and answers status and body.
    pub(crate) async fn post(
        &mut self,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> (u16, Bytes) {
        let mut request = Request::post(path)
            .header("host", &self.authority)
            .header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(body))).unwrap();
        self.sender.ready().await.unwrap();
        let (parts, body) = self
            .sender
            .send_request(request)
            .await
            .unwrap()
            .into_parts();
        (
            parts.status.as_u16(),
            body.collect().await.unwrap().to_bytes(),
        )
    }
}
