//! What is under way over all lanes.

use std::collections::HashMap;

use countersign_domain::delivery::DeliverySubject;

/// The attempts under way, and how many of them began when their receiver was not known to be well.
///
/// An attempt counts until its end as what it began as: what is held by receivers that turn ill
/// takes no place from those that are new.
#[derive(Default)]
pub(super) struct Attempts {
    /// A doubled pointer leads to two attempts of one delivery, one of them stale.
    of: HashMap<DeliverySubject, Began>,
    all: usize,
    unproven: usize,
}

/// How many attempts of one delivery began as what.
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

    /// Ends an attempt. Tells whether it began with a receiver that was well, and `None` where none
    /// of that delivery is under way.
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
