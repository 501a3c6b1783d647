//! Address blocks that count as one caller.

use std::net::{IpAddr, Ipv6Addr};

/// The addresses of one connection: a single IPv4 address, or the /64 of an IPv6 address, within
/// which devices choose new addresses (RFC 8981).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AddressBlock(IpAddr);

impl AddressBlock {
    /// Returns the block that contains an address.
    #[must_use]
    pub fn from_address(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        })
    }

    #[must_use]
    pub const fn first(&self) -> IpAddr {
        self.0
    }
}

/// The /48 of an IPv6 address: the block that networks assign to one customer, who then has 65,536
/// [`AddressBlock`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SitePrefix(Ipv6Addr);

impl SitePrefix {
    /// Returns the prefix of an address, or `None` for IPv4.
    #[must_use]
    pub fn from_address(address: IpAddr) -> Option<Self> {
        match address.to_canonical() {
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => Some(Self(Ipv6Addr::from_bits(address.to_bits() >> 80 << 80))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_is_an_ipv4_address_or_an_ipv6_64() {
        let block = |text: &str| AddressBlock::from_address(text.parse().unwrap());
        assert_eq!(block("203.0.113.7"), block("::ffff:203.0.113.7"));
        assert_ne!(block("203.0.113.7"), block("203.0.113.8"));
        assert_eq!(block("2001:db8:0:1::1"), block("2001:db8:0:1:ffff::2"));
        assert_ne!(block("2001:db8:0:1::1"), block("2001:db8:0:2::1"));
        let first = block("2001:db8:0:1:ffff::2").first();
        assert_eq!(first.to_string(), "2001:db8:0:1::");
    }

    #[test]
    fn site_is_an_ipv6_48() {
        let site = |text: &str| SitePrefix::from_address(text.parse().unwrap());
        assert_eq!(site("203.0.113.7"), None);
        assert_eq!(site("::ffff:203.0.113.7"), None);
        assert_eq!(site("2001:db8:7:1::1"), site("2001:db8:7:ffff::2"));
        assert_ne!(site("2001:db8:7::1"), site("2001:db8:8::1"));
    }
}
