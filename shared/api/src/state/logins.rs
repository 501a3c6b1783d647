//! The parts that logins need besides those of every route.

use std::fmt;
use std::sync::Arc;

use countersign_domain::login::association_key::store::AssociationKeyStore;
use countersign_domain::login::history::RiskHistory;
use countersign_domain::login::push::Push;
use countersign_domain::login::sighting::GeoIp;
use countersign_domain::login::store::LoginStore;

use crate::viewer::ViewerPolicy;

/// The parts for logins by QR code or app link. Apps, queue, clock, entropy and counters are those
/// of [`ApiParts`](crate::ApiParts).
#[derive(Clone)]
pub struct Logins {
    /// The store of logins.
    pub store: Arc<dyn LoginStore>,
    /// The store of association keys.
    pub keys: Arc<dyn AssociationKeyStore>,
    /// Recent logins and denials, for the risk.
    pub history: Arc<dyn RiskHistory>,
    /// Tells browsers and phones that their login changed.
    pub push: Arc<dyn Push>,
    /// Locates addresses that no proxy located.
    pub geo: Arc<dyn GeoIp>,
    /// The WebSocket that browsers and phones subscribe to: a whole `wss:` URL (`ws:` on the developer's own
    /// machine), returned as `socketUrl`.
    pub socket_url: String,
    /// Which proxies are trusted about where a request came from.
    pub viewers: ViewerPolicy,
}

/// Shows everything but the ports, which have no text form.
impl fmt::Debug for Logins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logins")
            .field("socket_url", &self.socket_url)
            .field("viewers", &self.viewers)
            .finish_non_exhaustive()
    }
}
