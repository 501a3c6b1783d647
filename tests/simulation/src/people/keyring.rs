//! The association keys on the users' phones.

use countersign_conformance::chance::Chance;
use countersign_domain::app::AppKey;
use countersign_domain::login::{ClaimedUserId, KeyId};
use countersign_proof::{AssociationPrivateKey, registration};

use crate::executor::Sim;

/// The users. Each phone of theirs has a key of its own.
pub(super) const USERS: [&str; 4] = [
    "zoe@shop.example",
    "zoe@shop.example",
    "max@shop.example",
    STRANGER,
];

/// A user of the app who scans the codes of others.
pub(super) const STRANGER: &str = "eve@shop.example";

/// A key on a phone.
pub(super) struct PhoneKey {
    pub(super) private: AssociationPrivateKey,
    pub(super) id: KeyId,
    /// The user to whom the phone belongs.
    pub(super) holder: ClaimedUserId,
}

impl PhoneKey {
    /// Returns the public half as text.
    pub(super) fn public(&self) -> String {
        self.private.public_key().to_string()
    }

    /// Signs the registration of the key for a user.
    pub(super) fn show_possession(&self, app: &AppKey, user: &ClaimedUserId) -> String {
        registration::sign(&self.private, app, user)
    }
}

/// The keys of a run.
pub struct Keyring(Vec<PhoneKey>);

impl Keyring {
    /// Draws the keys of a run.
    #[must_use]
    pub fn draw(sim: &Sim) -> Self {
        let keys = USERS.iter().filter_map(|user| {
            // Almost every number of 32 bytes is a private key.
            let bytes = sim.draw(Chance::bytes::<32>);
            let private = AssociationPrivateKey::from_bytes(&bytes).ok()?;
            Some(PhoneKey {
                id: private.public_key().key_id(),
                private,
                holder: user.parse().ok()?,
            })
        });
        Self(keys.collect())
    }

    /// Draws one of the keys that suit.
    pub(super) fn one(&self, sim: &Sim, suits: impl Fn(&PhoneKey) -> bool) -> Option<&PhoneKey> {
        let suitable: Vec<_> = self.0.iter().filter(|key| suits(key)).collect();
        let n = sim.draw(|chance| chance.below(suitable.len() as u64));
        suitable.get(usize::try_from(n).ok()?).copied()
    }
}
