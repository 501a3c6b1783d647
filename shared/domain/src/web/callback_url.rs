//! The address that a webhook is sent to, as its owner named it.
//!
//! Reading and judging are two steps. Reading ([`CallbackUrl::from_stored`]) looks at the text
//! alone: one spelling comes out whatever went in. Judging ([`CallbackUrl::judge`]) holds that
//! against a [`CallbackPolicy`], at creation (both: [`CallbackUrl::parse`]) and again at sending,
//! since a policy may have changed in between. Names are not resolved here: what a name means is
//! known only when the connection is made.

use std::fmt;
use std::net::IpAddr;

use thiserror::Error;
use url::{Host, Url};

use crate::web::address;
use crate::web::address::ForbiddenAddress;

pub use origin::CallbackOrigin;

mod origin;
mod text;

#[cfg(test)]
mod tests;

/// The longest callback URL, in bytes, as written and as normalised.
pub const MAX_BYTES: usize = 2_048;

/// Ports that are allowed everywhere.
const PORTS: [u16; 2] = [443, 8443];

/// The one name that means this machine; known without asking any resolver.
const LOCALHOST: &str = "localhost";

/// Last labels of names that are never on the Internet.
const PRIVATE_SUFFIXES: [&str; 4] = ["internal", "local", "localhost", "localdomain"];

/// What a deployment lets callbacks be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackPolicy {
    /// Allows `http` and `https` to `localhost` and to loopback literals, on any port. For local
    /// mode only.
    pub allow_loopback_http: bool,
    /// Ports allowed besides 443 and 8443.
    pub extra_ports: Vec<u16>,
    /// Whether egress passes through NAT64, so that an address in `64:ff9b::/96` is judged by the
    /// IPv4 address inside it rather than refused.
    pub nat64: bool,
}

impl CallbackPolicy {
    /// What holds wherever strangers may name callbacks: https on 443 and 8443 to public hosts.
    #[must_use]
    pub const fn deployed() -> Self {
        Self {
            allow_loopback_http: false,
            extra_ports: Vec::new(),
            nat64: false,
        }
    }

    /// [`Self::deployed`], and the developer's own machine too.
    #[must_use]
    pub const fn local() -> Self {
        Self {
            allow_loopback_http: true,
            extra_ports: Vec::new(),
            nat64: false,
        }
    }

    /// Judges an address that a name was resolved to. Loopback is never among those that pass,
    /// in local mode either: a name in DNS has no business pointing there.
    pub fn judge_resolved(&self, address: IpAddr) -> Result<(), ForbiddenAddress> {
        if self.nat64 {
            address::judge_through_nat64(address)
        } else {
            address::judge(address)
        }
    }
}

/// Where a callback URL points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallbackHost<'a> {
    /// A name: lower case, ASCII (Punycode where it was international), without a final dot.
    Name(&'a str),
    /// An address, whatever way it was spelled.
    Address(IpAddr),
}

/// Why a text is not a callback URL, or not one that the policy allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CallbackUrlError {
    /// More than [`MAX_BYTES`], as written or once normalised.
    #[error("the callback URL is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// A character that parsers drop, move or disagree about, anywhere in the text.
    #[error(
        "the callback URL holds a space, a control or invisible character or a backslash; \
         percent-encode it"
    )]
    ForbiddenCharacter,
    /// Not an absolute URL with a well-formed host and port.
    #[error("the callback URL is not an absolute URL with a well-formed host and port")]
    Malformed,
    /// A scheme other than `https`.
    #[error("the callback URL does not begin with https://")]
    NotHttps,
    /// A user name or password before the host, even an empty one.
    #[error("the callback URL holds a user name or a password")]
    UserInfo,
    /// A fragment. No HTTP client sends it, so whoever wrote one expects what will not happen.
    #[error("the callback URL holds a fragment (#), which would never be sent")]
    Fragment,
    /// A port that is not among the allowed ones.
    #[error("port {0} is not allowed in a callback URL")]
    Port(u16),
    /// A name that is not one on the Internet: without a dot, or under a private suffix.
    #[error("the callback URL's host is not a public name")]
    HostForbidden,
    /// An address that is not public.
    #[error("the callback URL's host is not allowed: {0}")]
    AddressForbidden(#[from] ForbiddenAddress),
}

/// A callback URL in its one normal spelling.
///
/// `Debug` prints the origin alone, and there is no `Display`: path and query may hold secrets.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CallbackUrl(Url);

impl CallbackUrl {
    /// Reads a callback URL and judges it.
    pub fn parse(text: &str, policy: &CallbackPolicy) -> Result<Self, CallbackUrlError> {
        let url = Self::from_stored(text)?;
        url.judge(policy)?;
        Ok(url)
    }

    /// Reads a callback URL that was judged when it was stored. Its form is checked again; whether
    /// it may be reached today is for [`Self::judge`] to say.
    pub fn from_stored(text: &str) -> Result<Self, CallbackUrlError> {
        text::read(text).map(Self)
    }

    /// Whether `policy` allows this callback. What cannot be mended is said first: the host, then
    /// the scheme, then the port.
    pub fn judge(&self, policy: &CallbackPolicy) -> Result<(), CallbackUrlError> {
        if policy.allow_loopback_http && self.is_loopback() {
            return Ok(());
        }
        match self.host() {
            CallbackHost::Address(address) => policy.judge_resolved(address)?,
            CallbackHost::Name(name) if is_private_name(name) => {
                return Err(CallbackUrlError::HostForbidden);
            }
            CallbackHost::Name(_) => {}
        }
        if self.0.scheme() != "https" {
            return Err(CallbackUrlError::NotHttps);
        }
        let port = self.port();
        if PORTS.contains(&port) || policy.extra_ports.contains(&port) {
            Ok(())
        } else {
            Err(CallbackUrlError::Port(port))
        }
    }

    /// The URL in its normal spelling, which reads back as itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The parsed URL, for clients that take one.
    #[must_use]
    pub const fn as_url(&self) -> &Url {
        &self.0
    }

    /// Scheme, host and port (`https://host:443`): one text for each receiver, however its URLs
    /// were written. Lists of allowed origins and fair queues go by it.
    #[must_use]
    pub fn origin(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        format!("{}://{host}:{}", self.0.scheme(), self.port())
    }

    /// Where it points.
    #[must_use]
    pub fn host(&self) -> CallbackHost<'_> {
        match self.0.host() {
            Some(Host::Ipv4(v4)) => CallbackHost::Address(v4.into()),
            Some(Host::Ipv6(v6)) => CallbackHost::Address(v6.into()),
            Some(Host::Domain(name)) => CallbackHost::Name(name),
            // `read` lets none without a host through; an empty name is refused by every policy.
            None => CallbackHost::Name(""),
        }
    }

    /// The port, written or the scheme's own.
    #[must_use]
    pub fn port(&self) -> u16 {
        // Both schemes that `read` lets through have a port of their own.
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// Whether it names this machine: `localhost`, or an address of the loopback blocks.
    fn is_loopback(&self) -> bool {
        match self.host() {
            CallbackHost::Name(name) => name == LOCALHOST,
            CallbackHost::Address(address) => address.is_loopback(),
        }
    }
}

impl fmt::Debug for CallbackUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallbackUrl({})", self.origin())
    }
}

/// Whether a normalised name cannot be one on the Internet.
fn is_private_name(name: &str) -> bool {
    name.rsplit_once('.')
        .is_none_or(|(_, last)| PRIVATE_SUFFIXES.contains(&last))
}
