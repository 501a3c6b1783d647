//! Proxies that an operator trusts.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr as _;

use thiserror::Error;

/// A proxy that is believed, or a whole network of them: `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TrustedProxy {
    address: IpAddr,
    bits: u8,
}

/// A text that names no address and no network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a proxy is an IP address, or a network as in 10.0.0.0/8 whose other bits are zero")]
pub struct MalformedProxy;

impl TrustedProxy {
    /// Reads an address, or a network as an address, a slash and the length of its prefix. The
    /// bits after the prefix must be zero: who writes others means something else than they say.
    pub fn parse(text: &str) -> Result<Self, MalformedProxy> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address = IpAddr::from_str(address).map_err(|_| MalformedProxy)?;
        let address = match bits {
            Some(_) => address,
            None => address.to_canonical(),
        };
        let all = width(address);
        let bits = match bits {
            Some(bits) if bits.bytes().all(|c| c.is_ascii_digit()) => {
                u8::from_str(bits).map_err(|_| MalformedProxy)?
            }
            Some(_) => return Err(MalformedProxy),
            None => all,
        };
        let proxy = Self { address, bits };
        if bits <= all && proxy.prefix(address) == left(address) {
            Ok(proxy)
        } else {
            Err(MalformedProxy)
        }
    }

    /// Whether an address is this proxy's, or in this network.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.address.is_ipv4() && self.prefix(address) == left(self.address)
    }

    /// The bits of an address that the prefix covers, at the left; the others are zero.
    fn prefix(&self, address: IpAddr) -> u128 {
        let rest = 128_u32.saturating_sub(u32::from(self.bits));
        left(address)
            .checked_shr(rest)
            .and_then(|bits| bits.checked_shl(rest))
            .unwrap_or(0)
    }
}

/// The bits of an address, at the left.
fn left(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
        IpAddr::V6(address) => address.to_bits(),
    }
}

const fn width(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

impl fmt::Display for TrustedProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.address)?;
        if self.bits == width(self.address) {
            Ok(())
        } else {
            write!(f, "/{}", self.bits)
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
    fn a_network_holds_its_addresses() {
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
            let network = TrustedProxy::parse(proxy).unwrap();
            assert!(
                network.contains(inside.parse().unwrap()),
                "{proxy} {inside}"
            );
            assert!(
                !network.contains(outside.parse().unwrap()),
                "{proxy} {outside}"
            );
            assert_eq!(TrustedProxy::parse(&network.to_string()), Ok(network));
        }
    }

    #[test]
    fn what_is_no_network_is_refused() {
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
            assert_eq!(TrustedProxy::parse(bad), Err(MalformedProxy), "{bad}");
        }
    }
}
