//! Blocks of addresses that count as one caller.

use std::net::{IpAddr, Ipv6Addr};

/// The addresses that one line has: an IPv4 address alone, or the /64 of an IPv6 address, whose
/// devices draw new addresses within it (RFC 8981).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AddressBlock(IpAddr);

impl AddressBlock {
    /// The block of an address.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        })
    }

    /// The first address of the block.
    #[must_use]
    pub const fn first(&self) -> IpAddr {
        self.0
    }
}

/// The /48 that an IPv6 address lies in: what one customer of a network is given, who then has
/// 65,536 [`AddressBlock`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SitePrefix(Ipv6Addr);

impl SitePrefix {
    /// The prefix of an address; `None` for IPv4.
    #[must_use]
    pub fn of(address: IpAddr) -> Option<Self> {
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
    fn a_block_is_an_ipv4_address_or_a_64() {
        let block = |text: &str| AddressBlock::of(text.parse().unwrap());
        assert_eq!(block("203.0.113.7"), block("::ffff:203.0.113.7"));
        assert_ne!(block("203.0.113.7"), block("203.0.113.8"));
        assert_eq!(block("2001:db8:0:1::1"), block("2001:db8:0:1:ffff::2"));
        assert_ne!(block("2001:db8:0:1::1"), block("2001:db8:0:2::1"));
        let first = block("2001:db8:0:1:ffff::2").first();
        assert_eq!(first.to_string(), "2001:db8:0:1::");
    }

    #[test]
    fn a_site_is_a_48_of_ipv6() {
        let site = |text: &str| SitePrefix::of(text.parse().unwrap());
        assert_eq!(site("203.0.113.7"), None);
        assert_eq!(site("::ffff:203.0.113.7"), None);
        assert_eq!(site("2001:db8:7:1::1"), site("2001:db8:7:ffff::2"));
        assert_ne!(site("2001:db8:7::1"), site("2001:db8:8::1"));
    }
}
