//! Nonces, and parts of texts.

use async_trait::async_trait;

use super::Store;
use super::document::Key;
use crate::confirmation::text::store::{
    self, KeptPart, KeptText, NonceHash, TakeOutcome, TakenNonce, TextKey, TextStore,
};
use crate::delivery::Decision;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

#[async_trait]
impl TextStore for Store {
    async fn take_nonce(
        &self,
        nonce: NonceHash,
        wanted: TakenNonce,
        now: Timestamp,
    ) -> Result<TakeOutcome, Unavailable> {
        let started = self.put_new(&Key::Nonce(nonce), wanted, now, None).await?;
        let super::Started::Present(present) = started else {
            return Ok(TakeOutcome::Taken);
        };
        Ok(store::take_nonce(Some(&present), wanted, now))
    }

    async fn keep_part(
        &self,
        text: TextKey,
        part: KeptPart,
        now: Timestamp,
    ) -> Result<Vec<KeptPart>, Unavailable> {
        let decide = |present: Option<KeptText>| {
            let write = store::keep_part(present.as_ref(), part.clone(), now);
            let text = write.clone().or(present);
            Decision {
                outcome: text.map_or_else(Vec::new, |text| text.parts),
                write,
            }
        };
        self.change(&Key::Text(text), decide).await
    }
}
