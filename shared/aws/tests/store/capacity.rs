//! The calls and the write capacity that a confirmation costs, including the index.

mod association_keys;
mod logins;
mod texts;

use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::interceptors::{
    AfterDeserializationInterceptorContextRef, BeforeSerializationInterceptorContextMut,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::operation::get_item::{GetItemInput, GetItemOutput};
use aws_sdk_dynamodb::operation::put_item::{PutItemInput, PutItemOutput};
use aws_sdk_dynamodb::operation::update_item::{UpdateItemInput, UpdateItemOutput};
use aws_sdk_dynamodb::types::{ConsumedCapacity, ReturnConsumedCapacity};
use countersign_aws::store::DynamoStore;
use countersign_conformance::samples::{
    NOW, OTHER_PHONE, PHONE, RETENTION, WHATSAPP, acquisition, app_id, confirmation, id,
    on_whatsapp, settled, signature, text, text_from, text_on_whatsapp,
};
use countersign_domain::confirmation::miss::Unfit;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, VerifyOutcome,
};
use countersign_domain::delivery::signing::KeyId;
use countersign_domain::delivery::store::{DeliveryStore as _, Due};
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::delivery::{
    ClaimOutcome, KeptSignature, PostponeOutcome, SWEEP_LEASE, SettleOutcome, SettledAttempt,
    Settlement,
};

use crate::host::{new_table, on_dynamodb_local};

/// The cost of each call, in order.
#[derive(Clone, Debug, Default)]
struct Meter {
    writes: Arc<Mutex<Vec<f64>>>,
    reads: Arc<Mutex<Vec<f64>>>,
}

impl Meter {
    /// Returns the writes since the last call of this method. Refused calls and queries are NaN.
    fn writes(&self) -> Vec<f64> {
        std::mem::take(&mut *self.writes.lock().unwrap())
    }

    /// Returns the reads of single items since the last call of this method.
    fn reads(&self) -> Vec<f64> {
        std::mem::take(&mut *self.reads.lock().unwrap())
    }
}

/// Returns the units that a call consumed.
fn units(consumed: Option<&ConsumedCapacity>) -> f64 {
    let units = consumed.and_then(|consumed| consumed.capacity_units);
    units.unwrap_or(f64::NAN)
}

impl Intercept for Meter {
    fn name(&self) -> &'static str {
        "Meter"
    }

    fn modify_before_serialization(
        &self,
        context: &mut BeforeSerializationInterceptorContextMut<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let with_indexes = Some(ReturnConsumedCapacity::Indexes);
        if let Some(put) = context.input_mut().downcast_mut::<PutItemInput>() {
            put.return_consumed_capacity = with_indexes;
        } else if let Some(update) = context.input_mut().downcast_mut::<UpdateItemInput>() {
            update.return_consumed_capacity = with_indexes;
        } else if let Some(get) = context.input_mut().downcast_mut::<GetItemInput>() {
            get.return_consumed_capacity = with_indexes;
        }
        Ok(())
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let output = context.output_or_error().ok();
        if let Some(get) = output.and_then(|output| output.downcast_ref::<GetItemOutput>()) {
            self.reads
                .lock()
                .unwrap()
                .push(units(get.consumed_capacity()));
            return Ok(());
        }
        let put = output.and_then(|output| output.downcast_ref::<PutItemOutput>());
        let update = output.and_then(|output| output.downcast_ref::<UpdateItemOutput>());
        let consumed = put
            .and_then(PutItemOutput::consumed_capacity)
            .or_else(|| update.and_then(UpdateItemOutput::consumed_capacity));
        self.writes.lock().unwrap().push(units(consumed));
        Ok(())
    }
}

/// A signature and a key id of realistic length.
fn real_signature() -> KeptSignature {
    KeptSignature {
        key_id: KeyId::from_stored("xx0BcA-wMohw8atYDJOe6peGModklG2wRHBlXHMvl0M".to_owned()),
        der: vec![0x30; 72],
        ..signature(1)
    }
}

/// Returns a store whose calls are measured. Without DynamoDB Local, reports `test` as skipped.
async fn measured(test: &str) -> Option<(DynamoStore, Meter)> {
    let host = on_dynamodb_local(test).await?;
    let meter = Meter::default();
    let client = Client::from_conf(host.config().interceptor(meter.clone()).build());
    let table = new_table(&client).await;
    meter.writes();
    Some((DynamoStore::new(client, table), meter))
}

#[tokio::test]
async fn confirmation_costs_six_units_in_four_calls() {
    let test = "the cost of a confirmation in DynamoDB";
    let Some((store, meter)) = measured(test).await else {
        return;
    };
    let whatsapp = on_whatsapp(acquisition(2));
    for (new, text) in [
        (acquisition(1), text(1)),
        (whatsapp, text_on_whatsapp(2, PHONE, WHATSAPP)),
    ] {
        let id = new.id;
        let created = store.create(new, NOW).await.unwrap();
        assert_eq!(created, CreateOutcome::Created);
        assert_eq!(meter.writes(), [1.0], "create");

        let verified = store.verify(id, &text, NOW, RETENTION).await.unwrap();
        assert!(matches!(verified, VerifyOutcome::Verified { .. }));
        assert_eq!(meter.writes(), [2.0], "verify, with its index entry");

        let claimed = store.claim(id.into(), 0, NOW).await.unwrap();
        assert!(matches!(claimed, ClaimOutcome::Claimed(_)));
        assert_eq!(meter.writes(), [1.0], "claim, without the index");

        let delivered = SettledAttempt {
            signature: Some(real_signature()),
            ..settled(1, 200, Settlement::Delivered)
        };
        let settled = store
            .settle(id.into(), delivered, NOW, RETENTION)
            .await
            .unwrap();
        assert_eq!(settled, SettleOutcome::Settled { pointer: None });
        assert_eq!(meter.writes(), [2.0], "settle, with its index entry");
    }
    assert!(meter.reads().is_empty());
}

#[tokio::test]
async fn fast_path_of_every_transition_is_one_call() {
    let test = "the cost of every transition in DynamoDB";
    let Some((store, meter)) = measured(test).await else {
        return;
    };
    let demo = app_id("demo");
    store.create(confirmation(1), NOW).await.unwrap();
    store.verify(id(1), &text(1), NOW, RETENTION).await.unwrap();
    store.claim(id(1).into(), 0, NOW).await.unwrap();
    let due_at = NOW.plus(SWEEP_LEASE * 2);
    let retry = Settlement::Retry { at: NOW, due_at };
    let failed = settled(1, 503, retry);
    meter.writes();
    store
        .settle(id(1).into(), failed, NOW, RETENTION)
        .await
        .unwrap();
    assert_eq!(
        meter.writes(),
        [3.0],
        "settle, with the index entry deleted and written"
    );
    let due = Due {
        due_at,
        subject: id(1).into(),
        lane: acquisition(1).lane(),
    };
    let postponed = store.postpone(due, due_at).await.unwrap();
    assert!(matches!(postponed, PostponeOutcome::Postponed(_)));
    assert_eq!(meter.writes(), [3.0], "postpone");
    store.claim(id(1).into(), 1, NOW).await.unwrap();
    assert_eq!(meter.writes(), [1.0], "claim");
    let gone = settled(2, 410, Settlement::Failed);
    store
        .settle(id(1).into(), gone, NOW, RETENTION)
        .await
        .unwrap();
    assert_eq!(meter.writes(), [2.0], "settle");
    let again = store.redeliver(id(1), &demo, NOW, RETENTION).await.unwrap();
    assert!(matches!(again, RedeliverOutcome::Owed { .. }));
    assert_eq!(meter.writes(), [2.0], "redeliver");
    store.claim(id(1).into(), 2, NOW).await.unwrap();
    let delivered = settled(3, 200, Settlement::Delivered);
    store
        .settle(id(1).into(), delivered, NOW, RETENTION)
        .await
        .unwrap();
    meter.writes();
    let redacted = store.redact(id(1), &demo, NOW).await.unwrap();
    assert!(matches!(redacted, RedactOutcome::Redacted(_)));
    assert_eq!(meter.writes(), [1.0], "redact");
    store.create(acquisition(2), NOW).await.unwrap();
    meter.writes();
    let cancelled = store.cancel(id(2), &demo, NOW).await.unwrap();
    assert!(matches!(cancelled, CancelOutcome::Cancelled(_)));
    assert_eq!(meter.writes(), [1.0], "cancel");
}

#[tokio::test]
async fn misses_of_a_confirmation_write_once() {
    let test = "the cost of misses in DynamoDB";
    let Some((store, meter)) = measured(test).await else {
        return;
    };
    // Refused writes are NaN.
    let refusals_and_units = || {
        let (refused, made): (Vec<_>, Vec<_>) =
            meter.writes().into_iter().partition(|units| units.is_nan());
        (refused.len(), made)
    };
    let other = text_from(9, OTHER_PHONE);
    store.create(confirmation(1), NOW).await.unwrap();
    store.create(confirmation(2), NOW).await.unwrap();
    meter.writes();
    store.verify(id(1), &other, NOW, RETENTION).await.unwrap();
    assert_eq!(refusals_and_units(), (1, vec![1.0]), "first miss");
    let unfit = Unfit::Recipient;
    store.record_miss(id(2), unfit, NOW).await.unwrap();
    assert_eq!(refusals_and_units(), (0, vec![1.0]), "text elsewhere");
    let late = confirmation(1).expires_at;
    for (n, at) in [(1, NOW), (2, NOW), (1, late), (2, late)] {
        store.verify(id(n), &other, at, RETENTION).await.unwrap();
        store.record_miss(id(n), unfit, at).await.unwrap();
        assert_eq!(refusals_and_units(), (2, vec![]), "later ones");
    }
    store.verify(id(1), &text(1), NOW, RETENTION).await.unwrap();
    assert_eq!(refusals_and_units(), (0, vec![2.0]), "verify");
}
