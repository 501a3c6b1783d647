//! Admission of connections: limits in total and per address.
//!
//! A connection that is waiting for a request can be closed in favor of a new one. The longest-waiting
//! connection of the new connection's own address is closed first; only if there is none, the longest-waiting
//! of all. An address that opens many connections therefore closes its own before those of others. A
//! connection that was just opened or used is not closed; the new one is refused instead.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_api::viewer::TrustedProxy;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::limits::Limits;

/// Decides on new connections. Clones share their state.
#[derive(Clone)]
pub(super) struct Admission {
    shared: Arc<Shared>,
}

struct Shared {
    limits: Limits,
    /// Proxies that may use all connections.
    trusted: Vec<TrustedProxy>,
    state: Mutex<State>,
}

/// Why a connection is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The address has its maximum number of connections, and none has waited for long enough.
    AddressFull,
    /// The server has its maximum number of connections, and none has waited for long enough.
    ServerFull,
}

#[derive(Default)]
struct State {
    /// The last number assigned to a connection. Numbers identify connections and order them by
    /// waiting time.
    last: u64,
    open: HashMap<u64, Connection>,
    networks: HashMap<Network, Members>,
    waiting: Waiting,
}

/// Waiting connections by the order in which they started to wait: order number to id.
type Waiting = BTreeMap<u64, u64>;

struct Connection {
    networks: Networks,
    waiting_since: Option<(u64, Instant)>,
    reclaimed: Arc<Notify>,
}

/// The connections of one network.
#[derive(Default)]
struct Members {
    open: usize,
    waiting: Waiting,
}

/// Addresses that share a limit: an IPv4 address, or an IPv6 /64 or /48.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Network {
    Address(IpAddr),
    Site(u128),
}

/// The networks towards whose limits a connection counts.
type Networks = [Option<Network>; 2];

fn networks_of(peer: IpAddr) -> Networks {
    match peer.to_canonical() {
        IpAddr::V4(address) => [Some(Network::Address(address.into())), None],
        IpAddr::V6(address) => {
            let bits = address.to_bits();
            let subnet = std::net::Ipv6Addr::from_bits(bits >> 64 << 64);
            [
                Some(Network::Address(subnet.into())),
                Some(Network::Site(bits >> 80)),
            ]
        }
    }
}

impl Admission {
    pub(super) fn new(limits: Limits, trusted: Vec<TrustedProxy>) -> Self {
        Self {
            shared: Arc::new(Shared {
                limits,
                trusted,
                state: Mutex::default(),
            }),
        }
    }

    /// Acquires a permit for a new connection, which waits for its first request. `peer` is `None`
    /// for connections without an address, which have no limit per address.
    pub(super) fn admit(&self, peer: Option<IpAddr>) -> Result<ConnectionPermit, Refused> {
        let Shared {
            limits, trusted, ..
        } = &*self.shared;
        let networks = match peer {
            Some(peer) if !trusted.iter().any(|proxy| proxy.contains(peer)) => networks_of(peer),
            _ => [None; 2],
        };
        let mut state = self.shared.locked();
        for network in networks.iter().flatten() {
            let share = match network {
                Network::Address(_) => limits.per_address,
                Network::Site(_) => limits.per_site,
            };
            let Some(members) = state.networks.get(network) else {
                continue;
            };
            if members.open >= share {
                let longest = members.longest_waiting();
                let longest = longest.filter(|id| state.has_waited(*id, limits.settled));
                state.reclaim(longest.ok_or(Refused::AddressFull)?);
            }
        }
        if state.open.len() >= limits.connections {
            let own = networks.iter().flatten();
            let own = own.filter_map(|network| state.networks.get(network)?.longest_waiting());
            let longest = own.min().or_else(|| state.waiting.values().next().copied());
            let longest = longest.filter(|id| state.has_waited(*id, limits.settled));
            state.reclaim(longest.ok_or(Refused::ServerFull)?);
        }
        let reclaimed = Arc::new(Notify::new());
        let id = state.add(networks, Arc::clone(&reclaimed));
        drop(state);
        let slot = ConnectionSlot {
            shared: Arc::clone(&self.shared),
            id,
        };
        Ok(ConnectionPermit { slot, reclaimed })
    }
}

impl Shared {
    fn locked(&self) -> MutexGuard<'_, State> {
        // The code under the lock cannot panic in the middle of a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Members {
    fn longest_waiting(&self) -> Option<u64> {
        self.waiting.values().next().copied()
    }
}

impl State {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn add(&mut self, networks: Networks, reclaimed: Arc<Notify>) -> u64 {
        let id = self.next();
        for network in networks.into_iter().flatten() {
            self.networks.entry(network).or_default().open += 1;
        }
        let connection = Connection {
            networks,
            waiting_since: None,
            reclaimed,
        };
        self.open.insert(id, connection);
        self.wait(id);
        id
    }

    fn wait(&mut self, id: u64) {
        let since = self.next();
        let Some(connection) = self.open.get_mut(&id) else {
            return;
        };
        if connection.waiting_since.is_some() {
            return;
        }
        connection.waiting_since = Some((since, Instant::now()));
        self.waiting.insert(since, id);
        for network in connection.networks.iter().flatten() {
            if let Some(members) = self.networks.get_mut(network) {
                members.waiting.insert(since, id);
            }
        }
    }

    /// Returns whether a connection has waited for at least this time.
    fn has_waited(&self, id: u64, time: Duration) -> bool {
        let connection = self.open.get(&id);
        connection
            .and_then(|connection| connection.waiting_since)
            .is_some_and(|(_, since)| since.elapsed() >= time)
    }

    fn work(&mut self, id: u64) -> SlotState {
        let Some(connection) = self.open.get_mut(&id) else {
            return SlotState::Reclaimed;
        };
        if let Some((since, _)) = connection.waiting_since.take() {
            self.waiting.remove(&since);
            for network in connection.networks.iter().flatten() {
                if let Some(members) = self.networks.get_mut(network) {
                    members.waiting.remove(&since);
                }
            }
        }
        SlotState::Open
    }

    fn remove(&mut self, id: u64) -> Option<Connection> {
        self.work(id);
        let connection = self.open.remove(&id)?;
        for network in connection.networks.iter().flatten() {
            if let Some(members) = self.networks.get_mut(network) {
                members.open = members.open.saturating_sub(1);
                if members.open == 0 {
                    self.networks.remove(network);
                }
            }
        }
        Some(connection)
    }

    /// Gives a connection's permit to another one, and makes it close.
    fn reclaim(&mut self, id: u64) {
        if let Some(connection) = self.remove(id) {
            connection.reclaimed.notify_one();
        }
    }
}

/// The permit of a connection, released when dropped.
pub(super) struct ConnectionPermit {
    slot: ConnectionSlot,
    reclaimed: Arc<Notify>,
}

impl ConnectionPermit {
    /// Returns a handle that records whether the connection is busy.
    pub(super) fn slot(&self) -> ConnectionSlot {
        self.slot.clone()
    }

    /// Returns once the permit was given to another connection.
    pub(super) async fn reclaimed(&self) {
        self.reclaimed.notified().await;
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.slot.shared.locked().remove(self.slot.id);
    }
}

/// Whether a connection still has its permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotState {
    /// The connection has its permit.
    Open,
    /// The permit was given to another connection.
    Reclaimed,
}

/// Records whether a connection is busy. Has no effect once the permit is gone.
#[derive(Clone)]
pub(super) struct ConnectionSlot {
    shared: Arc<Shared>,
    id: u64,
}

impl ConnectionSlot {
    /// Records that the connection is waiting for a request.
    pub(super) fn wait(&self) {
        self.shared.locked().wait(self.id);
    }

    /// Records that the connection has read a request: it keeps its permit until it waits again.
    pub(super) fn work(&self) -> SlotState {
        self.shared.locked().work(self.id)
    }
}

#[cfg(test)]
mod tests;
