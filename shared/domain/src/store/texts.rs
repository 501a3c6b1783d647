//! Nonces, and parts of texts.

use super::Store;
use super::document::Key;
use crate::confirmation::text::traces::{
    self, KeptPart, KeptText, NonceHash, NonceOutcome, TextKey, UsedNonce,
};
use crate::delivery::Decision;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

impl Store {
    /// Takes a nonce, unless it was already taken.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn use_nonce(
        &self,
        nonce: NonceHash,
        wanted: UsedNonce,
        now: Timestamp,
    ) -> Result<NonceOutcome, Unavailable> {
        let started = self.put_new(&Key::Nonce(nonce), wanted, now, None).await?;
        let super::StartResult::Present(present) = started else {
            return Ok(NonceOutcome::New);
        };
        Ok(traces::use_nonce(Some(&present), wanted, now))
    }

    /// Stores a part of a text, and returns all parts of the text that have arrived.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn keep_part(
        &self,
        text: TextKey,
        part: KeptPart,
        now: Timestamp,
    ) -> Result<Vec<KeptPart>, Unavailable> {
        let decide = |present: Option<KeptText>| {
            let write = traces::keep_part(present.as_ref(), part.clone(), now);
            let text = write.clone().or(present);
            Decision {
                outcome: text.map_or_else(Vec::new, |text| text.parts),
                write,
            }
        };
        self.change(Key::Text(text), decide).await
    }
}
