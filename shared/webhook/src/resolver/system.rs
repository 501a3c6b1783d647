//! A resolver that queries the machine's name servers.
//!
//! The system's `getaddrinfo` blocks a thread for each name: a few hanging names would starve all
//! others, or threads would grow without limit. It also reads the hosts file and search domains.
//! Therefore hickory queries the machine's name servers directly, without blocking.

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

/// The lifetime of a configuration and its cached answers. After this time, a machine on a new
/// network or a name with a new address works again.
const CACHE_TTL: Duration = Duration::from_mins(1);

/// Time limit per name server. The caller's limit on the whole lookup is no longer than this.
const SERVER_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum number of cached answers.
const CACHED_ANSWERS: u64 = 1_024;

/// Returns the addresses of the name servers.
type Source = dyn Fn() -> Result<Vec<NameServerConfig>, NetError> + Send + Sync;

/// Looks up names with the machine's name servers (`/etc/resolv.conf`, or the platform's
/// equivalent).
///
/// The configuration is read at the first lookup and again from time to time. While it is missing
/// or invalid, each lookup fails with [`LookupError::Unavailable`].
pub struct SystemLookup {
    source: Box<Source>,
    current: Mutex<Option<(Instant, TokioResolver)>>,
}

impl SystemLookup {
    /// Creates a lookup with the machine's configuration, which is read later.
    #[must_use]
    pub fn new() -> Self {
        Self::from_source(|| {
            let (config, _) = read_system_conf()?;
            let (_, _, name_servers) = config.into_parts();
            Ok(name_servers)
        })
    }

    /// Creates a lookup with another configuration.
    pub(super) fn from_source(
        source: impl Fn() -> Result<Vec<NameServerConfig>, NetError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            source: Box::new(source),
            current: Mutex::new(None),
        }
    }

    /// Returns the current resolver, and rebuilds it if it is too old.
    fn resolver(&self) -> Result<TokioResolver, LookupError> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made_at, resolver)) = &*current
            && made_at.elapsed() < CACHE_TTL
        {
            return Ok(resolver.clone());
        }
        let resolver = (self.source)().and_then(build).map_err(|cause| {
            tracing::warn!(%cause, "cannot read the machine's name servers");
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

/// Builds a resolver that queries only these name servers.
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

/// Returns the address in an address record.
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
