//! Resolves the host name of a callback to the addresses that may be connected to.
//!
//! The guard checks addresses between the lookup and the connection, and the connection uses
//! exactly the checked addresses: no second lookup could answer differently.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::web::address::ForbiddenAddress;
use countersign_domain::web::callback_url::CallbackPolicy;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

mod system;

#[cfg(test)]
mod tests;

pub use system::SystemLookup;

/// Maximum number of addresses of each family. The connection timeout is divided among them, so
/// more would leave too little time for each.
const MAX_ADDRESSES: usize = 3;

/// An address family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// IPv4 (`A` records).
    V4,
    /// IPv6 (`AAAA` records).
    V6,
}

/// Looks up names.
///
/// Every implementation MUST treat the name as fully qualified (no search domains, no hosts file),
/// MUST return every address that it receives, and MUST NOT let one hanging name delay another. It
/// need not limit its own time: callers do.
#[async_trait]
pub trait NameLookup: Send + Sync {
    /// Returns the name's addresses of one family. The name is ASCII without a trailing dot.
    ///
    /// # Errors
    ///
    /// Fails if the name has no address of this family or the lookup does not succeed.
    async fn addresses(&self, name: &str, family: Family) -> Result<Vec<IpAddr>, LookupError>;
}

/// Why a name has no known address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LookupError {
    /// The name does not exist or has no address. The receiver is at fault.
    #[error("the name has no address")]
    NotFound,
    #[error("the name servers did not answer in time")]
    TimedOut,
    /// The name servers could not resolve the name.
    #[error("the name servers failed to look the name up")]
    Failed,
    /// This machine has no usable name servers. The deployment is at fault.
    #[error("this machine has no usable name servers")]
    Unavailable,
}

/// Why a name was not resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ResolveError {
    /// One of the name's addresses is forbidden, so none is used.
    #[error("one of the name's addresses is refused: {0}")]
    Refused(#[from] ForbiddenAddress),
    /// The name is `localhost`, which the policy does not allow.
    #[error("this machine's own name is refused")]
    RefusedName,
    /// The name has no known address.
    #[error(transparent)]
    Lookup(#[from] LookupError),
}

/// Decides on an address.
type AddressCheck = dyn Fn(IpAddr) -> Result<(), ForbiddenAddress> + Send + Sync;

/// The guard between a URL's host name and the connection.
#[derive(Clone)]
pub struct GuardedResolver(Arc<Inner>);

struct Inner {
    lookup: Arc<dyn NameLookup>,
    check: Box<AddressCheck>,
    policy: CallbackPolicy,
    timeout: Duration,
}

impl GuardedResolver {
    /// Creates a guard that calls `lookup`, for at most `timeout` per name, and applies `policy`.
    #[must_use]
    pub fn new(lookup: Arc<dyn NameLookup>, policy: &CallbackPolicy, timeout: Duration) -> Self {
        let guard = policy.clone();
        Self(Arc::new(Inner {
            lookup,
            check: Box::new(move |address| guard.check_resolved(address)),
            policy: policy.clone(),
            timeout,
        }))
    }

    /// Creates a guard with different rules, since tests can only connect to loopback.
    #[cfg(test)]
    pub(crate) fn judging_by(
        lookup: Arc<dyn NameLookup>,
        timeout: Duration,
        check: impl Fn(IpAddr) -> Result<(), ForbiddenAddress> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Inner {
            lookup,
            check: Box::new(check),
            policy: CallbackPolicy::deployed(),
            timeout,
        }))
    }

    /// Returns the addresses that a connection to `name` may use, IPv4 first; the list is never
    /// empty.
    ///
    /// One forbidden address makes the guard refuse the whole name: the public ones may only be bait.
    /// `localhost` and the policy's other names for this machine resolve to loopback without a
    /// lookup, if the policy allows that.
    ///
    /// # Errors
    ///
    /// Fails if an address is forbidden or the name has no address.
    pub async fn vetted(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let name = name.strip_suffix('.').unwrap_or(name);
        if self.0.policy.is_this_machine(name) {
            let this_machine = vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
            return if self.0.policy.allow_loopback_http {
                Ok(this_machine)
            } else {
                Err(ResolveError::RefusedName)
            };
        }
        let (v4, v6) = self.0.both(name).await?;
        for address in v4.iter().chain(&v6) {
            (self.0.check)(*address)?;
        }
        let handed_on = |family: Vec<IpAddr>| family.into_iter().take(MAX_ADDRESSES);
        Ok(handed_on(v4).chain(handed_on(v6)).collect())
    }
}

impl Inner {
    /// Looks up both families concurrently. If one lookup fails or is too late, the other is still
    /// used: every address that arrives is checked, and only checked addresses are used.
    async fn both(&self, name: &str) -> Result<(Vec<IpAddr>, Vec<IpAddr>), LookupError> {
        let bounded = async |family| {
            let asked = self.lookup.addresses(name, family);
            tokio::time::timeout(self.timeout, asked)
                .await
                .unwrap_or(Err(LookupError::TimedOut))
        };
        let (v4, v6) = tokio::join!(bounded(Family::V4), bounded(Family::V6));
        match (v4, v6) {
            (Ok(v4), Ok(v6)) if v4.is_empty() && v6.is_empty() => Err(LookupError::NotFound),
            (Ok(v4), Ok(v6)) => Ok((v4, v6)),
            (Ok(v4), Err(_)) if !v4.is_empty() => Ok((v4, Vec::new())),
            (Err(_), Ok(v6)) if !v6.is_empty() => Ok((Vec::new(), v6)),
            // The reason why one family failed is more informative than that the other has no
            // address.
            (Err(error), Ok(_) | Err(LookupError::NotFound)) | (_, Err(error)) => Err(error),
        }
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let vetted = resolver.vetted(name.as_str()).await?;
            // Port 0 stands for the URL's port, which the connector fills in.
            let addresses: Addrs = Box::new(
                vetted
                    .into_iter()
                    .map(|address| SocketAddr::new(address, 0)),
            );
            Ok(addresses)
        })
    }
}
