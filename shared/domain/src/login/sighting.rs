//! Sightings: what the service sees of a browser or a phone that calls it. Each side is told about
//! the other's.

mod geo_ip;
mod place;
mod user_agent;

use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::str::FromStr;

use thiserror::Error;

use crate::web::address_block::AddressBlock;

pub use geo_ip::{GeoIp, Located, NoGeoIp};
pub use place::{City, Coordinates, CountryCode, MalformedPlace, Place};
pub use user_agent::UserAgent;

/// A browser or a phone as seen when it called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// IP address of the call; never an IPv4 address mapped into IPv6.
    #[serde(rename = "ip")]
    pub address: IpAddr,
    /// The client's own description of itself.
    #[serde(rename = "agent")]
    pub user_agent: UserAgent,
    /// Location of the address.
    pub place: Place,
    /// Kind of network that the address belongs to.
    #[serde(default, rename = "net")]
    pub network: NetworkClass,
}

impl Sighting {
    /// Creates a sighting. An IPv4-mapped address (RFC 4291, section 2.5.5.2) becomes the IPv4
    /// address.
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

    /// Returns the block that contains the address.
    #[must_use]
    pub fn block(&self) -> AddressBlock {
        AddressBlock::of(self.address)
    }
}

/// The kind of network behind an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkClass {
    /// Not known.
    #[default]
    Unknown,
    /// A network of homes, offices or mobile phones.
    Access,
    /// A data centre.
    Hosting,
    /// A VPN or another proxy that hides where its users are.
    Vpn,
    /// A Tor exit.
    Tor,
    /// A known source of attacks.
    Attacker,
}

impl NetworkClass {
    /// All classes.
    pub const ALL: [Self; 6] = [
        Self::Unknown,
        Self::Access,
        Self::Hosting,
        Self::Vpn,
        Self::Tor,
        Self::Attacker,
    ];

    /// Returns the name that stores use.
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
}

/// The error for a text that is not the name of a network class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not the name of a network class")]
pub struct UnknownNetworkClass;

impl FromStr for NetworkClass {
    type Err = UnknownNetworkClass;

    /// Parses the name that [`as_str`](Self::as_str) returns.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|class| class.as_str() == text)
            .ok_or(UnknownNetworkClass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_address_becomes_ipv4() {
        let address = "::ffff:203.0.113.7".parse().unwrap();
        let place = Place::default();
        let seen = Sighting::new(address, UserAgent::default(), place, NetworkClass::Unknown);
        assert_eq!(seen.address.to_string(), "203.0.113.7");
    }

    #[test]
    fn class_round_trips_through_its_name() {
        for class in NetworkClass::ALL {
            assert_eq!(class.as_str().parse::<NetworkClass>(), Ok(class));
        }
        assert_eq!("".parse::<NetworkClass>(), Err(UnknownNetworkClass));
    }
}
