//! How many sockets there may be: in all, of one address, and of those that have not said yet what
//! they are for. Opening one takes no secret, so that nobody may fill it alone.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_domain::qr_session::AddressBlock;

/// The room for sockets.
#[derive(Clone, Debug)]
pub(super) struct Room {
    most: usize,
    most_of_one: usize,
    most_silent: usize,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    silent: usize,
    of: BTreeMap<AddressBlock, usize>,
}

impl Room {
    pub(super) fn new(most: usize, most_of_one: usize, most_silent: usize) -> Self {
        Self {
            most,
            most_of_one,
            most_silent,
            taken: Arc::default(),
        }
    }

    /// A place for a socket that has not spoken yet, if there is one.
    pub(super) fn take(&self, block: AddressBlock) -> Option<Place> {
        let mut taken = self.locked();
        let of_one = taken.of.get(&block).copied().unwrap_or_default();
        let full = taken.all >= self.most
            || taken.silent >= self.most_silent
            || of_one >= self.most_of_one;
        if full {
            return None;
        }
        taken.all += 1;
        taken.silent += 1;
        taken.of.insert(block, of_one + 1);
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
        if let Some(count) = taken.of.get_mut(&self.block) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                taken.of.remove(&self.block);
            }
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
        let room = Room::new(10, 3, 10);
        let own: Vec<_> = (0..3).map(|_| spoken(&room, 1).unwrap()).collect();
        assert!(spoken(&room, 1).is_none());
        assert!(spoken(&room, 2).is_some());
        drop(own);
        assert!(spoken(&room, 1).is_some());
        assert!(room.locked().of.is_empty(), "nobody is remembered for ever");
    }

    #[test]
    fn the_silent_leave_room_for_those_who_speak() {
        let room = Room::new(10, 10, 2);
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
        let room = Room::new(2, 2, 2);
        let places: Vec<_> = (0..2).map(|n| spoken(&room, n).unwrap()).collect();
        assert!(room.take(block(9)).is_none());
        drop(places);
        assert!(room.take(block(9)).is_some());
    }
}
