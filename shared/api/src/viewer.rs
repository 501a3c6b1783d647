//! Where a request came from: who is believed on that, and what they say.
//!
//! Whatever is malformed counts as not said. An error would be the caller's to mend, and the
//! caller did not write it.

mod cloudfront;
mod forwarded;
mod policy;
mod proxy;

use std::net::IpAddr;

use axum::extract::{FromRequestParts, Request};
use countersign_domain::login::sighting::{Located, UserAgent};
use countersign_domain::use_cases::logins::Visitor;
use http::header::USER_AGENT;
use http::request::Parts;
use http::{HeaderMap, HeaderName};

pub use policy::{MalformedOriginSecret, OriginSecret, ViewerPolicy};
pub use proxy::{MalformedProxy, TrustedProxy};

use crate::problem::{Problem, ProblemCode};

/// The header with the origin secret.
const ORIGIN_SECRET: HeaderName = HeaderName::from_static("x-countersign-origin-secret");

/// The address at the other end of the connection, as the host sees it: an extension of the
/// request that every host of logins MUST insert. On Lambda it is `requestContext.http.sourceIp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub IpAddr);

/// Where a request came from, as whoever is believed says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Viewer {
    /// The address; never an IPv4 address in an IPv6 one's clothes.
    pub(crate) address: IpAddr,
    /// Where that is, as far as the request came with it.
    pub(crate) located: Located,
}

impl Viewer {
    /// Where a request came from.
    pub(crate) fn of(policy: &ViewerPolicy, request: &Request) -> Result<Self, Problem> {
        let Some(PeerAddress(peer)) = request.extensions().get() else {
            return Err(not_prepared(
                "the host does not say where requests come from",
            ));
        };
        Ok(Self::believed(policy, *peer, request.headers()))
    }

    pub(crate) fn believed(policy: &ViewerPolicy, peer: IpAddr, headers: &HeaderMap) -> Self {
        let through_cloudfront = came_through_cloudfront(policy, headers);
        let address = through_cloudfront
            .then(|| cloudfront::address(headers))
            .flatten()
            .unwrap_or_else(|| forwarded::address(policy, peer, headers));
        Self {
            address: address.to_canonical(),
            located: if through_cloudfront {
                cloudfront::located(headers)
            } else {
                Located::default()
            },
        }
    }
}

/// Whether a request came through CloudFront, which alone knows the origin secret.
pub(crate) fn came_through_cloudfront(policy: &ViewerPolicy, headers: &HeaderMap) -> bool {
    let presented = only(headers, &ORIGIN_SECRET);
    let secret = policy.origin_secret.as_ref();
    secret
        .zip(presented)
        .is_some_and(|(secret, presented)| secret.is(presented))
}

/// A header's value, if the header is there exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a [u8]> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.as_bytes())
}

/// Who calls, for the use cases.
pub(crate) struct Visiting(pub(crate) Visitor);

impl<S: Send + Sync> FromRequestParts<S> for Visiting {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let Some(Viewer { address, located }) = parts.extensions.get().cloned() else {
            return Err(not_prepared(
                "a handler is mounted without the guard around it",
            ));
        };
        let user_agent = parts
            .headers
            .get(USER_AGENT)
            .map_or_else(UserAgent::default, |value| {
                UserAgent::new(&String::from_utf8_lossy(value.as_bytes()))
            });
        Ok(Self(Visitor {
            address,
            user_agent,
            located,
        }))
    }
}

fn not_prepared(why: &'static str) -> Problem {
    Problem::ours(ProblemCode::InternalError, why)
}

#[cfg(test)]
mod tests;
