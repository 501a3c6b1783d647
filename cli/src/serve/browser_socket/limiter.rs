//! Limits on sockets: in total, per address, per site (an IPv6 /48), and on sockets that have not yet
//! identified their login. Opening a socket requires no secret, so no single party may use up the
//! server's sockets.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_domain::web::address_block::AddressBlock;
use thiserror::Error;

/// Counts sockets and enforces the limits.
#[derive(Clone, Debug)]
pub(super) struct SocketLimiter {
    open: Limits,
    silent: Limits,
    taken: Arc<Mutex<OpenSockets>>,
}

/// Limits on one kind of sockets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) all: usize,
    pub(super) per_block: usize,
    pub(super) per_site: usize,
}

impl Limits {
    /// Returns these limits for a total of at most `all`: an address gets at most a quarter of
    /// them, and a site half.
    pub(super) fn within(self, all: usize) -> Self {
        Self {
            all: self.all.min(all),
            per_block: self.per_block.min(all / 4).max(1),
            per_site: self.per_site.min(all / 2).max(1),
        }
    }
}

/// The limit that a new socket would exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum SocketsExceeded {
    /// The address or its site has reached its limit.
    #[error("the address has its maximum number of sockets")]
    Share,
    #[error("the server has its maximum number of sockets")]
    Everything,
}

#[derive(Debug, Default)]
struct OpenSockets {
    open: Counts,
    silent: Counts,
}

/// Counts of one kind of sockets. The maps have no entries for addresses and sites without sockets.
#[derive(Debug, Default)]
struct Counts {
    all: usize,
    blocks: BTreeMap<AddressBlock, usize>,
    sites: BTreeMap<Site, usize>,
}

/// The first 48 bits of an IPv6 address, usually a single line or company.
type Site = u128;

fn site_of(block: AddressBlock) -> Option<Site> {
    match block.first() {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => Some(address.to_bits() >> 80),
    }
}

impl Counts {
    /// Fails if one more socket would exceed a limit. The limit per address is checked first, so an
    /// address at its limit gets the same answer however full the server is.
    fn check(&self, block: AddressBlock, limits: &Limits) -> Result<(), SocketsExceeded> {
        let of_block = self.blocks.get(&block).copied().unwrap_or_default();
        let of_site = site_of(block).and_then(|site| self.sites.get(&site).copied());
        if of_block >= limits.per_block || of_site.unwrap_or_default() >= limits.per_site {
            return Err(SocketsExceeded::Share);
        }
        if self.all >= limits.all {
            return Err(SocketsExceeded::Everything);
        }
        Ok(())
    }

    fn add(&mut self, block: AddressBlock) {
        self.all += 1;
        *self.blocks.entry(block).or_default() += 1;
        if let Some(site) = site_of(block) {
            *self.sites.entry(site).or_default() += 1;
        }
    }

    fn remove(&mut self, block: AddressBlock) {
        self.all = self.all.saturating_sub(1);
        one_less(&mut self.blocks, &block);
        if let Some(site) = site_of(block) {
            one_less(&mut self.sites, &site);
        }
    }
}

impl SocketLimiter {
    /// Creates the counts, all zero. `silent` limits sockets that have not yet identified their
    /// login; `open` limits all sockets.
    pub(super) fn new(open: Limits, silent: Limits) -> Self {
        Self {
            open,
            silent,
            taken: Arc::default(),
        }
    }

    /// Acquires a permit for a socket that has not yet identified its login.
    pub(super) fn take(&self, block: AddressBlock) -> Result<SocketPermit, SocketsExceeded> {
        let mut taken = self.locked();
        taken.open.check(block, &self.open)?;
        taken.silent.check(block, &self.silent)?;
        taken.open.add(block);
        taken.silent.add(block);
        drop(taken);
        Ok(SocketPermit {
            limiter: self.clone(),
            block,
            silent: true,
        })
    }

    fn locked(&self) -> MutexGuard<'_, OpenSockets> {
        // The lock guards only arithmetic, so it cannot be poisoned.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permit of a socket, released when dropped.
#[derive(Debug)]
pub(super) struct SocketPermit {
    limiter: SocketLimiter,
    block: AddressBlock,
    silent: bool,
}

impl SocketPermit {
    /// Marks the socket as one that has identified its login.
    pub(super) fn subscribed(&mut self) {
        if std::mem::take(&mut self.silent) {
            self.limiter.locked().silent.remove(self.block);
        }
    }
}

impl Drop for SocketPermit {
    fn drop(&mut self) {
        self.subscribed();
        self.limiter.locked().open.remove(self.block);
    }
}

/// Decrements a count, and removes it at zero.
fn one_less<K: Ord>(counts: &mut BTreeMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::browser_socket::{OPEN, SILENT};

    fn block(n: u8) -> AddressBlock {
        AddressBlock::from_address([203, 0, 113, n].into())
    }

    fn line(n: u16) -> AddressBlock {
        AddressBlock::from_address([0x2001, 0xdb8, n / 100, n, 0, 0, 0, 1].into())
    }

    const fn limits(all: usize, per_block: usize, per_site: usize) -> Limits {
        Limits {
            all,
            per_block,
            per_site,
        }
    }

    const WIDE: Limits = limits(100, 100, 100);

    fn spoken(limiter: &SocketLimiter, n: u8) -> Result<SocketPermit, SocketsExceeded> {
        let mut place = limiter.take(block(n))?;
        place.subscribed();
        Ok(place)
    }

    #[test]
    fn one_address_gets_its_share_and_others_find_room() {
        let limiter = SocketLimiter::new(limits(10, 3, 10), WIDE);
        let own: Vec<_> = (0..3).map(|_| spoken(&limiter, 1).unwrap()).collect();
        assert_eq!(spoken(&limiter, 1).unwrap_err(), SocketsExceeded::Share);
        assert!(spoken(&limiter, 2).is_ok());
        drop(own);
        assert!(spoken(&limiter, 1).is_ok());
        let taken = limiter.locked();
        assert!(taken.open.blocks.is_empty(), "empty entries are removed");
    }

    #[test]
    fn site_gets_its_share_across_subnets() {
        let limiter = SocketLimiter::new(limits(10, 2, 3), WIDE);
        let own: Vec<_> = (1..=3).map(|n| limiter.take(line(n)).unwrap()).collect();
        assert_eq!(limiter.take(line(4)).unwrap_err(), SocketsExceeded::Share);
        assert!(limiter.take(line(100)).is_ok());
        drop(own);
        assert!(limiter.take(line(4)).is_ok());
        assert!(limiter.locked().open.sites.is_empty());
    }

    #[test]
    fn silent_sockets_leave_room_for_subscribed_ones() {
        let limiter = SocketLimiter::new(WIDE, limits(2, 2, 2));
        let mut first = limiter.take(block(1)).unwrap();
        let second = limiter.take(block(2)).unwrap();
        assert_eq!(
            limiter.take(block(3)).unwrap_err(),
            SocketsExceeded::Everything
        );
        first.subscribed();
        first.subscribed();
        let third = limiter.take(block(3)).unwrap();
        assert_eq!(
            limiter.take(block(4)).unwrap_err(),
            SocketsExceeded::Everything
        );
        drop((first, second, third));
        let OpenSockets { open, silent } = &*limiter.locked();
        assert_eq!((open.all, silent.all), (0, 0));
    }

    /// Two addresses each open their maximum number of silent sockets.
    #[test]
    fn silent_sockets_of_two_addresses_leave_others_room() {
        let limiter = SocketLimiter::new(OPEN, SILENT);
        let attempts = (0..256).flat_map(|_| [limiter.take(block(1)), limiter.take(block(2))]);
        let (held, refused): (Vec<_>, Vec<_>) = attempts.partition(Result::is_ok);
        assert_eq!(held.len(), 2 * SILENT.per_block);
        assert!(
            refused
                .iter()
                .all(|full| matches!(full, Err(SocketsExceeded::Share)))
        );
        let others: Vec<_> = (0..SILENT.per_block)
            .map(|_| limiter.take(block(3)))
            .collect();
        assert!(others.iter().all(Result::is_ok));
    }

    #[test]
    fn silent_sockets_of_a_site_leave_others_room() {
        let limiter = SocketLimiter::new(OPEN, SILENT);
        let attempts = (0..99).flat_map(|n| (0..8).map(move |_| n));
        let held: Vec<_> = attempts
            .filter_map(|n| limiter.take(line(n)).ok())
            .collect();
        assert_eq!(held.len(), SILENT.per_site);
        assert!(limiter.take(line(100)).is_ok());
        drop(held);
        assert!(limiter.locked().silent.sites.is_empty());
    }

    #[test]
    fn total_is_bounded() {
        let limiter = SocketLimiter::new(limits(2, 2, 2), WIDE);
        let places: Vec<_> = (0..2).map(|n| spoken(&limiter, n).unwrap()).collect();
        assert_eq!(
            limiter.take(block(9)).unwrap_err(),
            SocketsExceeded::Everything
        );
        drop(places);
        assert!(limiter.take(block(9)).is_ok());
    }
}
