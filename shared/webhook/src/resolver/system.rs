//! The machine's name servers, asked by a resolver of our own.
//!
//! The system's `getaddrinfo` blocks a thread for each name: a few names that hang would starve
//! all others, or threads would grow without bound. It reads the hosts file and search domains
//! besides. So hickory asks the machine's name servers directly, without blocking.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::{Name, RData, RecordType};
use hickory_resolver::system_conf::read_system_conf;
use tokio::time::Instant;

use super::{Family, LookupError, NameLookup};

/// How long a configuration and what was learned under it are kept: a machine that moved to
/// another network, or a name that moved to another address, is right again after this.
const KEPT_FOR: Duration = Duration::from_mins(1);

/// How long one name server may take. The caller's bound on the whole lookup is no longer.
const SERVER_TIMEOUT: Duration = Duration::from_secs(2);

/// How many answers are kept.
const CACHED_ANSWERS: u64 = 1_024;

/// Where the name servers' addresses come from.
type Source = dyn Fn() -> Result<Vec<NameServerConfig>, NetError> + Send + Sync;

/// Looks names up at the machine's name servers (`/etc/resolv.conf`, or what the platform has).
///
/// The configuration is first read when a name is looked up, and again from time to time. While it
/// is missing or not valid each lookup fails with [`LookupError::Unavailable`]; nothing else does.
pub struct SystemLookup {
    source: Box<Source>,
    current: Mutex<Option<(Instant, TokioResolver)>>,
}

impl SystemLookup {
    /// A lookup by the machine's configuration, which is not read yet.
    #[must_use]
    pub fn new() -> Self {
        Self::from_source(|| {
            let (config, _) = read_system_conf()?;
            let (_, _, name_servers) = config.into_parts();
            Ok(name_servers)
        })
    }

    /// A lookup by a configuration from elsewhere.
    pub(super) fn from_source(
        source: impl Fn() -> Result<Vec<NameServerConfig>, NetError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            source: Box::new(source),
            current: Mutex::new(None),
        }
    }

    /// The resolver in use, made anew when it is too old.
    fn resolver(&self) -> Result<TokioResolver, LookupError> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made_at, resolver)) = &*current
            && made_at.elapsed() < KEPT_FOR
        {
            return Ok(resolver.clone());
        }
        let resolver = (self.source)().and_then(build).map_err(|cause| {
            tracing::warn!(%cause, "the machine's name servers are not known");
            LookupError::Unavailable
        })?;
        *current = Some((Instant::now(), resolver.clone()));
        Ok(resolver)
    }
}

impl Default for SystemLookup {
    fn default() -> Self {
        Self::new()
    }
}

/// A resolver that asks these name servers and consults nothing else.
fn build(name_servers: Vec<NameServerConfig>) -> Result<TokioResolver, NetError> {
    let config = ResolverConfig::from_name_servers(name_servers);
    let provider = TokioRuntimeProvider::default();
    let mut builder = TokioResolver::builder_with_config(config, provider);
    let options = builder.options_mut();
    options.use_hosts_file = ResolveHosts::Never;
    options.timeout = SERVER_TIMEOUT;
    options.attempts = 1;
    options.cache_size = CACHED_ANSWERS;
    builder.build()
}

#[async_trait]
impl NameLookup for SystemLookup {
    async fn addresses(&self, name: &str, family: Family) -> Result<Vec<IpAddr>, LookupError> {
        let resolver = self.resolver()?;
        let mut name = Name::from_ascii(name).map_err(|_| LookupError::NotFound)?;
        name.set_fqdn(true);
        let record_type = match family {
            Family::V4 => RecordType::A,
            Family::V6 => RecordType::AAAA,
        };
        match resolver.lookup(name, record_type).await {
            Ok(lookup) => {
                let records = lookup.answers().iter();
                Ok(records.filter_map(|record| address(&record.data)).collect())
            }
            Err(error) => Err(classify(&error)),
        }
    }
}

/// The address in a record, if it is one of an address.
fn address(data: &RData) -> Option<IpAddr> {
    match data {
        RData::A(a) => Some(IpAddr::V4(a.0)),
        RData::AAAA(aaaa) => Some(IpAddr::V6(aaaa.0)),
        _ => None,
    }
}

fn classify(error: &NetError) -> LookupError {
    match error {
        NetError::Dns(DnsError::NoRecordsFound(none))
            if matches!(
                none.response_code,
                ResponseCode::NoError | ResponseCode::NXDomain
            ) =>
        {
            LookupError::NotFound
        }
        NetError::Timeout => LookupError::TimedOut,
        NetError::Io(_) | NetError::NoConnections => LookupError::Unavailable,
        _ => LookupError::Failed,
    }
}
