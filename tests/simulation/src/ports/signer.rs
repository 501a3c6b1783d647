//! A signer that is quick: what it signs is a hash that the oracle makes again. Its key is replaced
//! once in a run.

use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::delivery::signing::{KeyId, PublicKey, Signature, Signer};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use sha2::{Digest as _, Sha256};

use crate::executor::Sim;
use crate::ground::Link;

/// The keys of a run: one, and another from an instant on.
#[derive(Clone)]
pub struct Keys {
    keys: [(PublicKey, KeyId); 2],
    replaced_at: Timestamp,
}

impl Keys {
    /// The keys of a run.
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

    /// The current key, then the former one.
    fn at(&self, now: Timestamp) -> Vec<&(PublicKey, KeyId)> {
        let [first, second] = &self.keys;
        if now < self.replaced_at {
            vec![first]
        } else {
            vec![second, first]
        }
    }

    /// Whether this is the id of a key that was current before `now`.
    #[must_use]
    pub fn knows(&self, id: &KeyId, now: Timestamp) -> bool {
        self.at(now).iter().any(|(_, known)| known == id)
    }
}

/// What the key with this id makes of a digest.
#[must_use]
pub fn fake_signature(key: &KeyId, digest: &[u8; 32]) -> Vec<u8> {
    Sha256::new()
        .chain_update(key.as_str())
        .chain_update(digest)
        .finalize()
        .to_vec()
}

/// A process's way to the signer.
pub struct SignerLink {
    /// The process.
    pub link: Link,
    /// The keys.
    pub keys: Keys,
}

#[async_trait]
impl Signer for SignerLink {
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        let (keys, sim, digest) = (self.keys.clone(), self.link.ground.sim.clone(), *digest);
        let effect = async move {
            let key_id = keys.at(sim.now())[0].1.clone();
            let der = fake_signature(&key_id, &digest);
            Ok(Signature { der, key_id })
        };
        self.link.call("signer: sign", effect).await
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        let keys = self.keys.at(self.link.ground.sim.now());
        let keys: Vec<PublicKey> = keys.into_iter().map(|(key, _)| *key).collect();
        // Kept by the process, so that asking is no call; at times it has to ask again.
        if self.link.ground.sim.draw(|chance| chance.once_in(4)) {
            return self
                .link
                .call("signer: keys", async move { Ok(keys) })
                .await;
        }
        self.link.ground.sim.pass(Duration::ZERO).await;
        Ok(keys)
    }
}

/// The first bytes of every P-256 `SubjectPublicKeyInfo` in DER (RFC 5480), before the point.
const SPKI_HEAD: [u8; 27] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
];
