//! Receivers on loopback, and clients that may connect to them.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::web::address;
use countersign_domain::web::callback_url::{CallbackPolicy, CallbackUrl};
use http::HeaderMap;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::{TcpListener, TcpStream};

use crate::client::{Failure, Limits, ReceiverResponse, WebhookClient, tls};
use crate::resolver::{Family, GuardedResolver, LookupError, NameLookup};

/// Time limit that only a hanging test reaches.
pub(crate) const HANG: Duration = Duration::from_mins(1);

/// Sun, 06 Nov 1994 08:49:00 GMT.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(784_111_740_000);

pub(crate) struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        NOW
    }
}

/// A server that runs a script on each connection, and counts connections.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Receiver {
    pub(crate) async fn on<F>(
        address: SocketAddr,
        serve: impl Fn(TcpStream) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream));
            }
        });
        Self {
            address,
            connections,
        }
    }

    pub(crate) async fn start<F>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self::on(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), serve).await
    }

    /// Starts a server that answers every request with `answer`.
    pub(crate) async fn answering(answer: &'static str) -> Self {
        Self::start(move |stream| answer_all(stream, answer)).await
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Returns a URL of this receiver for clients in local mode.
    pub(crate) fn url(&self) -> CallbackUrl {
        local_url(&format!("http://{}/hook", self.address))
    }
}

pub(crate) fn local_url(text: &str) -> CallbackUrl {
    CallbackUrl::parse(text, &CallbackPolicy::local()).unwrap()
}

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// Reads one request with a `content-length`; `None` if the connection ends first.
pub(crate) async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<ReceivedRequest> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let mut body = bytes.split_off(end);
    let head = String::from_utf8(bytes).unwrap();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.unwrap_or("0").parse().unwrap();
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(ReceivedRequest { head, body })
}

async fn answer_all(mut stream: TcpStream, answer: &'static str) {
    use tokio::io::AsyncWriteExt;
    while read_request(&mut stream).await.is_some() {
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// A lookup with scripted answers that records its queries.
pub(crate) struct Scripted<F> {
    script: F,
    pub(crate) asked: Mutex<Vec<(String, Family)>>,
}

impl<F> Scripted<F>
where
    F: Fn(&str, Family, usize) -> Result<Vec<IpAddr>, LookupError> + Send + Sync + 'static,
{
    /// Creates a lookup from a script, which gets the name, the family, and how often that pair was looked
    /// up before.
    pub(crate) fn new(script: F) -> Arc<Self> {
        Arc::new(Self {
            script,
            asked: Mutex::default(),
        })
    }

    pub(crate) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

#[async_trait]
impl<F> NameLookup for Scripted<F>
where
    F: Fn(&str, Family, usize) -> Result<Vec<IpAddr>, LookupError> + Send + Sync + 'static,
{
    async fn addresses(&self, name: &str, family: Family) -> Result<Vec<IpAddr>, LookupError> {
        let mut asked = self.asked.lock().unwrap();
        let question = (name.to_owned(), family);
        let before = asked.iter().filter(|earlier| **earlier == question).count();
        asked.push(question);
        (self.script)(name, family, before)
    }
}

/// Returns a lookup that panics if it is used.
pub(crate) fn no_lookup() -> Arc<dyn NameLookup> {
    Scripted::new(|name, _, _| panic!("{name} was looked up"))
}

/// Returns the addresses for IPv4, and no address for IPv6.
pub(crate) fn v4_only(family: Family, addresses: &[&str]) -> Result<Vec<IpAddr>, LookupError> {
    match family {
        Family::V4 => Ok(addresses.iter().map(|text| text.parse().unwrap()).collect()),
        Family::V6 => Err(LookupError::NotFound),
    }
}

pub(crate) fn local_client() -> WebhookClient {
    local_client_with(Limits::default())
}

pub(crate) fn local_client_with(limits: Limits) -> WebhookClient {
    WebhookClient::with(
        CallbackPolicy::local(),
        Arc::new(FixedClock),
        limits,
        no_lookup(),
    )
    .unwrap()
}

/// Returns a client with the deployed settings, except that it trusts `roots` and treats 127.0.0.1 as
/// public, so that names can resolve to receivers on this machine.
pub(crate) fn guarded_client(
    port: u16,
    lookup: Arc<dyn NameLookup>,
    roots: RootCertStore,
) -> WebhookClient {
    let policy = CallbackPolicy {
        extra_ports: vec![port],
        ..CallbackPolicy::deployed()
    };
    let limits = Limits::default();
    let resolver = guarded_resolver(lookup, &limits);
    let tls: ClientConfig = tls::trusting(roots).unwrap();
    WebhookClient::assemble(policy, Arc::new(FixedClock), limits, &resolver, &tls).unwrap()
}

/// Returns a resolver that treats 127.0.0.1 as public.
pub(crate) fn guarded_resolver(lookup: Arc<dyn NameLookup>, limits: &Limits) -> GuardedResolver {
    GuardedResolver::judging_by(lookup, limits.dns, |address| {
        if address == IpAddr::V4(Ipv4Addr::LOCALHOST) {
            Ok(())
        } else {
            address::check(address)
        }
    })
}

/// Posts a small body and returns the outcome.
pub(crate) async fn post(
    client: &WebhookClient,
    url: &CallbackUrl,
) -> Result<ReceiverResponse, Failure> {
    let body = Bytes::from_static(br#"{"a":1}"#);
    tokio::time::timeout(HANG, client.post(url, HeaderMap::new(), body, NOW))
        .await
        .unwrap()
}
