//! A fast signer, whose key is replaced once in a run.

use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use countersign_domain::primitives::unavailable::Unavailable;

use crate::env::Link;
use crate::wire::{Keys, fake_signature};

/// A process's link to the signer.
pub struct SignerLink {
    /// The process.
    pub link: Link,
    pub keys: Keys,
}

#[async_trait]
impl Signer for SignerLink {
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        let (keys, sim, digest) = (self.keys.clone(), self.link.env.sim.clone(), *digest);
        let effect = async move {
            let key_id = keys.at(sim.now())[0].1.clone();
            let der = fake_signature(&key_id, &digest);
            Ok(Signature { der, key_id })
        };
        self.link.call("signer: sign", effect).await
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        let keys = self.keys.at(self.link.env.sim.now());
        let keys: Vec<PublicKey> = keys.into_iter().map(|(key, _)| *key).collect();
        // The process caches the keys, and rarely has to fetch them again.
        if self.link.env.sim.draw(|chance| chance.once_in(4)) {
            return self
                .link
                .call("signer: keys", async move { Ok(keys) })
                .await;
        }
        self.link.env.sim.pass(Duration::ZERO).await;
        Ok(keys)
    }
}
