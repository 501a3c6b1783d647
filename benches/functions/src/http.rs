//! A minimal HTTP/1.1 server. Each answer is one write, so that a client reads it in one piece.

use std::io::{self, Read, Write};

#[derive(Debug)]
pub struct Request {
    /// The request line.
    pub line: String,
    headers: String,
    /// The body, without chunked framing.
    pub body: Vec<u8>,
}

impl Request {
    /// Returns the first value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Reads the requests of one connection.
#[derive(Debug, Default)]
pub struct Reader(Vec<u8>);

impl Reader {
    /// Reads the next request; returns `None` at the end of the connection.
    pub fn read(&mut self, stream: &mut impl Read) -> Option<Request> {
        let head = loop {
            if let Some(end) = find(&self.0, b"\r\n\r\n") {
                break end;
            }
            self.more(stream)?;
        };
        let text = String::from_utf8_lossy(&self.0[..head]).into_owned();
        self.0.drain(..head + 4);
        let (line, headers) = text.split_once("\r\n").unwrap_or((&text, ""));
        let mut request = Request {
            line: line.to_owned(),
            headers: headers.to_owned(),
            body: Vec::new(),
        };
        request.body = match request.header("content-length") {
            Some(length) => self.take(stream, length.parse().ok()?)?,
            None if request.header("transfer-encoding").is_some() => self.chunks(stream)?,
            None => Vec::new(),
        };
        Some(request)
    }

    fn chunks(&mut self, stream: &mut impl Read) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let end = loop {
                if let Some(end) = find(&self.0, b"\r\n") {
                    break end;
                }
                self.more(stream)?;
            };
            let size = std::str::from_utf8(&self.0[..end]).ok()?;
            let size = usize::from_str_radix(size.split(';').next()?, 16).ok()?;
            self.0.drain(..end + 2);
            body.extend(self.take(stream, size)?);
            self.take(stream, 2)?;
            if size == 0 {
                return Some(body);
            }
        }
    }

    fn take(&mut self, stream: &mut impl Read, length: usize) -> Option<Vec<u8>> {
        while self.0.len() < length {
            self.more(stream)?;
        }
        Some(self.0.drain(..length).collect())
    }

    fn more(&mut self, stream: &mut impl Read) -> Option<()> {
        let mut bytes = [0; 16 * 1024];
        let count = stream.read(&mut bytes).ok()?;
        self.0.extend_from_slice(&bytes[..count]);
        (count > 0).then_some(())
    }
}

/// Writes an answer with these headers, each of which ends with a line break.
pub(crate) fn write(
    stream: &mut impl Write,
    status: u16,
    headers: &str,
    body: &str,
) -> io::Result<()> {
    let answer = format!(
        "HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(answer.as_bytes())?;
    stream.flush()
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}
