//! A minimal HTTP server for the clients of the AWS SDK and of Lambda.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A request: its first line, headers and body.
pub(crate) struct Request {
    pub(crate) line: String,
    headers: String,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Reads the next request on a connection; `None` at its end.
pub(crate) async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let (line, headers) = head.split_once("\r\n")?;
        let request = Request {
            line: line.to_owned(),
            headers: headers.to_owned(),
            body: body.to_owned(),
        };
        let whole = match request.header("content-length") {
            Some(length) => request.body.len() >= length.parse().ok()?,
            None => match request.header("transfer-encoding") {
                Some(_) => request.body.ends_with("0\r\n\r\n"),
                None => true,
            },
        };
        if whole {
            return Some(request);
        }
    }
}

/// Writes an answer: status, error name, body.
pub(crate) async fn write(stream: &mut TcpStream, answer: (u16, &str, &str)) -> io::Result<()> {
    let (status, error, body) = answer;
    write_with(
        stream,
        status,
        &format!("x-amzn-errortype: {error}\r\n"),
        body,
    )
    .await
}

/// Writes an answer with these headers, each including its line break.
pub(crate) async fn write_with(
    stream: &mut TcpStream,
    status: u16,
    headers: &str,
    body: &str,
) -> io::Result<()> {
    let answer = format!(
        "HTTP/1.1 {status} X\r\n{headers}content-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(answer.as_bytes()).await
}
