//! The client of Lambda's runtime API.

use std::io::{self, Write as _};
use std::net::TcpStream;

use crate::http::Reader;

/// Answers events until Lambda ends the process.
///
/// # Errors
/// Fails if the runtime API cannot be reached, or ends the connection.
pub fn serve(mut answer: impl FnMut(&[u8]) -> String) -> io::Result<()> {
    let host = std::env::var("AWS_LAMBDA_RUNTIME_API").map_err(io::Error::other)?;
    let mut stream = TcpStream::connect(&host)?;
    stream.set_nodelay(true)?;
    let mut reader = Reader::default();
    let ended = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let next = format!("GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: {host}\r\n\r\n");
    loop {
        stream.write_all(next.as_bytes())?;
        let event = reader.read(&mut stream).ok_or_else(ended)?;
        let id = event.header("lambda-runtime-aws-request-id");
        let body = answer(&event.body);
        let request = format!(
            "POST /2018-06-01/runtime/invocation/{}/response HTTP/1.1\r\nHost: {host}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            id.unwrap_or_default(),
            body.len()
        );
        stream.write_all(request.as_bytes())?;
        reader.read(&mut stream).ok_or_else(ended)?;
    }
}
