//! What is seen of a browser or a phone when it calls: the one side is told of the other by it.

use std::net::{IpAddr, Ipv6Addr};

use super::place::Place;
use super::user_agent::UserAgent;

/// One side of a session, as it was seen when it called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// Where the call came from; never an IPv4 address in an IPv6 one's clothes.
    pub address: IpAddr,
    /// What it said that it is.
    pub user_agent: UserAgent,
    /// Where that address is.
    pub place: Place,
    /// What kind of network that address belongs to.
    pub network: NetworkClass,
}

impl Sighting {
    /// A sighting, with an IPv4-mapped address (RFC 4291, section 2.5.5.2) turned into the IPv4
    /// address that it is.
    #[must_use]
    pub fn new(
        address: IpAddr,
        user_agent: UserAgent,
        place: Place,
        network: NetworkClass,
    ) -> Self {
        Self {
            address: address.to_canonical(),
            user_agent,
            place,
            network,
        }
    }

    /// The block that its address lies in.
    #[must_use]
    pub fn block(&self) -> AddressBlock {
        AddressBlock::of(self.address)
    }
}

/// What is known of the network behind an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum NetworkClass {
    /// Nobody said.
    #[default]
    Unknown,
    /// Where people are: homes, offices, mobile networks.
    Access,
    /// A data centre.
    Hosting,
    /// A VPN or another proxy that hides where its users are.
    Vpn,
    /// An exit of Tor.
    Tor,
    /// On a list of addresses that attacks came from.
    Attacker,
}

impl NetworkClass {
    /// Every class.
    pub const ALL: [Self; 6] = [
        Self::Unknown,
        Self::Access,
        Self::Hosting,
        Self::Vpn,
        Self::Tor,
        Self::Attacker,
    ];

    /// The name that stores keep.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Access => "access",
            Self::Hosting => "hosting",
            Self::Vpn => "vpn",
            Self::Tor => "tor",
            Self::Attacker => "attacker",
        }
    }

    /// The class of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == name)
    }
}

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

    #[test]
    fn a_mapped_address_is_the_one_inside() {
        let address = "::ffff:203.0.113.7".parse().unwrap();
        let place = Place::default();
        let seen = Sighting::new(address, UserAgent::default(), place, NetworkClass::Unknown);
        assert_eq!(seen.address.to_string(), "203.0.113.7");
    }

    #[test]
    fn classes_read_back_by_name() {
        for class in NetworkClass::ALL {
            assert_eq!(NetworkClass::named(class.as_str()), Some(class));
        }
        assert_eq!(NetworkClass::named(""), None);
    }
}
