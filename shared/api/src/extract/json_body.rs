//! Bodies that are JSON.

use axum::extract::FromRequestParts;
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};

use super::body::WholeBody;
use crate::header::Single;
use crate::problem::{Problem, ProblemCode};

/// Problems of a request whose body must be JSON, in addition to the problems of any body.
pub(crate) const PROBLEMS: &[ProblemCode] = &[ProblemCode::UnsupportedContentType];

/// The bytes of a body whose content type is JSON. An empty body counts as `{}` and needs no
/// content type.
pub(crate) struct JsonBody(pub(crate) Bytes);

impl<S: Send + Sync> FromRequestParts<S> for JsonBody {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let WholeBody(bytes) = WholeBody::from_request_parts(parts, state).await?;
        if bytes.is_empty() {
            return Ok(Self(Bytes::from_static(b"{}")));
        }
        let unsupported = |detail| Problem::new(ProblemCode::UnsupportedContentType).detail(detail);
        if !is_json(&parts.headers) {
            return Err(unsupported("Send Content-Type: application/json."));
        }
        let plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
        if !parts.headers.get_all(CONTENT_ENCODING).iter().all(plain) {
            return Err(unsupported("Send the body without Content-Encoding."));
        }
        Ok(Self(bytes))
    }
}

/// Returns whether there is one content type and it is JSON's, with any parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let Single::Once(value) = Single::find(headers, CONTENT_TYPE.as_str()) else {
        return false;
    };
    let value = value.as_bytes();
    let essence = value.split(|c| *c == b';').next().unwrap_or_default();
    essence
        .trim_ascii()
        .eq_ignore_ascii_case(b"application/json")
}
