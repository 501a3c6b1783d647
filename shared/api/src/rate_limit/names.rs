//! The limit on user names that an app has never seen, each of which is remembered for thirty days.

use std::net::IpAddr;

use countersign_domain::login::history::NewNames;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::address_block::{AddressBlock, SitePrefix};
use sha2::{Digest as _, Sha256};

use super::windows::Windows;

/// A hash of an app's id.
type AppHash = [u8; 16];

/// Counts new names per app, and per network and app.
pub(super) struct Names {
    pub(super) apps: Windows<AppHash>,
    pub(super) blocks: Windows<(AppHash, AddressBlock)>,
    pub(super) sites: Windows<(AppHash, SitePrefix)>,
}

/// The keys under which a name is counted.
pub(super) struct Keys {
    app: AppHash,
    block: (AppHash, AddressBlock),
    site: Option<(AppHash, SitePrefix)>,
}

impl Keys {
    /// Returns the keys for a name that a phone at this address claims.
    pub(super) fn new(app: &AppId, phone: IpAddr) -> Self {
        let mut hash = [0; 16];
        hash.copy_from_slice(&Sha256::digest(app.as_str().as_bytes())[..16]);
        Self {
            app: hash,
            block: (hash, AddressBlock::from_address(phone)),
            site: SitePrefix::from_address(phone).map(|site| (hash, site)),
        }
    }
}

impl Names {
    /// Counts a name, if it is within the limits.
    pub(super) fn take(&mut self, keys: &Keys, now: Timestamp) -> NewNames {
        let waits = [
            self.apps.wait(keys.app, now),
            self.blocks.wait(keys.block, now),
            keys.site.and_then(|site| self.sites.wait(site, now)),
        ];
        if waits.into_iter().flatten().next().is_some() {
            return NewNames::LeaveOut;
        }
        self.apps.count(keys.app, now);
        self.blocks.count(keys.block, now);
        if let Some(site) = keys.site {
            self.sites.count(site, now);
        }
        NewNames::Remember
    }

    /// Uncounts a name that turned out not to be new.
    pub(super) fn give_back(&mut self, keys: &Keys) {
        self.apps.uncount(keys.app);
        self.blocks.uncount(keys.block);
        if let Some(site) = keys.site {
            self.sites.uncount(site);
        }
    }
}
