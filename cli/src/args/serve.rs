//! The options of `countersign serve`.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use countersign_api::viewer::TrustedProxy;
use countersign_domain::confirmation::{MAX_RETENTION, VALIDITIES};

use super::size;
use crate::logs::LogFormat;
use crate::server_address::{LocalHost, MetricsHost, PublicUrl};

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8787", value_parser = listen_address)]
    pub(crate) listen: SocketAddr,
    /// Answer GET /metrics with the counters in Prometheus's text format on this address, which
    /// must not be reachable from outside: it shows the names of the apps and how much they are
    /// used
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = listen_address)]
    pub(crate) metrics: Option<SocketAddr>,
    /// Also answer GET /metrics under this name, not only at addresses and at localhost; may be repeated
    #[arg(long, value_name = "NAME", requires = "metrics")]
    pub(crate) metrics_host: Vec<MetricsHost>,
    /// The URL that callers use, if not the address that the server listens on. A host other than
    /// this machine's loopback turns local mode off
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<PublicUrl>,
    /// In local mode, also answer to this name, and stay in local mode regardless of --listen: for a development
    /// container, a compose network or a phone in your network; may be repeated, with the name that browsers use first.
    /// Anyone who reaches the port can then use the playground and the demo app, and read its texts and webhooks
    #[arg(long, value_name = "NAME[:PORT]")]
    pub(crate) local_host: Vec<LocalHost>,
    /// The time for which a confirmation stays open, such as 5m or 90s
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = validity)]
    pub(crate) validity: Duration,
    /// The time to keep a verified confirmation after the last retry of its webhook, such as 7d
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = retention)]
    pub(crate) retention: Duration,
    /// A file in the MaxMind DB format that maps addresses to places, such as a downloaded GeoLite2-City.mmdb; may
    /// be repeated. It takes precedence over what `countersign places fetch` has fetched, and is reloaded within a
    /// minute after it is replaced
    #[arg(long, value_name = "FILE")]
    pub(crate) places: Vec<PathBuf>,
    /// Trust X-Forwarded-For from this proxy, an address or a network such as 10.0.0.0/8, and let
    /// it use all connections; may be repeated
    #[arg(long, value_name = "PROXY")]
    pub(crate) trusted_proxy: Vec<TrustedProxy>,
    /// A file with the secret that CloudFront sends as x-countersign-origin-secret. Requests with
    /// this secret are trusted about their viewers
    #[arg(long, value_name = "FILE")]
    pub(crate) origin_secret_file: Option<PathBuf>,
    /// Apply no rate limits and no quotas, for load tests and protocol tests; only in local mode
    #[arg(long)]
    pub(crate) no_rate_limits: bool,
    /// Refuse new confirmations, logins and association keys if the disk has less free space than
    /// this, such as 256MiB
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size::bytes)]
    pub(crate) min_free_space: u64,
    /// Start with a new, empty store if the store is missing but its keys exist: without any app,
    /// API key or confirmation
    #[arg(long)]
    pub(crate) new_store: bool,
    /// The maximum number of receivers whose next webhook is in memory, at about 500 bytes each;
    /// webhooks for other receivers wait in the store
    #[arg(long, value_name = "COUNT", default_value = "100000", value_parser = webhook_queue)]
    pub(crate) webhook_queue: usize,
    /// The maximum number of open connections. When all are open, a new connection replaces one
    /// that is waiting for a request
    #[arg(long, value_name = "COUNT", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_connections: u32,
    /// The maximum number of connections per address (an IPv4 address or an IPv6 /64; a /48 may have
    /// twice as many). Trusted proxies are exempt [default: a quarter of all]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_connections_per_address: Option<u32>,
    /// The format of log lines
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
}

/// Parses an address, or `localhost` and a port.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let named = text
        .strip_prefix("localhost:")
        .map(|port| format!("127.0.0.1:{port}"));
    let address = named.as_deref().unwrap_or(text);
    address
        .parse()
        .map_err(|_| "must be ADDRESS:PORT, such as 127.0.0.1:8787".to_owned())
}

/// Allowed values for the number of webhooks in memory.
const WEBHOOK_QUEUES: RangeInclusive<usize> = 16..=10_000_000;

/// Parses a duration from one millisecond to one day.
fn validity(text: &str) -> Result<Duration, String> {
    time(text).and_then(|time| {
        VALIDITIES
            .contains(&time)
            .then_some(time)
            .ok_or_else(|| "must be between 1ms and 1d".to_owned())
    })
}

/// Parses a duration of at most ten years.
fn retention(text: &str) -> Result<Duration, String> {
    time(text).and_then(|time| {
        (time <= MAX_RETENTION)
            .then_some(time)
            .ok_or_else(|| "must be at most 3650d".to_owned())
    })
}

/// Parses a queue size: large enough for a few webhooks of each app, small enough for memory.
fn webhook_queue(text: &str) -> Result<usize, String> {
    let count = text.parse().map_err(|_| "a number".to_owned())?;
    WEBHOOK_QUEUES
        .contains(&count)
        .then_some(count)
        .ok_or_else(|| "must be between 16 and 10000000".to_owned())
}

fn time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_| "must be a number and a unit, such as 90s, 5m or 7d".to_owned())
}
