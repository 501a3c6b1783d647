//! What logins by QR code or app link need besides what every route has.

use std::fmt;
use std::sync::Arc;

use countersign_domain::login::history::RiskHistory;
use countersign_domain::login::push::Push;
use countersign_domain::login::sighting::GeoIp;
use countersign_domain::login::store::LoginStore;

use crate::viewer::ViewerPolicy;

/// What a host that serves logins puts behind them. The queue, the apps, time, chance and the
/// counters are those that [`ApiParts`](crate::ApiParts) has.
#[derive(Clone)]
pub struct Logins {
    /// Where sessions are kept.
    pub sessions: Arc<dyn LoginStore>,
    /// What happened lately.
    pub history: Arc<dyn RiskHistory>,
    /// What pokes browsers.
    pub push: Arc<dyn Push>,
    /// What locates addresses that nobody located on the way.
    pub geo: Arc<dyn GeoIp>,
    /// Where browsers are told of changes: member `socketUrl`, a whole `wss:` URL (`ws:` on the
    /// developer's own machine).
    pub socket_url: String,
    /// Who is believed on where a request came from.
    pub viewers: ViewerPolicy,
}

/// Shows what is no port: ports have no text.
impl fmt::Debug for Logins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logins")
            .field("socket_url", &self.socket_url)
            .field("viewers", &self.viewers)
            .finish_non_exhaustive()
    }
}
