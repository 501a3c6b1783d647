//! A caller with one persistent connection.

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::SendRequest;
use hyper::http::request::Builder;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::empty::Answer;

/// A connection to a server.
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

    /// Posts JSON and returns the answer.
    pub(crate) async fn post(
        &mut self,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Answer {
        let request = Request::post(path).header("content-type", "application/json");
        self.call(request, headers, body).await
    }

    /// Posts a form and returns the answer.
    pub(crate) async fn form(&mut self, path: &str, form: String) -> Answer {
        let kind = "application/x-www-form-urlencoded";
        let request = Request::post(path).header("content-type", kind);
        self.call(request, &[], form).await
    }

    /// Sends a GET request and returns the answer.
    pub(crate) async fn get(&mut self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.call(Request::get(path), headers, String::new()).await
    }

    async fn call(&mut self, request: Builder, headers: &[(&str, &str)], body: String) -> Answer {
        let mut request = request.header("host", &self.authority);
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
        Answer {
            status: parts.status,
            headers: parts.headers,
            body: body.collect().await.unwrap().to_bytes(),
        }
    }
}
