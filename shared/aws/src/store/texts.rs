//! The store of nonces and of parts of texts: one item for each nonce and for each text.
//!
//! A part is added by one conditional update, which returns the whole text. The numbers of the parts
//! stand in a set beside them, so that the condition can name one.

use async_trait::async_trait;
use countersign_domain::confirmation::text::store::{
    self, KeptPart, KeptText, MAX_KEPT_PARTS, NonceHash, TakeOutcome, TakenNonce, TextKey,
    TextStore,
};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::attributes::kept::{NUMBERS, PARTS, PURGE_AT};
use super::attributes::{Key, PK, TTL};
use super::change::Change;
use super::fault::Fault;
use super::item::{AttributeValue, instant, number, seconds};
use super::record::{from_item, to_item};
use super::transact::MAX_DECISIONS;
use super::{DynamoStore, Written, unavailable};

#[async_trait]
impl TextStore for DynamoStore {
    async fn take_nonce(
        &self,
        nonce: NonceHash,
        wanted: TakenNonce,
        now: Timestamp,
    ) -> Result<TakeOutcome, Unavailable> {
        self.take(nonce, wanted, now)
            .await
            .map_err(unavailable("texts: take nonce"))
    }

    async fn keep_part(
        &self,
        text: TextKey,
        part: KeptPart,
        now: Timestamp,
    ) -> Result<Vec<KeptPart>, Unavailable> {
        self.keep(text, part, now)
            .await
            .map_err(unavailable("texts: keep part"))
    }
}

impl DynamoStore {
    async fn take(
        &self,
        nonce: NonceHash,
        wanted: TakenNonce,
        now: Timestamp,
    ) -> Result<TakeOutcome, Fault> {
        let change = Change::of_any(Key::nonce(nonce))
            .when(format!(
                "(attribute_not_exists(#{PK}) OR #{PURGE_AT} <= :now)"
            ))
            .given(":now", instant(now))
            .set(TTL, seconds(wanted.purge_at));
        let change = to_item(&wanted)?
            .into_iter()
            .fold(change, |change, (name, value)| change.set(&name, value));
        let stored = match self.make(change).await? {
            Written::Made(_) => return Ok(TakeOutcome::Taken),
            Written::Refused(stored) => stored.ok_or(Fault::Contradiction("the nonce"))?,
        };
        let present = from_item((), &stored)?;
        match store::take_nonce(Some(&present), wanted, now) {
            TakeOutcome::Taken => Err(Fault::Contradiction("the nonce")),
            decided => Ok(decided),
        }
    }

    async fn keep(
        &self,
        key: TextKey,
        part: KeptPart,
        now: Timestamp,
    ) -> Result<Vec<KeptPart>, Fault> {
        for _ in 0..MAX_DECISIONS {
            let stored = match self.make(added(key, &part, now)?).await? {
                Written::Made(item) => return Ok(from_item::<KeptText>((), &item)?.parts),
                Written::Refused(stored) => stored.ok_or(Fault::Contradiction("the text"))?,
            };
            let present: KeptText = from_item((), &stored)?;
            if now < present.purge_at {
                return Ok(present.parts);
            }
            // Another call may begin the text anew first; then the part is added to it.
            if let Written::Made(item) = self.make(begun_anew(key, &part, now)?).await? {
                return Ok(from_item::<KeptText>((), &item)?.parts);
            }
        }
        Err(Fault::Contradiction("the text"))
    }
}

/// Adds a part to a text that has not been forgotten, or begins one.
fn added(key: TextKey, part: &KeptPart, now: Timestamp) -> Result<Change, Fault> {
    let first = alone(part, now)?;
    Ok(Change::of_any(Key::kept_text(key))
        .when(format!(
            "(attribute_not_exists(#{PK}) OR (#{PURGE_AT} > :now AND NOT contains(#{NUMBERS}, \
             :number) AND size(#{NUMBERS}) < :most))"
        ))
        .given(":now", instant(now))
        .given(":number", number(part.number))
        .given(":most", number(MAX_KEPT_PARTS as u64))
        .set_to(format!(
            "#{PARTS} = list_append(if_not_exists(#{PARTS}, :none), :part)"
        ))
        .given(":none", AttributeValue::L(Vec::new()))
        .given(":part", parts_of(&first)?)
        .set_to(format!("#{PURGE_AT} = if_not_exists(#{PURGE_AT}, :purge)"))
        .given(":purge", instant(first.purge_at))
        .set_to(format!("#{TTL} = if_not_exists(#{TTL}, :ttl)"))
        .given(":ttl", seconds(first.purge_at))
        .add(NUMBERS, ":numbers")
        .given(":numbers", numbers_of(part)))
}

/// Replaces a text that is forgotten, and that DynamoDB has not deleted yet.
fn begun_anew(key: TextKey, part: &KeptPart, now: Timestamp) -> Result<Change, Fault> {
    let first = alone(part, now)?;
    Ok(Change::of(Key::kept_text(key))
        .when(format!("#{PURGE_AT} <= :now"))
        .given(":now", instant(now))
        .set(PARTS, parts_of(&first)?)
        .set(PURGE_AT, instant(first.purge_at))
        .set(TTL, seconds(first.purge_at))
        .set(NUMBERS, numbers_of(part)))
}

fn alone(part: &KeptPart, now: Timestamp) -> Result<KeptText, Fault> {
    store::keep_part(None, part.clone(), now).ok_or(Fault::Contradiction("the text"))
}

fn parts_of(text: &KeptText) -> Result<AttributeValue, Fault> {
    let parts = to_item(text)?.remove(PARTS);
    parts.ok_or(Fault::Contradiction("the text"))
}

fn numbers_of(part: &KeptPart) -> AttributeValue {
    AttributeValue::Ns(vec![part.number.to_string()])
}
