//! Proxies that an operator trusts.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use thiserror::Error;

/// A trusted proxy, or a network of them: `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TrustedProxy(IpNet);

/// The text is neither an address nor a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a proxy is an IP address, or a network such as 10.0.0.0/8 whose other bits are zero")]
pub struct MalformedProxy;

/// Parses an address, or a network as an address, a slash and the length of its prefix. The bits
/// after the prefix must be zero, since other bits suggest that the operator meant a different
/// network.
impl FromStr for TrustedProxy {
    type Err = MalformedProxy;

    fn from_str(text: &str) -> Result<Self, MalformedProxy> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Self(address.to_canonical().into()));
        }
        let network: IpNet = text.parse().map_err(|_| MalformedProxy)?;
        if network.trunc() == network {
            Ok(Self(network))
        } else {
            Err(MalformedProxy)
        }
    }
}

impl TrustedProxy {
    /// Returns whether an address is this proxy's, or in this network.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

impl fmt::Display for TrustedProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.prefix_len() == self.0.max_prefix_len() {
            fmt::Display::fmt(&self.0.addr(), f)
        } else {
            fmt::Display::fmt(&self.0, f)
        }
    }
}

impl fmt::Debug for TrustedProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_contains_only_its_addresses() {
        for (proxy, inside, outside) in [
            ("10.0.0.7", "10.0.0.7", "10.0.0.8"),
            ("10.0.0.7", "::ffff:10.0.0.7", "::10.0.0.7"),
            ("::ffff:10.0.0.7", "10.0.0.7", "10.0.0.8"),
            ("10.0.0.0/8", "10.255.255.255", "11.0.0.0"),
            ("192.0.2.4/31", "192.0.2.5", "192.0.2.6"),
            ("0.0.0.0/0", "203.0.113.7", "2001:db8::1"),
            ("::/0", "2001:db8::1", "203.0.113.7"),
            ("fd00::/8", "fdff::1", "fe00::1"),
            ("2001:db8::1", "2001:db8::1", "2001:db8::2"),
        ] {
            let network: TrustedProxy = proxy.parse().unwrap();
            let holds = |address: &str| network.contains(address.parse().unwrap());
            assert!(holds(inside), "{proxy} {inside}");
            assert!(!holds(outside), "{proxy} {outside}");
            assert_eq!(network.to_string().parse(), Ok(network));
        }
    }

    #[test]
    fn malformed_networks_are_refused() {
        for bad in [
            "",
            "proxy.example",
            "10.0.0.1/8",
            "10.0.0.0/33",
            "10.0.0.0/-1",
            "10.0.0.0/+8",
            "10.0.0.0/",
            "10.0.0/8",
            "fd00::1/8",
            "::/129",
            "10.0.0.0/8/8",
        ] {
            assert_eq!(bad.parse::<TrustedProxy>(), Err(MalformedProxy), "{bad}");
        }
    }
}
