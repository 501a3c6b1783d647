//! Who calls.

use std::net::IpAddr;

use crate::ports::{GeoIp, Located};
use crate::qr_session::{Sighting, UserAgent};

/// A browser or a phone, as a request shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visitor {
    /// Where the request came from, as whoever is trusted says.
    pub address: IpAddr,
    /// What the client says that it is.
    pub user_agent: UserAgent,
    /// Where the address is, where the request came with it from one who is trusted.
    pub located: Option<Located>,
}

impl Visitor {
    /// What is seen of it, asking where the request did not say.
    pub(super) fn sighting(self, geo: &dyn GeoIp) -> Sighting {
        let located = self.located;
        let Located { place, network } = located.unwrap_or_else(|| geo.locate(self.address));
        Sighting::new(self.address, self.user_agent, place, network)
    }
}
