//! A function that answers every event without doing anything. It shows the cost of Lambda's
//! interface itself.

use std::io::{self, Write as _};
use std::net::TcpStream;

use countersign_functions_bench::http::Reader;

/// Answers events until Lambda ends the process.
fn main() -> io::Result<()> {
    let body = r#"{"statusCode":200,"headers":{},"body":"{}"}"#;
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
