use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use countersign_domain::confirmation::text::store::{
    self, KeptPart, KeptText, NonceHash, TakeOutcome, TakenNonce, TextKey, TextStore,
};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::locked;

/// Nonces and parts of texts in memory. Nothing is ever removed.
#[derive(Debug, Default)]
pub struct ModelTexts {
    nonces: Mutex<BTreeMap<NonceHash, TakenNonce>>,
    texts: Mutex<BTreeMap<TextKey, KeptText>>,
}

#[async_trait]
impl TextStore for ModelTexts {
    async fn take_nonce(
        &self,
        nonce: NonceHash,
        wanted: TakenNonce,
        now: Timestamp,
    ) -> Result<TakeOutcome, Unavailable> {
        let mut nonces = locked(&self.nonces);
        let outcome = store::take_nonce(nonces.get(&nonce), wanted, now);
        if outcome == TakeOutcome::Taken {
            nonces.insert(nonce, wanted);
        }
        Ok(outcome)
    }

    async fn keep_part(
        &self,
        text: TextKey,
        part: KeptPart,
        now: Timestamp,
    ) -> Result<Vec<KeptPart>, Unavailable> {
        let mut texts = locked(&self.texts);
        if let Some(changed) = store::keep_part(texts.get(&text), part, now) {
            texts.insert(text, changed);
        }
        Ok(texts
            .get(&text)
            .map_or_else(Vec::new, |kept| kept.parts.clone()))
    }
}
