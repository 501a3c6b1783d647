//! The attempts under way in all lanes.

use std::collections::HashMap;

use countersign_domain::delivery::DeliverySubject;

/// The attempts under way, counted by whether their receiver was known to be well when they began.
///
/// An attempt keeps its class until it ends, so attempts to receivers that fail meanwhile take no room
/// from new receivers.
#[derive(Default)]
pub(super) struct Attempts {
    /// The attempts of each delivery. A duplicated pointer starts two, one of which is stale.
    of: HashMap<DeliverySubject, Began>,
    all: usize,
    unproven: usize,
}

/// The attempts of one delivery, counted by the class in which they began.
#[derive(Default)]
struct Began {
    well: usize,
    unproven: usize,
}

impl Attempts {
    pub(super) const fn all(&self) -> usize {
        self.all
    }

    pub(super) const fn unproven(&self) -> usize {
        self.unproven
    }

    pub(super) fn contains(&self, subject: DeliverySubject) -> bool {
        self.of.contains_key(&subject)
    }

    pub(super) fn begin(&mut self, subject: DeliverySubject, well: bool) {
        let began = self.of.entry(subject).or_default();
        if well {
            began.well += 1;
        } else {
            began.unproven += 1;
            self.unproven += 1;
        }
        self.all += 1;
    }

    /// Ends an attempt. Returns whether it began with a receiver that was well; `None` if no attempt of
    /// that delivery is under way.
    pub(super) fn end(&mut self, subject: DeliverySubject) -> Option<bool> {
        let began = self.of.get_mut(&subject)?;
        let well = began.unproven == 0;
        if well {
            began.well -= 1;
        } else {
            began.unproven -= 1;
            self.unproven -= 1;
        }
        if began.well + began.unproven == 0 {
            self.of.remove(&subject);
        }
        self.all -= 1;
        Some(well)
    }
}
