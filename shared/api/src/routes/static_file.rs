//! Files of this release that are the same for every caller.

use std::io::{self, Write as _};

use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, ETAG, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest as _, Sha256};

use crate::extract::{accept, if_none_match};

/// A file, plain and compressed. Each form needs its own tag (RFC 9110, section 8.8.1).
pub(crate) struct StaticFile {
    text: &'static str,
    tag: String,
    /// A third of the size; nearly every browser accepts it. Neither API Gateway nor the local server compresses.
    /// `None` if compression fails.
    compressed: Option<Vec<u8>>,
    compressed_tag: String,
}

impl StaticFile {
    pub(crate) fn new(text: &'static str) -> Self {
        let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(text));
        Self {
            text,
            tag: format!("\"{hash}\""),
            compressed: compress(text.as_bytes()).ok(),
            compressed_tag: format!("\"{hash}-gzip\""),
        }
    }

    /// Answers with the file in a form that the caller accepts, or says that the caller's copy is
    /// current.
    pub(crate) fn answer(&'static self, headers: &HeaderMap, kind: HeaderValue) -> Response {
        let compressed = self.compressed.as_deref().filter(|_| accept::gzip(headers));
        let tag = match compressed {
            Some(_) => &self.compressed_tag,
            None => &self.tag,
        };
        let mut response = match compressed {
            _ if if_none_match::matches(headers, tag) => StatusCode::NOT_MODIFIED.into_response(),
            Some(bytes) => {
                let gzip = HeaderValue::from_static("gzip");
                ([(CONTENT_TYPE, kind), (CONTENT_ENCODING, gzip)], bytes).into_response()
            }
            None => ([(CONTENT_TYPE, kind)], self.text).into_response(),
        };
        let headers = response.headers_mut();
        headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        if let Ok(tag) = HeaderValue::from_str(tag) {
            headers.insert(ETAG, tag);
        }
        response
    }
}

fn compress(file: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(file)?;
    encoder.finish()
}
