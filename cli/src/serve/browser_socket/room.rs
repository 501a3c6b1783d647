//! How many sockets there may be: in all, of one address, of one site (a /48 of IPv6), and of those that
//! have not said yet what they are for. Opening one takes no secret, so that nobody may fill it alone.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_domain::web::address_block::AddressBlock;
use thiserror::Error;

/// The room for sockets.
#[derive(Clone, Debug)]
pub(super) struct Room {
    open: Limits,
    silent: Limits,
    taken: Arc<Mutex<Taken>>,
}

/// How many sockets of one kind there may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) all: usize,
    pub(super) per_block: usize,
    pub(super) per_site: usize,
}

impl Limits {
    /// These limits where there can be no more than `all`: one address then has a quarter of them at
    /// most, and a site half.
    pub(super) fn within(self, all: usize) -> Self {
        Self {
            all: self.all.min(all),
            per_block: self.per_block.min(all / 4).max(1),
            per_site: self.per_site.min(all / 2).max(1),
        }
    }
}

/// Why there is no place for a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Full {
    /// The address, or its site, has its share.
    #[error("the address has as many sockets as it may have")]
    Share,
    /// All places are taken.
    #[error("there are as many sockets as there may be")]
    Everything,
}

#[derive(Debug, Default)]
struct Taken {
    open: Counts,
    silent: Counts,
}

/// Sockets of one kind. Who has none is not in the maps.
#[derive(Debug, Default)]
struct Counts {
    all: usize,
    blocks: BTreeMap<AddressBlock, usize>,
    sites: BTreeMap<Site, usize>,
}

/// The first 48 bits of an IPv6 address: what a line or a company is given.
type Site = u128;

fn site_of(block: AddressBlock) -> Option<Site> {
    match block.first() {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => Some(address.to_bits() >> 80),
    }
}

impl Counts {
    /// Fails where one more would be too many. The share comes first: whoever has it is told so,
    /// whatever others have.
    fn check(&self, block: AddressBlock, limits: &Limits) -> Result<(), Full> {
        let of_block = self.blocks.get(&block).copied().unwrap_or_default();
        let of_site = site_of(block).and_then(|site| self.sites.get(&site).copied());
        if of_block >= limits.per_block || of_site.unwrap_or_default() >= limits.per_site {
            return Err(Full::Share);
        }
        if self.all >= limits.all {
            return Err(Full::Everything);
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

impl Room {
    /// Creates an empty room. `silent` limits those that have not spoken, beside `open`, which
    /// limits all.
    pub(super) fn new(open: Limits, silent: Limits) -> Self {
        Self {
            open,
            silent,
            taken: Arc::default(),
        }
    }

    /// Takes a place for a socket that has not spoken yet.
    pub(super) fn take(&self, block: AddressBlock) -> Result<Place, Full> {
        let mut taken = self.locked();
        taken.open.check(block, &self.open)?;
        taken.silent.check(block, &self.silent)?;
        taken.open.add(block);
        taken.silent.add(block);
        drop(taken);
        Ok(Place {
            room: self.clone(),
            block,
            silent: true,
        })
    }

    fn locked(&self) -> MutexGuard<'_, Taken> {
        // Sums are all that is done under the lock.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place that is taken until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    room: Room,
    block: AddressBlock,
    silent: bool,
}

impl Place {
    /// The socket has spoken.
    pub(super) fn subscribed(&mut self) {
        if std::mem::take(&mut self.silent) {
            self.room.locked().silent.remove(self.block);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.subscribed();
        self.room.locked().open.remove(self.block);
    }
}

/// Lowers a count, and forgets it at zero.
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
        AddressBlock::of([203, 0, 113, n].into())
    }

    fn line(n: u16) -> AddressBlock {
        AddressBlock::of([0x2001, 0xdb8, n / 100, n, 0, 0, 0, 1].into())
    }

    const fn limits(all: usize, per_block: usize, per_site: usize) -> Limits {
        Limits {
            all,
            per_block,
            per_site,
        }
    }

    const WIDE: Limits = limits(100, 100, 100);

    fn spoken(room: &Room, n: u8) -> Result<Place, Full> {
        let mut place = room.take(block(n))?;
        place.subscribed();
        Ok(place)
    }

    #[test]
    fn one_address_takes_its_share_and_others_find_room() {
        let room = Room::new(limits(10, 3, 10), WIDE);
        let own: Vec<_> = (0..3).map(|_| spoken(&room, 1).unwrap()).collect();
        assert_eq!(spoken(&room, 1).unwrap_err(), Full::Share);
        assert!(spoken(&room, 2).is_ok());
        drop(own);
        assert!(spoken(&room, 1).is_ok());
        let taken = room.locked();
        assert!(
            taken.open.blocks.is_empty(),
            "nobody is remembered for ever"
        );
    }

    #[test]
    fn a_site_takes_no_more_than_its_share_whatever_its_subnets() {
        let room = Room::new(limits(10, 2, 3), WIDE);
        let own: Vec<_> = (1..=3).map(|n| room.take(line(n)).unwrap()).collect();
        assert_eq!(room.take(line(4)).unwrap_err(), Full::Share);
        assert!(room.take(line(100)).is_ok());
        drop(own);
        assert!(room.take(line(4)).is_ok());
        assert!(room.locked().open.sites.is_empty());
    }

    #[test]
    fn the_silent_leave_room_for_those_who_speak() {
        let room = Room::new(WIDE, limits(2, 2, 2));
        let mut first = room.take(block(1)).unwrap();
        let second = room.take(block(2)).unwrap();
        assert_eq!(room.take(block(3)).unwrap_err(), Full::Everything);
        first.subscribed();
        first.subscribed();
        let third = room.take(block(3)).unwrap();
        assert_eq!(room.take(block(4)).unwrap_err(), Full::Everything);
        drop((first, second, third));
        let Taken { open, silent } = &*room.locked();
        assert_eq!((open.all, silent.all), (0, 0));
    }

    /// As many as one address may have open, of which none says what it is for.
    #[test]
    fn silent_sockets_of_two_addresses_leave_others_room() {
        let room = Room::new(OPEN, SILENT);
        let attempts = (0..256).flat_map(|_| [room.take(block(1)), room.take(block(2))]);
        let (held, refused): (Vec<_>, Vec<_>) = attempts.partition(Result::is_ok);
        assert_eq!(held.len(), 2 * SILENT.per_block);
        assert!(refused.iter().all(|full| matches!(full, Err(Full::Share))));
        let others: Vec<_> = (0..SILENT.per_block).map(|_| room.take(block(3))).collect();
        assert!(others.iter().all(Result::is_ok));
    }

    #[test]
    fn silent_sockets_of_a_site_leave_others_room() {
        let room = Room::new(OPEN, SILENT);
        let attempts = (0..99).flat_map(|n| (0..8).map(move |_| n));
        let held: Vec<_> = attempts.filter_map(|n| room.take(line(n)).ok()).collect();
        assert_eq!(held.len(), SILENT.per_site);
        assert!(room.take(line(100)).is_ok());
        drop(held);
        assert!(room.locked().silent.sites.is_empty());
    }

    #[test]
    fn the_whole_is_bounded() {
        let room = Room::new(limits(2, 2, 2), WIDE);
        let places: Vec<_> = (0..2).map(|n| spoken(&room, n).unwrap()).collect();
        assert_eq!(room.take(block(9)).unwrap_err(), Full::Everything);
        drop(places);
        assert!(room.take(block(9)).is_ok());
    }
}
