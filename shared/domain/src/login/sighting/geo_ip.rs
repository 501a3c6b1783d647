//! The port that locates IP addresses.

use std::net::IpAddr;

use super::{NetworkClass, Place};

/// Locates IP addresses. Implementations MUST leave out what they do not know, and MUST NOT reveal
/// the address to another service over the network.
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
    /// Completes this with `other`. Country, city and coordinates come from one of them together:
    /// mixed from two sources that differ, they would describe no real place.
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

/// A source that knows nothing, for hosts without location data.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGeoIp;

impl GeoIp for NoGeoIp {
    fn locate(&self, _: IpAddr) -> Located {
        Located::default()
    }
}
