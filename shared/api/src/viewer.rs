//! Where a request came from, and which proxies are trusted to report it.
//!
//! A malformed header counts as absent. An error would be useless: the caller did not write the
//! header and cannot correct it.

mod cloudfront;
mod forwarded;
mod policy;
mod proxy;

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::Request;
use countersign_domain::login::sighting::Located;
use http::HeaderMap;

pub use policy::{MalformedOriginSecret, OriginSecret, ViewerPolicy};
pub use proxy::{MalformedProxy, TrustedProxy};

pub use cloudfront::ORIGIN_SECRET;
pub(crate) use cloudfront::came_through_cloudfront;

use crate::problem::{Problem, ProblemCode};

/// The address at the other end of the connection, as the host sees it. Every host of logins MUST
/// add it to each request's extensions. On Lambda it is `requestContext.http.sourceIp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub IpAddr);

/// The URL of the WebSocket under the host name that the request used. A host with several names adds it to
/// each request's extensions, since pages cannot resolve the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnSocket(pub Arc<str>);

/// Where a request came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Viewer {
    /// The address; never an IPv4 address mapped to IPv6.
    pub(crate) address: IpAddr,
    /// The place and network of the address, if CloudFront sent them.
    pub(crate) located: Located,
}

impl Viewer {
    /// Returns where a request came from, based on its headers and its [`PeerAddress`].
    pub(crate) fn of_request(policy: &ViewerPolicy, request: &Request) -> Result<Self, Problem> {
        let Some(PeerAddress(peer)) = request.extensions().get() else {
            return Err(Problem::ours(
                ProblemCode::InternalError,
                "the host does not say where requests come from",
            ));
        };
        Ok(Self::new(policy, *peer, request.headers()))
    }

    /// Returns where a request from `peer` with these headers came from.
    pub(crate) fn new(policy: &ViewerPolicy, peer: IpAddr, headers: &HeaderMap) -> Self {
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

#[cfg(test)]
mod tests;
