//! Who calls.

use std::net::IpAddr;

use crate::login::sighting::{GeoIp, Located, Sighting, UserAgent};

/// A browser or a phone, as a request shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visitor {
    /// Where the request came from, as whoever is trusted says.
    pub address: IpAddr,
    /// What the client says that it is.
    pub user_agent: UserAgent,
    /// Where the address is, as far as the request came with it from one who is trusted.
    pub located: Located,
}

impl Visitor {
    /// What is seen of it: what came with the request, and what the source of places knows besides.
    pub(super) fn sighting(self, geo: &dyn GeoIp) -> Sighting {
        let located = self.located.or(geo.locate(self.address));
        let Located { place, network } = located;
        Sighting::new(self.address, self.user_agent, place, network)
    }
}
