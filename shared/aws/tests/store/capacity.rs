//! What a good session costs: calls, and units of write capacity with those of the index.

use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::interceptors::{
    AfterDeserializationInterceptorContextRef, BeforeSerializationInterceptorContextMut,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::operation::put_item::{PutItemInput, PutItemOutput};
use aws_sdk_dynamodb::operation::update_item::{UpdateItemInput, UpdateItemOutput};
use aws_sdk_dynamodb::types::{ConsumedCapacity, ReturnConsumedCapacity};
use countersign_aws::store::DynamoStore;
use countersign_conformance::samples::{
    NOW, RETENTION, acquisition, app_id, id, settled, signature, text,
};
use countersign_domain::confirmation::transitions::{
    ClaimOutcome, CreateOutcome, RedactOutcome, RedeliverOutcome, SettleOutcome, SettledAttempt,
    Settlement, VerifyOutcome,
};
use countersign_domain::delivery::KeptSignature;
use countersign_domain::ports::ConfirmationStore;
use countersign_domain::signing::KeyId;

use crate::host::{new_table, on_dynamodb_local};

/// What each write cost, in order.
#[derive(Clone, Debug, Default)]
struct Meter(Arc<Mutex<Vec<f64>>>);

impl Meter {
    /// What was written since the last time.
    fn read(&self) -> Vec<f64> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    fn count(&self, consumed: Option<&ConsumedCapacity>) {
        let units = consumed.and_then(|consumed| consumed.capacity_units);
        self.0.lock().unwrap().push(units.unwrap_or(f64::NAN));
    }
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
        }
        Ok(())
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if let Ok(output) = context.output_or_error() {
            if let Some(put) = output.downcast_ref::<PutItemOutput>() {
                self.count(put.consumed_capacity());
            } else if let Some(update) = output.downcast_ref::<UpdateItemOutput>() {
                self.count(update.consumed_capacity());
            } else {
                self.count(None);
            }
        }
        Ok(())
    }
}

/// As long as signatures and key ids are in earnest.
fn real_signature() -> KeptSignature {
    KeptSignature {
        key_id: KeyId::from_stored("xx0BcA-wMohw8atYDJOe6peGModklG2wRHBlXHMvl0M".to_owned()),
        der: vec![0x30; 72],
        ..signature(1)
    }
}

#[tokio::test]
async fn a_good_session_costs_six_units_in_four_calls() {
    let test = "what the DynamoDB store's writes cost";
    let Some(host) = on_dynamodb_local(test).await else {
        return;
    };
    let meter = Meter::default();
    let client = Client::from_conf(host.config().interceptor(meter.clone()).build());
    let table = new_table(&client).await;
    meter.read();
    let store = DynamoStore::new(client, table);

    let created = store.create(acquisition(1), NOW).await.unwrap();
    assert_eq!(created, CreateOutcome::Created);
    assert_eq!(meter.read(), [1.0], "create");

    let verified = store.verify(id(1), &text(1), NOW, RETENTION).await.unwrap();
    assert!(matches!(verified, VerifyOutcome::Verified { .. }));
    assert_eq!(meter.read(), [2.0], "verify, with the entry of the index");

    let claimed = store.claim(id(1), 0, NOW).await.unwrap();
    assert!(matches!(claimed, ClaimOutcome::Claimed(_)));
    assert_eq!(meter.read(), [1.0], "claim, without the index");

    let delivered = SettledAttempt {
        signature: Some(real_signature()),
        ..settled(1, 200, Settlement::Delivered)
    };
    let settled = store
        .settle(id(1), delivered, NOW, RETENTION)
        .await
        .unwrap();
    assert_eq!(settled, SettleOutcome::Settled { pointer: None });
    assert_eq!(meter.read(), [2.0], "settle, with the entry of the index");

    let demo = app_id("demo");
    let redelivered = store.redeliver(id(1), &demo, NOW, RETENTION).await.unwrap();
    assert!(matches!(redelivered, RedeliverOutcome::Owed { .. }));
    assert_eq!(meter.read(), [2.0], "redeliver");
    store.claim(id(1), 1, NOW).await.unwrap();
    assert_eq!(meter.read(), [1.0], "claim");
    let gone = SettledAttempt {
        signature: None,
        ..settled_as_gone()
    };
    store.settle(id(1), gone, NOW, RETENTION).await.unwrap();
    assert_eq!(meter.read(), [2.0], "settle");
    let redacted = store.redact(id(1), &demo, NOW).await.unwrap();
    assert!(matches!(redacted, RedactOutcome::Redacted(_)));
    assert_eq!(meter.read(), [1.0], "redact");
}

fn settled_as_gone() -> SettledAttempt {
    countersign_conformance::samples::settled(2, 410, Settlement::Failed)
}
