//! The port that locates IP addresses.

use std::net::IpAddr;

use super::{NetworkClass, Place};

/// Locates IP addresses. Implementations MUST leave unknown parts absent, and MUST NOT reveal the
/// address to another service over the network.
pub trait GeoIp: Send + Sync {
    fn locate(&self, address: IpAddr) -> Located;
}

/// The location and the network of an address.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Located {
    /// Location of the address.
    pub place: Place,
    /// Kind of network.
    pub network: NetworkClass,
}

impl Located {
    /// Fills in missing parts from `other`. Country, city and coordinates are always taken together
    /// from one of the two: a mixture from two disagreeing sources could describe no real place.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            place: if self.place == Place::default() {
                other.place
            } else {
                self.place
            },
            network: if self.network == NetworkClass::Unknown {
                other.network
            } else {
                self.network
            },
        }
    }
}

/// A source without any data, for hosts without location data.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGeoIp;

impl GeoIp for NoGeoIp {
    fn locate(&self, _: IpAddr) -> Located {
        Located::default()
    }
}
