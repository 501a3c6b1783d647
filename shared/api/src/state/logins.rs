//! The parts that logins need besides those of every route.

use std::fmt;
use std::sync::Arc;

use countersign_domain::login::push::Push;
use countersign_domain::login::sighting::GeoIp;

use crate::viewer::ViewerPolicy;

/// The parts for logins by QR code or app link. Store, queue, clock, entropy and counters are those
/// of [`ApiParts`](crate::ApiParts).
#[derive(Clone)]
pub struct Logins {
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
