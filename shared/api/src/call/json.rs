use axum::extract::FromRequestParts;
use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::request::Parts;

use super::WholeBody;
use crate::problem::{Problem, ProblemCode};

/// The bytes of a body that says of itself that it is JSON. No body at all counts as `{}`, and
/// needs no content type.
pub(crate) struct JsonBody(pub(crate) Bytes);

impl<S: Send + Sync> FromRequestParts<S> for JsonBody {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let WholeBody(bytes) = WholeBody::from_request_parts(parts, state).await?;
        if bytes.is_empty() {
            return Ok(Self(Bytes::from_static(b"{}")));
        }
        if !is_json(&parts.headers) {
            return Err(Problem::new(ProblemCode::UnsupportedContentType)
                .detail("Send Content-Type: application/json."));
        }
        let plain = |value: &http::HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
        if !parts.headers.get_all(CONTENT_ENCODING).iter().all(plain) {
            return Err(Problem::new(ProblemCode::UnsupportedContentType)
                .detail("Send the body as it is, without Content-Encoding."));
        }
        Ok(Self(bytes))
    }
}

/// Whether there is one content type, and it is JSON's, with whatever parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return false;
    };
    let value = value.as_bytes();
    let essence = value.split(|c| *c == b';').next().unwrap_or_default();
    essence
        .trim_ascii()
        .eq_ignore_ascii_case(b"application/json")
}
