//! The port that locates addresses.

use std::net::IpAddr;

use super::{NetworkClass, Place};

/// Locates addresses. Every implementation MUST leave out what it does not know, and MUST NOT ask
/// anybody over the network who is told whom it is about.
pub trait GeoIp: Send + Sync {
    /// Where that address is.
    fn locate(&self, address: IpAddr) -> Located;
}

/// Where an address is and what network it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Located {
    /// Where.
    pub place: Place,
    /// What network.
    pub network: NetworkClass,
}

impl Located {
    /// This, and of the other what this does not say. Country, city and coordinates are taken from
    /// one of them together: two sources may differ, and a mixture would be nowhere.
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

/// Knows nothing: for hosts without a source of places.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGeoIp;

impl GeoIp for NoGeoIp {
    fn locate(&self, _: IpAddr) -> Located {
        Located::default()
    }
}
