//! Bodies that are forms.

use axum::extract::FromRequestParts;
use countersign_domain::openid::parameters::Parameters;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use http::request::Parts;

use super::error::ClientError;
use crate::extract::body::WholeBody;
use crate::header::Single;

/// The media type of forms.
const FORM: &[u8] = b"application/x-www-form-urlencoded";

/// The parameters of a body that is a form. An empty body has none.
pub(super) struct Form(pub(super) Parameters);

impl<S: Send + Sync> FromRequestParts<S> for Form {
    type Rejection = ClientError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ClientError> {
        let WholeBody(bytes) = WholeBody::from_request_parts(parts, state).await?;
        if bytes.is_empty() || is_form(&parts.headers) {
            Ok(Self(Parameters::parse(&bytes)))
        } else {
            Err(ClientError::InvalidRequest(
                "Content-Type must be application/x-www-form-urlencoded",
            ))
        }
    }
}

/// Returns whether there is one content type and it is that of forms, with any parameters.
pub(super) fn is_form(headers: &HeaderMap) -> bool {
    let Single::Once(value) = Single::find(headers, CONTENT_TYPE.as_str()) else {
        return false;
    };
    let essence = value.as_bytes().split(|c| *c == b';').next();
    essence.is_some_and(|essence| essence.trim_ascii().eq_ignore_ascii_case(FORM))
}
