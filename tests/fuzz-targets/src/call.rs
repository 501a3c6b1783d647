//! Requests in a readable form: a first line with the method and the query, headers, an empty line,
//! and the body.

use countersign_inbound::Call;
use http::{HeaderMap, HeaderName, HeaderValue, Method};

/// A request without host and path.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    pub(crate) method: Method,
    pub(crate) query: Option<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Incoming {
    /// Parses a request. Lines that are not valid headers are ignored.
    pub(crate) fn read(input: &[u8]) -> Self {
        let (first, mut rest) = line(input);
        let mut headers = HeaderMap::new();
        loop {
            let (header, after) = line(rest);
            rest = after;
            if header.is_empty() {
                break;
            }
            let parts = header.iter().position(|byte| *byte == b':');
            let parts = parts.map(|at| (&header[..at], header[at + 1..].trim_ascii()));
            let pair = parts.and_then(|(name, value)| {
                let name = HeaderName::from_bytes(name).ok()?;
                Some((name, HeaderValue::from_bytes(value).ok()?))
            });
            if let Some((name, value)) = pair {
                // `HeaderMap` itself has a limit, and servers stay far below it.
                if headers.len() < 64 {
                    headers.append(name, value);
                }
            }
        }
        let query = first.iter().position(|byte| *byte == b'?');
        let query = query.and_then(|at| std::str::from_utf8(&first[at + 1..]).ok());
        Self {
            method: if first.starts_with(b"GET") {
                Method::GET
            } else {
                Method::POST
            },
            query: query.map(str::to_owned),
            headers,
            body: rest.to_vec(),
        }
    }

    pub(crate) fn call(&self) -> Call<'_> {
        Call {
            method: &self.method,
            query: self.query.as_deref(),
            headers: &self.headers,
            body: &self.body,
        }
    }

    /// Sets a header, replacing all existing values of that name.
    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        let value = HeaderValue::from_str(value).expect("a header's value");
        self.headers.insert(HeaderName::from_static(name), value);
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the total size of the request's parts, in bytes.
    pub(crate) fn size(&self) -> usize {
        let headers = self.headers.values().map(HeaderValue::len);
        self.body.len() + self.query.as_ref().map_or(0, String::len) + headers.sum::<usize>()
    }
}

/// Splits off a line and its end.
fn line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[]),
    }
}
