//! A simulated limit on new names that decides at random.

use std::net::IpAddr;

use countersign_domain::login::history::{NameLimit, NewNames};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;

use crate::env::Link;

/// A process's limit on new names.
pub struct NameLimitLink(pub Link);

impl NameLimit for NameLimitLink {
    fn take(&self, _: &AppId, _: IpAddr, _: Timestamp) -> NewNames {
        if self.0.env.sim.draw(|chance| chance.once_in(8)) {
            NewNames::LeaveOut
        } else {
            NewNames::Remember
        }
    }

    fn give_back(&self, _: &AppId, _: IpAddr, _: Timestamp) {}
}
