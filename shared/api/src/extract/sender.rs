//! Routes that serve both the app's server and browsers or phones.

use axum::extract::FromRequestParts;
use http::request::Parts;

use super::api_key::{self, Caller};
use super::app_key::{self, NamedApp};
use super::bearer::Bearer;
use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;

/// Problems of a request that may have an API key.
pub(crate) const PROBLEMS: &[ProblemCode] = &[
    ProblemCode::CredentialsAmbiguous,
    ProblemCode::ApiKeyMalformed,
    ProblemCode::ApiKeyUnknown,
    ProblemCode::ApiKeyRevoked,
];

/// The credential with which callers other than the app's server send the same request.
pub(crate) trait Credential: FromRequestParts<ApiState, Rejection = Problem> {
    /// The header that carries it, in lower case.
    const HEADER: &'static str;
}

impl Credential for NamedApp {
    const HEADER: &'static str = app_key::HEADER;
}

impl<T: std::str::FromStr> Credential for Bearer<T> {
    const HEADER: &'static str = "authorization";
}

/// The sender of a request. The header `x-api-key` decides: with it, the sender is the app's server.
/// A request with both credentials is refused as ambiguous.
pub(crate) enum Sender<D> {
    /// The app's server, with a key of either mode.
    Server(Caller),
    /// A browser or a phone.
    Device(D),
}

impl<D: Credential + Send> FromRequestParts<ApiState> for Sender<D> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Problem> {
        if !parts.headers.contains_key(api_key::HEADER) {
            let device = D::from_request_parts(parts, state).await?;
            return Ok(Self::Device(device));
        }
        if parts.headers.contains_key(D::HEADER) {
            let header = D::HEADER;
            return Err(Problem::new(ProblemCode::CredentialsAmbiguous).detail(format!(
                "Send either x-api-key, from the app's server, or {header}, from a browser or a phone."
            )));
        }
        let caller = Caller::from_request_parts(parts, state).await?;
        Ok(Self::Server(caller))
    }
}
