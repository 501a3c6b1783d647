//! Callback URLs: where webhooks are sent.
//!
//! Parsing and judging are separate steps. Parsing ([`CallbackUrl::from_stored`]) considers only the
//! text and normalizes it. Judging ([`CallbackUrl::check`]) checks the URL against a
//! [`CallbackPolicy`]: first when a caller names it ([`CallbackUrl::parse`] does both steps), and
//! again before each request, because the policy may have changed in between. Names are not resolved
//! here: their addresses are judged when the connection is made.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use url::{Host, Url};

use crate::web::address;
use crate::web::address::ForbiddenAddress;

pub use origin::CallbackOrigin;

mod origin;
mod text;

#[cfg(test)]
mod tests;

/// Maximum length of a callback URL in bytes, both as written and normalized.
pub const MAX_BYTES: usize = 2_048;

/// Ports that every policy allows.
const PORTS: [u16; 2] = [443, 8443];

/// The name that every machine has for itself.
const LOCALHOST: &str = "localhost";

/// Last labels of names that are never public on the Internet.
const PRIVATE_SUFFIXES: [&str; 4] = ["internal", "local", "localhost", "localdomain"];

/// The rules for the callback URLs of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackPolicy {
    /// Allows `http` and `https` to `localhost`, to loopback addresses and to `local_hosts`, on any port. For
    /// local mode only.
    pub allow_loopback_http: bool,
    /// Further names and addresses of this machine, in lower case, with IPv6 addresses in brackets. Names are not
    /// resolved: they mean loopback.
    pub local_hosts: Vec<String>,
    /// Ports allowed in addition to 443 and 8443.
    pub extra_ports: Vec<u16>,
    /// True if egress passes through NAT64, so that an address in `64:ff9b::/96` is treated like
    /// the IPv4 address inside it instead of being refused.
    pub nat64: bool,
}

impl CallbackPolicy {
    /// Returns the policy for deployments that strangers can use: https on ports 443 and 8443 to
    /// public hosts.
    #[must_use]
    pub const fn deployed() -> Self {
        Self {
            allow_loopback_http: false,
            local_hosts: Vec::new(),
            extra_ports: Vec::new(),
            nat64: false,
        }
    }

    /// Returns the [deployed](Self::deployed) policy extended by the developer's own machine.
    #[must_use]
    pub const fn local() -> Self {
        Self {
            allow_loopback_http: true,
            local_hosts: Vec::new(),
            extra_ports: Vec::new(),
            nat64: false,
        }
    }

    /// Returns whether a name means this machine and needs no resolver: `localhost`, or one of `local_hosts`.
    #[must_use]
    pub fn is_this_machine(&self, name: &str) -> bool {
        let is_named = |host: &String| host.eq_ignore_ascii_case(name);
        name.eq_ignore_ascii_case(LOCALHOST) || self.local_hosts.iter().any(is_named)
    }

    /// Checks an address that was returned by a resolver. Loopback is refused even in local mode,
    /// because no public DNS name should point there.
    ///
    /// # Errors
    ///
    /// Fails with the purpose of the block if the address is not public.
    pub fn check_resolved(&self, address: IpAddr) -> Result<(), ForbiddenAddress> {
        if self.nat64 {
            address::check_through_nat64(address)
        } else {
            address::check(address)
        }
    }
}

/// The host of a callback URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallbackHost<'a> {
    /// A name in lower-case ASCII (Punycode for international names), without a final dot.
    Name(&'a str),
    /// An IP address, in whatever form it was written.
    Address(IpAddr),
}

/// The reason why a text is not a callback URL, or not one that the policy allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CallbackUrlError {
    /// The URL is longer than [`MAX_BYTES`], as written or normalized.
    #[error("the callback URL is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// The text contains a character that parsers drop, move or disagree about.
    #[error(
        "the callback URL contains a space, a control or invisible character, or a backslash; \
         percent-encode it"
    )]
    ForbiddenCharacter,
    #[error("the callback URL is not an absolute URL with a well-formed host and port")]
    Malformed,
    /// The scheme is not `https`.
    #[error("the callback URL does not begin with https://")]
    NotHttps,
    /// The URL has a user name or password before the host, even an empty one.
    #[error("the callback URL contains a user name or a password")]
    UserInfo,
    /// The URL has a fragment. HTTP clients never send fragments, so a caller who wrote one would
    /// be surprised.
    #[error("the callback URL contains a fragment (#), which would never be sent")]
    Fragment,
    /// The policy does not allow the port.
    #[error("port {0} is not allowed in a callback URL")]
    Port(u16),
    /// The name is never public on the Internet: it has no dot or a private suffix.
    #[error("the callback URL's host is not a public name")]
    HostForbidden,
    /// The address is not public.
    #[error("the callback URL's host is not allowed: {0}")]
    AddressForbidden(#[from] ForbiddenAddress),
}

/// A callback URL in normalized form.
///
/// `Debug` shows only the origin, and there is no `Display`: path and query may contain secrets.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CallbackUrl(Url);

impl CallbackUrl {
    /// Parses a callback URL and checks it against `policy`.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a callback URL, or if the policy does not allow it.
    pub fn parse(text: &str, policy: &CallbackPolicy) -> Result<Self, CallbackUrlError> {
        let url = Self::from_stored(text)?;
        url.check(policy)?;
        Ok(url)
    }

    /// Parses a callback URL that was checked before it was stored. This checks only its form; use
    /// [`Self::check`] to check whether today's policy allows it.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a callback URL.
    pub fn from_stored(text: &str) -> Result<Self, CallbackUrlError> {
        text::read(text).map(Self)
    }

    /// Checks that `policy` allows this callback URL.
    ///
    /// # Errors
    ///
    /// Fails with the reason that is hardest to fix: the host, then the scheme, then the port.
    pub fn check(&self, policy: &CallbackPolicy) -> Result<(), CallbackUrlError> {
        if policy.allow_loopback_http && self.is_this_machine(policy) {
            return Ok(());
        }
        match self.host() {
            CallbackHost::Address(address) => policy.check_resolved(address)?,
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

    /// Returns the URL in normalized form. Parsing that text yields the same URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the parsed URL, for HTTP clients.
    #[must_use]
    pub const fn as_url(&self) -> &Url {
        &self.0
    }

    /// Returns scheme, host and port (`https://host:443`): the same text for all URLs of a
    /// receiver, however they were written. Allow lists of origins and fair queues use this text as
    /// their key.
    #[must_use]
    pub fn origin(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        format!("{}://{host}:{}", self.0.scheme(), self.port())
    }

    #[must_use]
    pub fn host(&self) -> CallbackHost<'_> {
        match self.0.host() {
            Some(Host::Ipv4(v4)) => CallbackHost::Address(v4.into()),
            Some(Host::Ipv6(v6)) => CallbackHost::Address(v6.into()),
            Some(Host::Domain(name)) => CallbackHost::Name(name),
            // `read` refuses URLs without a host, and every policy refuses an empty name.
            None => CallbackHost::Name(""),
        }
    }

    /// Returns the port, by default that of the scheme.
    #[must_use]
    pub fn port(&self) -> u16 {
        // Both schemes that `read` accepts have a default port.
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// Returns whether the host is this machine: a loopback address, `localhost`, or one of the policy's local
    /// hosts.
    fn is_this_machine(&self, policy: &CallbackPolicy) -> bool {
        let is_named = || policy.is_this_machine(self.0.host_str().unwrap_or_default());
        match self.host() {
            CallbackHost::Name(_) => is_named(),
            CallbackHost::Address(address) => address.is_loopback() || is_named(),
        }
    }
}

impl TryFrom<String> for CallbackUrl {
    type Error = CallbackUrlError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::from_stored(&text)
    }
}

impl From<CallbackUrl> for String {
    fn from(url: CallbackUrl) -> Self {
        url.0.into()
    }
}

impl fmt::Debug for CallbackUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallbackUrl({})", self.origin())
    }
}

/// Returns whether a normalized name is never public on the Internet.
fn is_private_name(name: &str) -> bool {
    name.rsplit_once('.')
        .is_none_or(|(_, last)| PRIVATE_SUFFIXES.contains(&last))
}
