//! Sightings: what the service sees of a browser or a phone that calls it. Browser and phone each
//! get the other's sighting.

mod geo_ip;
mod place;
mod user_agent;

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::web::address_block::AddressBlock;

pub use geo_ip::{GeoIp, Located, NoGeoIp};
pub use place::{City, Coordinates, CountryCode, MalformedPlace, Place, PlaceCredit};
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
        AddressBlock::from_address(self.address)
    }
}

/// The kind of network behind an address.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Default,
    Serialize,
    Deserialize,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum NetworkClass {
    /// The kind of network is not known.
    #[default]
    Unknown,
    /// A home, office or mobile network.
    Access,
    /// A data center.
    Hosting,
    /// A VPN or another proxy that hides its users' locations.
    Vpn,
    /// A Tor exit.
    Tor,
    /// A known source of attacks.
    Attacker,
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
}
