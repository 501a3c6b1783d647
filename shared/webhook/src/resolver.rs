//! From a callback's name to addresses that it may be reached at.
//!
//! Judging happens here, between the lookup and the connection, and the addresses that were judged
//! are the ones that are connected to: there is no second lookup that could answer otherwise.

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

/// How many addresses of each family are handed on. Connecting shares its time among them, so
/// more would leave too little for each.
const MAX_ADDRESSES: usize = 3;

/// Which kind of address is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// IPv4 (`A` records).
    V4,
    /// IPv6 (`AAAA` records).
    V6,
}

/// Looks names up.
///
/// Every implementation MUST take the name as fully qualified (no search domains, no hosts file),
/// MUST answer every address that it was given, and MUST NOT let one name that hangs delay
/// another. It need not bound its time: whoever asks does.
#[async_trait]
pub trait NameLookup: Send + Sync {
    /// The addresses of one family that `name` has. The name is in ASCII, without a final dot.
    async fn addresses(&self, name: &str, family: Family) -> Result<Vec<IpAddr>, LookupError>;
}

/// Why a name led to no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LookupError {
    /// The name does not exist, or has no address. The receiver's affair.
    #[error("the name has no address")]
    NotFound,
    /// No answer in time.
    #[error("the name servers did not answer in time")]
    TimedOut,
    /// The name servers answered that they could not find out.
    #[error("the name servers failed to look the name up")]
    Failed,
    /// This machine has no usable name servers. Ours.
    #[error("this machine has no usable name servers")]
    Unavailable,
}

/// Why a name was not resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ResolveError {
    /// One of its addresses must not be reached, so none of them is.
    #[error("one of the name's addresses is refused: {0}")]
    Refused(#[from] ForbiddenAddress),
    /// `localhost`, where the policy does not have it.
    #[error("this machine's own name is refused")]
    RefusedName,
    /// There is no address.
    #[error(transparent)]
    Lookup(#[from] LookupError),
}

/// How an address is judged.
type Judge = dyn Fn(IpAddr) -> Result<(), ForbiddenAddress> + Send + Sync;

/// The resolver that stands between a URL's name and the connection.
#[derive(Clone)]
pub struct GuardedResolver(Arc<Inner>);

struct Inner {
    lookup: Arc<dyn NameLookup>,
    judge: Box<Judge>,
    localhost: bool,
    timeout: Duration,
}

impl GuardedResolver {
    /// Resolves by `lookup`, giving each name at most `timeout`, and judges by `policy`.
    #[must_use]
    pub fn new(lookup: Arc<dyn NameLookup>, policy: &CallbackPolicy, timeout: Duration) -> Self {
        let localhost = policy.allow_loopback_http;
        let policy = policy.clone();
        let judge = Box::new(move |address| policy.judge_resolved(address));
        Self(Arc::new(Inner {
            lookup,
            judge,
            localhost,
            timeout,
        }))
    }

    /// A resolver to which other addresses are public: tests have loopback alone to connect to.
    #[cfg(test)]
    pub(crate) fn judging_by(
        lookup: Arc<dyn NameLookup>,
        timeout: Duration,
        judge: impl Fn(IpAddr) -> Result<(), ForbiddenAddress> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Inner {
            lookup,
            judge: Box::new(judge),
            localhost: false,
            timeout,
        }))
    }

    /// The addresses that a connection to `name` may use, IPv4 first; never none.
    ///
    /// Refused where *any* address of the name is: one that is public would only be the bait.
    /// `localhost` is this machine where the policy allows that, and no lookup is made for it.
    pub async fn vetted(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let name = name.strip_suffix('.').unwrap_or(name);
        if name.eq_ignore_ascii_case("localhost") {
            let this_machine = vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
            return if self.0.localhost {
                Ok(this_machine)
            } else {
                Err(ResolveError::RefusedName)
            };
        }
        let (v4, v6) = self.0.both(name).await?;
        for address in v4.iter().chain(&v6) {
            (self.0.judge)(*address)?;
        }
        let handed_on = |family: Vec<IpAddr>| family.into_iter().take(MAX_ADDRESSES);
        Ok(handed_on(v4).chain(handed_on(v6)).collect())
    }
}

impl Inner {
    /// Asks for both families at once. One that fails or comes too late does not spoil the other:
    /// only what was answered is judged, and only what was judged is used.
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
            // A name without an address of one family says less than why the other is not known.
            (Err(error), Ok(_) | Err(LookupError::NotFound)) | (_, Err(error)) => Err(error),
        }
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let vetted = resolver.vetted(name.as_str()).await?;
            // Port 0 stands for the URL's, which the connector fills in.
            let addresses: Addrs = Box::new(
                vetted
                    .into_iter()
                    .map(|address| SocketAddr::new(address, 0)),
            );
            Ok(addresses)
        })
    }
}
