//! The confirmation store.

use std::time::Duration;

use async_trait::async_trait;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::transitions::{
    self, CancelOutcome, ClaimOutcome, CreateOutcome, Decision, PostponeOutcome, RedactOutcome,
    RedeliverOutcome, SettleOutcome, SettledAttempt, TextEvidence, VerifyOutcome,
};
use countersign_domain::ids::{AppId, ConfirmationId};
use countersign_domain::ports::{ConfirmationStore, Due, Unavailable};
use countersign_domain::time::Timestamp;

use super::attributes::confirmation::{CREATED_AT, PURGE_AT};
use super::attributes::{Key, PK, REVISION, VERSION};
use super::change::{Change, difference, names_in};
use super::fault::Fault;
use super::item::{FORMAT, Item, RecordError, instant, number};
use super::record::{decode_confirmation, encode_confirmation};
use super::{DynamoStore, Written, unavailable, usual};

/// How often an unusual transition is decided anew because others changed the item meanwhile. Each
/// time one of them got on.
const DECISIONS: usize = 64;

#[async_trait]
impl ConfirmationStore for DynamoStore {
    async fn create(
        &self,
        new: Confirmation,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        self.put_new(new, now)
            .await
            .map_err(unavailable("confirmation store: create"))
    }

    async fn find(
        &self,
        id: ConfirmationId,
        now: Timestamp,
    ) -> Result<Option<Confirmation>, Unavailable> {
        let read = async {
            let item = self.get(Key::confirmation(id)).await?;
            let item = item
                .map(|item| decode_confirmation(id, &item))
                .transpose()?;
            Ok(item.filter(|item| now < item.purge_at))
        };
        read.await.map_err(unavailable("confirmation store: find"))
    }

    async fn verify(
        &self,
        id: ConfirmationId,
        evidence: &TextEvidence,
        now: Timestamp,
        retention: Duration,
    ) -> Result<VerifyOutcome, Unavailable> {
        let usual = usual::verify(id, evidence, now, retention);
        let made = |item: Confirmation| {
            let pointer = item.pointer()?;
            let app = item.app;
            Some(VerifyOutcome::Verified { pointer, app })
        };
        let decide = |current| transitions::verify(current, evidence, now, retention);
        self.transit(id, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: verify"))
    }

    async fn cancel(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        let usual = usual::cancel(id, app, now);
        let made = |item| Some(CancelOutcome::Cancelled(Box::new(item)));
        let decide = |current| transitions::cancel(current, app, now);
        self.transit(id, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: cancel"))
    }

    async fn redact(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<RedactOutcome, Unavailable> {
        let usual = usual::redact(id, app, now);
        let made = |item| Some(RedactOutcome::Redacted(Box::new(item)));
        let decide = |current| transitions::redact(current, app, now);
        self.transit(id, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: redact"))
    }

    async fn redeliver(
        &self,
        id: ConfirmationId,
        app: &AppId,
        now: Timestamp,
        retention: Duration,
    ) -> Result<RedeliverOutcome, Unavailable> {
        let usual = usual::redeliver(id, app, now, retention);
        let made = |item: Confirmation| {
            let pointer = item.pointer()?;
            let confirmation = Box::new(item);
            Some(RedeliverOutcome::Owed {
                confirmation,
                pointer,
            })
        };
        let decide = |current| transitions::redeliver(current, app, now, retention);
        self.transit(id, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: redeliver"))
    }

    async fn claim(
        &self,
        id: ConfirmationId,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimOutcome, Unavailable> {
        let usual = usual::claim(id, attempts_claimed, now);
        let made = |item| Some(ClaimOutcome::Claimed(Box::new(item)));
        let decide = |current| transitions::claim(current, attempts_claimed, now);
        self.transit(id, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: claim"))
    }

    async fn settle(
        &self,
        id: ConfirmationId,
        settled: SettledAttempt,
        now: Timestamp,
        retention: Duration,
    ) -> Result<SettleOutcome, Unavailable> {
        let usual = usual::settle(id, &settled, now, retention);
        let made = |item: Confirmation| {
            let pointer = item.pointer();
            Some(SettleOutcome::Settled { pointer })
        };
        let decide = |current| transitions::settle(current, settled.clone(), now, retention);
        self.transit(id, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: settle"))
    }

    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<Due>, Unavailable> {
        self.find_due(now, limit)
            .await
            .map_err(unavailable("confirmation store: due"))
    }

    async fn postpone(&self, due: Due, now: Timestamp) -> Result<PostponeOutcome, Unavailable> {
        let usual = usual::postpone(due, now);
        let made = |item: Confirmation| item.pointer().map(PostponeOutcome::Postponed);
        let decide = |current| transitions::postpone(current, due.due_at, now);
        self.transit(due.confirmation, usual, made, decide)
            .await
            .map_err(unavailable("confirmation store: postpone"))
    }
}

impl DynamoStore {
    /// Makes the usual change. Where it is refused, the domain decides on the item as it is, and
    /// what it wants written is written if the item is still the same.
    async fn transit<O: Send>(
        &self,
        id: ConfirmationId,
        usual: Change,
        made: impl FnOnce(Confirmation) -> Option<O> + Send,
        decide: impl Fn(Option<Confirmation>) -> Decision<O> + Send,
    ) -> Result<O, Fault> {
        let mut stored = match self.make(usual).await? {
            Written::Made(item) => {
                return made(decode_confirmation(id, &item)?)
                    .ok_or(Fault::Contradiction("what was written"));
            }
            Written::Refused(stored) => stored,
        };
        for _ in 0..DECISIONS {
            let current = stored
                .as_ref()
                .map(|item| decode_confirmation(id, item))
                .transpose()?;
            let before = current.as_ref().map(encode_confirmation);
            let Decision { outcome, write } = decide(current);
            let Some(after) = write else {
                return Ok(outcome);
            };
            let (Some(item), Some(before)) = (&stored, &before) else {
                return Err(Fault::Contradiction("an item that is not there"));
            };
            let same = if_unchanged(Change::of(Key::confirmation(id)), item)?;
            let change = difference(same, item, before, encode_confirmation(&after));
            match self.make(change).await? {
                Written::Made(_) => return Ok(outcome),
                Written::Refused(newer) => stored = newer,
            }
        }
        Err(Fault::Contended(DECISIONS))
    }

    /// Puts a session there, where there is none with its id or one that has had its time.
    async fn put_new(&self, new: Confirmation, now: Timestamp) -> Result<CreateOutcome, Fault> {
        let id = new.id;
        let mut item = encode_confirmation(&new);
        item.extend(Key::confirmation(id).attributes());
        item.insert(REVISION.to_owned(), number(1_u32));
        let free = format!(
            "attribute_not_exists(#{PK}) OR (#{PURGE_AT} <= :now AND #{VERSION} <= :format)"
        );
        let request = self
            .client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(item))
            .set_expression_attribute_names(Some(names_in(&[&free])))
            .expression_attribute_values(":now", instant(now))
            .expression_attribute_values(":format", number(FORMAT))
            .condition_expression(free)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let stored = match request.send().await {
            Ok(_) => return Ok(CreateOutcome::Created),
            Err(SdkError::ServiceError(refusal)) if is_refused(refusal.err()) => {
                match refusal.into_err() {
                    PutItemError::ConditionalCheckFailedException(failed) => failed.item,
                    _ => None,
                }
            }
            Err(error) => return Err(error.into()),
        };
        let current = stored
            .map(|item| decode_confirmation(id, &item))
            .transpose()?;
        match transitions::create(current, new, now) {
            Decision {
                outcome,
                write: None,
            } => Ok(outcome),
            Decision { write: Some(_), .. } => Err(Fault::Contradiction("a free id")),
        }
    }
}

const fn is_refused(error: &PutItemError) -> bool {
    matches!(error, PutItemError::ConditionalCheckFailedException(_))
}

/// Only where nothing was written to the item since. A session that was made anew under the same
/// id begins its revisions anew, so the instant of its creation counts, too.
fn if_unchanged(mut change: Change, stored: &Item) -> Result<Change, RecordError> {
    for (name, placeholder) in [(REVISION, ":revision"), (CREATED_AT, ":created_at")] {
        let value = stored.get(name).ok_or(RecordError::Missing(name))?;
        change = change
            .when(format!("#{name} = {placeholder}"))
            .given(placeholder, value.clone());
    }
    Ok(change)
}
