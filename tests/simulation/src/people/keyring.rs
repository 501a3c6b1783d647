//! The association keys on the users' phones, which are the same in every run.

use std::sync::LazyLock;

use countersign_domain::app::AppKey;
use countersign_domain::login::{ClaimedUserId, KeyId};
use countersign_proof::{AssociationPrivateKey, registration};

use crate::sim::Sim;

/// The user of each phone. One user has two phones.
pub(super) const USERS: [&str; 4] = [
    "zoe@shop.example",
    "zoe@shop.example",
    "max@shop.example",
    STRANGER,
];

/// A user of the app who scans other users' codes.
pub(super) const STRANGER: &str = "eve@shop.example";

/// The keys. Generating them takes longer than a run, so they are generated once.
static KEYS: LazyLock<Vec<PhoneKey>> = LazyLock::new(|| {
    let numbered = (1_u8..).zip(USERS);
    let keys = numbered.filter_map(|(n, user)| {
        let private = AssociationPrivateKey::from_bytes(&[n; 32]).ok()?;
        let public = private.public_key();
        Some(PhoneKey {
            private,
            id: public.key_id(),
            public: public.to_string(),
            holder: user.parse().ok()?,
        })
    });
    keys.collect()
});

pub(super) struct PhoneKey {
    pub(super) private: AssociationPrivateKey,
    pub(super) id: KeyId,
    /// The public half as text.
    pub(super) public: String,
    /// The user who owns the phone.
    pub(super) holder: ClaimedUserId,
}

impl PhoneKey {
    pub(super) fn draw(sim: &Sim, suits: impl Fn(&Self) -> bool) -> Option<&'static Self> {
        let suitable: Vec<_> = KEYS.iter().filter(|key| suits(key)).collect();
        let n = sim.draw(|chance| chance.below(suitable.len() as u64));
        suitable.get(usize::try_from(n).ok()?).copied()
    }

    /// Signs the registration of the key for a user.
    pub(super) fn show_possession(&self, app: &AppKey, user: &ClaimedUserId) -> String {
        registration::sign(&self.private, app, user)
    }
}
