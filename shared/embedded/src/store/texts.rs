//! The store of nonces and of parts of texts.

use async_trait::async_trait;
use countersign_domain::confirmation::text::store::{
    self, KeptPart, KeptText, NonceHash, TakeOutcome, TakenNonce, TextKey, TextStore,
};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use redb::ReadableTable as _;

use super::EmbeddedStore;
use super::checked;
use super::history::move_in;
use super::tables::{FORGET_NONCES, FORGET_TEXTS, ItemKey, NONCES, TEXTS, hash_key};

#[async_trait]
impl TextStore for EmbeddedStore {
    async fn take_nonce(
        &self,
        nonce: NonceHash,
        wanted: TakenNonce,
        now: Timestamp,
    ) -> Result<TakeOutcome, Unavailable> {
        let key = hash_key(&nonce.0);
        self.write("texts: take nonce", move |batch| {
            let mut table = batch.transaction.open_table(NONCES)?;
            let present: Option<TakenNonce> = match table.get(&key)? {
                // A damaged record might be of another body, so it is an error.
                Some(record) => Some(checked::read(&NONCES, &key, (), record.value())?),
                None => None,
            };
            let outcome = store::take_nonce(present.as_ref(), wanted, now);
            if outcome != TakeOutcome::Taken {
                return Ok(outcome);
            }
            let sealed = checked::write(&NONCES, &key, &wanted)?;
            table.insert(&key, sealed.stored())?;
            drop(table);
            let before = present.map(|taken| taken.purge_at);
            let index = batch.transaction.open_table(FORGET_NONCES)?;
            move_in(index, &key, before, Some(wanted.purge_at))?;
            batch.mark_changed();
            Ok(outcome)
        })
        .await
    }

    async fn keep_part(
        &self,
        text: TextKey,
        part: KeptPart,
        now: Timestamp,
    ) -> Result<Vec<KeptPart>, Unavailable> {
        let key: ItemKey = hash_key(&text.0);
        self.write("texts: keep part", move |batch| {
            let mut table = batch.transaction.open_table(TEXTS)?;
            // A damaged record is replaced: its text has to be sent again.
            let present: Option<KeptText> = table
                .get(&key)?
                .and_then(|record| checked::read(&TEXTS, &key, (), record.value()).ok());
            let Some(changed) = store::keep_part(present.as_ref(), part, now) else {
                return Ok(present.map_or_else(Vec::new, |text| text.parts));
            };
            let sealed = checked::write(&TEXTS, &key, &changed)?;
            table.insert(&key, sealed.stored())?;
            drop(table);
            let before = present.map(|text| text.purge_at);
            let index = batch.transaction.open_table(FORGET_TEXTS)?;
            move_in(index, &key, before, Some(changed.purge_at))?;
            batch.mark_changed();
            Ok(changed.parts)
        })
        .await
    }
}
