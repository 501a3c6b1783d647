//! The clients that call the login use cases.

use std::net::IpAddr;

use crate::login::sighting::{GeoIp, Located, NetworkClass, Place, Sighting, UserAgent};

/// A browser or a phone, as described by its request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visitor {
    /// Address of the client, from a trusted source.
    pub address: IpAddr,
    /// The client's own description of itself.
    pub user_agent: UserAgent,
    /// Location of the address, as far as a trusted proxy sent it with the request.
    pub located: Located,
}

impl Visitor {
    /// Converts to a sighting; the port fills in the parts of the location that are missing in the
    /// request.
    pub(super) fn sighting(self, geo: &dyn GeoIp) -> Sighting {
        let located = self.located.or(geo.locate(self.address));
        let Located { place, network } = located;
        Sighting::new(self.address, self.user_agent, place, network)
    }

    /// Converts to the sighting of a server, whose place and network say nothing about the person who
    /// must decide.
    pub(super) fn server_sighting(self) -> Sighting {
        let (place, network) = (Place::default(), NetworkClass::Unknown);
        Sighting::new(self.address, self.user_agent, place, network)
    }
}
