//! How many sockets there may be: in all, of one address, of one site (a /48 of IPv6), and of those that
//! have not said yet what they are for. Opening one takes no secret, so that nobody may fill it alone.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_domain::qr_session::AddressBlock;

/// The room for sockets.
#[derive(Clone, Debug)]
pub(super) struct Room {
    most: usize,
    most_of_one: usize,
    most_of_site: usize,
    most_silent: usize,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    silent: usize,
    of: BTreeMap<AddressBlock, usize>,
    of_sites: BTreeMap<Site, usize>,
}

/// The first 48 bits of an IPv6 address: what a line or a company is given.
type Site = u128;

fn site_of(block: AddressBlock) -> Option<Site> {
    match block.first() {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => Some(address.to_bits() >> 80),
    }
}

impl Room {
    pub(super) fn new(
        most: usize,
        most_of_one: usize,
        most_of_site: usize,
        most_silent: usize,
    ) -> Self {
        Self {
            most,
            most_of_one,
            most_of_site,
            most_silent,
            taken: Arc::default(),
        }
    }

    /// A place for a socket that has not spoken yet, if there is one.
    pub(super) fn take(&self, block: AddressBlock) -> Option<Place> {
        let mut taken = self.locked();
        let of_one = taken.of.get(&block).copied().unwrap_or_default();
        let site = site_of(block);
        let of_site = site.and_then(|site| taken.of_sites.get(&site).copied());
        let of_site = of_site.unwrap_or_default();
        let full = taken.all >= self.most
            || taken.silent >= self.most_silent
            || of_one >= self.most_of_one
            || of_site >= self.most_of_site;
        if full {
            return None;
        }
        taken.all += 1;
        taken.silent += 1;
        taken.of.insert(block, of_one + 1);
        if let Some(site) = site {
            taken.of_sites.insert(site, of_site + 1);
        }
        drop(taken);
        Some(Place {
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
            let mut taken = self.room.locked();
            taken.silent = taken.silent.saturating_sub(1);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.subscribed();
        let mut taken = self.room.locked();
        taken.all = taken.all.saturating_sub(1);
        one_less(&mut taken.of, &self.block);
        if let Some(site) = site_of(self.block) {
            one_less(&mut taken.of_sites, &site);
        }
    }
}

/// Nobody is remembered who has none.
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

    fn block(n: u8) -> AddressBlock {
        AddressBlock::of([203, 0, 113, n].into())
    }

    fn spoken(room: &Room, n: u8) -> Option<Place> {
        let mut place = room.take(block(n))?;
        place.subscribed();
        Some(place)
    }

    #[test]
    fn one_address_takes_its_share_and_others_find_room() {
        let room = Room::new(10, 3, 10, 10);
        let own: Vec<_> = (0..3).map(|_| spoken(&room, 1).unwrap()).collect();
        assert!(spoken(&room, 1).is_none());
        assert!(spoken(&room, 2).is_some());
        drop(own);
        assert!(spoken(&room, 1).is_some());
        assert!(room.locked().of.is_empty(), "nobody is remembered for ever");
    }

    #[test]
    fn a_site_takes_no_more_than_its_share_whatever_its_subnets() {
        let room = Room::new(10, 2, 3, 10);
        let take = |text: &str| room.take(AddressBlock::of(text.parse().unwrap()));
        let own: Vec<_> = (1..=3)
            .map(|n| take(&format!("2001:db8:0:{n}::1")).unwrap())
            .collect();
        assert!(take("2001:db8:0:4::1").is_none());
        assert!(take("2001:db8:1:1::1").is_some());
        drop(own);
        assert!(take("2001:db8:0:4::1").is_some());
        assert!(room.locked().of_sites.is_empty());
    }

    #[test]
    fn the_silent_leave_room_for_those_who_speak() {
        let room = Room::new(10, 10, 10, 2);
        let mut first = room.take(block(1)).unwrap();
        let second = room.take(block(2)).unwrap();
        assert!(room.take(block(3)).is_none());
        first.subscribed();
        first.subscribed();
        let third = room.take(block(3)).unwrap();
        assert!(room.take(block(4)).is_none());
        drop((first, second, third));
        let Taken { all, silent, .. } = &*room.locked();
        assert_eq!((*all, *silent), (0, 0));
    }

    #[test]
    fn the_whole_is_bounded() {
        let room = Room::new(2, 2, 2, 2);
        let places: Vec<_> = (0..2).map(|n| spoken(&room, n).unwrap()).collect();
        assert!(room.take(block(9)).is_none());
        drop(places);
        assert!(room.take(block(9)).is_some());
    }
}
