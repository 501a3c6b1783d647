//! Webhooks as the oracle sees them on the network, and their signatures. A signature is a hash
//! that the oracle can recompute.

use countersign_domain::delivery::sender::WebhookRequest;
use countersign_domain::delivery::signing::{KeyId, PublicKey};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;
use sha2::{Digest as _, Sha256};

use crate::sim::Sim;

/// A webhook that reached its receiver.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// The URL to which it was posted.
    pub url: CallbackUrl,
    pub request: WebhookRequest,
    /// True if the receiver accepted it, even if its answer was lost.
    pub accepted: bool,
    /// True if the receiver accepted it in calm weather, so its answer must have arrived.
    pub heard: bool,
}

/// A run's two signing keys. At some time, the second key replaces the first.
#[derive(Clone)]
pub struct Keys {
    keys: [(PublicKey, KeyId); 2],
    replaced_at: Timestamp,
}

impl Keys {
    /// Draws the keys of a run.
    #[must_use]
    pub fn draw(sim: &Sim) -> Self {
        let key = |n: u8| {
            let der: Vec<u8> = SPKI_HEAD.iter().copied().chain([n; 64]).collect();
            PublicKey::from_spki_der(&der).map(|key| (key, key.key_id()))
        };
        let (Ok(first), Ok(second)) = (key(1), key(2)) else {
            unreachable!("91 bytes with the right head are a key")
        };
        Self {
            keys: [first, second],
            replaced_at: sim.now().plus(sim.millis_below(3_600_000)),
        }
    }

    /// Returns the current key, followed by the former one if there is one.
    pub(crate) fn at(&self, now: Timestamp) -> Vec<&(PublicKey, KeyId)> {
        let [first, second] = &self.keys;
        if now < self.replaced_at {
            vec![first]
        } else {
            vec![second, first]
        }
    }

    /// Returns whether this is the id of a key that is or was current at `now`.
    #[must_use]
    pub fn knows(&self, id: &KeyId, now: Timestamp) -> bool {
        self.at(now).iter().any(|(_, known)| known == id)
    }
}

#[must_use]
pub fn fake_signature(key: &KeyId, digest: &[u8; 32]) -> Vec<u8> {
    Sha256::new()
        .chain_update(key.as_str())
        .chain_update(digest)
        .finalize()
        .to_vec()
}

/// The first bytes of every P-256 `SubjectPublicKeyInfo` in DER (RFC 5480), before the point.
const SPKI_HEAD: [u8; 27] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
];
