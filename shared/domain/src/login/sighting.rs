//! What is seen of a browser or a phone when it calls: the one side is told of the other by it.

mod geo_ip;
mod place;
mod user_agent;

use std::net::IpAddr;

use crate::web::address_block::AddressBlock;

pub use geo_ip::{GeoIp, Located, NoGeoIp};
pub use place::{City, Coordinates, CountryCode, MalformedPlace, Place};
pub use user_agent::UserAgent;

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

#[cfg(test)]
mod tests {
    use super::*;

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
