//! Where a request came from: who is believed on that, and what they say.

mod policy;
mod proxy;

use std::net::IpAddr;

pub use policy::{MalformedOriginSecret, OriginSecret, ViewerPolicy};
pub use proxy::{MalformedProxy, TrustedProxy};

/// The address at the other end of the connection, as the host sees it: an extension of the
/// request that every host of logins MUST insert. On Lambda it is `requestContext.http.sourceIp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub IpAddr);
