//! The calls and the write capacity that a confirmation costs, including the index.

mod association_keys;
mod logins;
mod texts;

use std::sync::{Arc, Mutex};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use countersign_aws::services::{Roots, transport};
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
use countersign_domain::store::Store;

use crate::host::{new_table, on_dynamodb_local, store_with};

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

/// The HTTP client of a store: asks DynamoDB for the units that each call consumes, and notes them.
#[derive(Clone, Debug)]
struct Metered {
    inner: SharedHttpClient,
    meter: Meter,
}

impl HttpClient for Metered {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(MeteredConnector {
            inner: self.inner.http_connector(settings, components),
            meter: self.meter.clone(),
        })
    }
}

#[derive(Clone, Debug)]
struct MeteredConnector {
    inner: SharedHttpConnector,
    meter: Meter,
}

impl HttpConnector for MeteredConnector {
    fn call(&self, mut request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let reads = target.ends_with(".GetItem");
        if reads || target.ends_with(".PutItem") || target.ends_with(".UpdateItem") {
            // The signature no longer fits, which DynamoDB Local does not verify.
            let mut input = json(request.body().bytes());
            input["ReturnConsumedCapacity"] = "INDEXES".into();
            let body = input.to_string();
            let length = body.len().to_string();
            request.headers_mut().insert("content-length", length);
            *request.body_mut() = SdkBody::from(body);
        }
        let (answered, meter) = (self.inner.call(request), self.meter.clone());
        HttpConnectorFuture::new(async move {
            let answered: HttpResponse = answered.await?;
            let (status, headers) = (answered.status(), answered.headers().clone());
            let body = ByteStream::new(answered.into_body()).collect().await;
            let body = body
                .map_err(|error| ConnectorError::io(error.into()))?
                .into_bytes();
            let units = &json(Some(&body))["ConsumedCapacity"]["CapacityUnits"];
            let noted = if reads { meter.reads } else { meter.writes };
            noted
                .lock()
                .unwrap()
                .push(units.as_f64().unwrap_or(f64::NAN));
            let mut response = HttpResponse::new(status, SdkBody::from(body));
            *response.headers_mut() = headers;
            Ok(response)
        })
    }
}

fn json(body: Option<&[u8]>) -> serde_json::Value {
    serde_json::from_slice(body.unwrap()).unwrap()
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
async fn measured(test: &str) -> Option<(Store, Meter)> {
    let host = on_dynamodb_local(test).await?;
    let meter = Meter::default();
    let client = Metered {
        inner: transport(Roots::Amazon),
        meter: meter.clone(),
    };
    let settings = host.config().http_client(SharedHttpClient::new(client));
    let table = new_table(&host.client()).await;
    Some((store_with(settings, &table), meter))
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
