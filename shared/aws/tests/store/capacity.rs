//! The calls and the write capacity that changes cost, including the index.

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
use countersign_conformance::samples::logins::{answer_of, phone, sealed, sealed_login};
use countersign_conformance::samples::{NOW, RETENTION, acquisition, settled, signature, text};
use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::quota::Allowance;
use countersign_domain::confirmation::{Status, transitions};
use countersign_domain::delivery::signing::KeyId;
use countersign_domain::delivery::{
    DeliverySubject, KeptSignature, SWEEP_LEASE, SettleOutcome, SettledAttempt, Settlement,
};
use countersign_domain::login;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{Before, Period, Store, Wanted};

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
async fn change_costs_its_item_and_its_index_entry() {
    let Some((store, meter)) = measured("the cost of changes in DynamoDB").await else {
        return;
    };
    let cost = || (meter.reads().len(), meter.writes());
    let due_at = NOW.plus(SWEEP_LEASE * 2);
    // `item` is the cost of the item alone: one for each KiB of it that is begun.
    let deliver = async |subject: DeliverySubject, item: f64| {
        store.claim(subject, 0, NOW).await.unwrap();
        assert_eq!(cost(), (1, vec![item]), "claim, without the index");
        let retry = settled(1, 503, Settlement::Retry { at: NOW, due_at });
        store.settle(subject, retry, NOW, RETENTION).await.unwrap();
        let moved = "settle, with the index entry deleted and written";
        assert_eq!(cost(), (1, vec![item + 2.0]), "{moved}");
        store.claim(subject, 1, NOW).await.unwrap();
        cost();
        let delivered = SettledAttempt {
            signature: Some(real_signature()),
            ..settled(2, 200, Settlement::Delivered)
        };
        let delivered = store.settle(subject, delivered, NOW, RETENTION).await;
        let ended = SettleOutcome::Settled { pointer: None };
        assert_eq!(delivered.unwrap(), ended);
        assert_eq!(
            cost(),
            (1, vec![item + 1.0]),
            "settle, with its index entry"
        );
    };

    let confirmation = acquisition(1);
    let id = confirmation.id;
    let created = store.start_confirmation(confirmation, Allowance::Unlimited, NOW);
    created.await.unwrap();
    assert_eq!(cost(), (0, vec![2.0]), "create, with the entry of the list");
    let text = text(1);
    let verify = |current| transitions::verify(current, &text, NOW, RETENTION);
    store.change(id, verify).await.unwrap();
    assert_eq!(cost(), (1, vec![2.0]), "verify, with its index entry");
    deliver(id.into(), 1.0).await;

    let mut login = sealed_login(1);
    login.callback = Some(acquisition(1).callback);
    let (id, app) = (login.id, login.app.clone());
    let created = store.start_login(login, Allowance::Unlimited, NOW);
    created.await.unwrap();
    assert_eq!(cost(), (0, vec![2.0]), "create, with the entry of the list");
    let initiate = |current| login::transitions::initiate(current, &app, phone(1, &[], NOW), NOW);
    store.change(id, initiate).await.unwrap().unwrap();
    assert_eq!(cost(), (1, vec![1.0]), "initiate");
    let confirm = |current| login::transitions::confirm(current, answer_of(1, sealed()), NOW);
    store.change(id, confirm).await.unwrap().unwrap();
    assert_eq!(cost(), (1, vec![3.0]), "confirm, with its index entry");
    deliver(id.into(), 2.0).await;
}

#[tokio::test]
async fn page_reads_what_it_shows_and_no_more_than_five_times_its_limit() {
    let Some((store, meter)) = measured("the cost of lists in DynamoDB").await else {
        return;
    };
    for n in 0..12 {
        let started = store.start_confirmation(acquisition(n), Allowance::Unlimited, NOW);
        started.await.unwrap();
    }
    let period = Period {
        from: Timestamp::from_millis(0),
        before: Before::Time(NOW.plus(RETENTION)),
    };
    let app = acquisition(0).app;
    meter.reads();
    for (status, limit, shown, reads) in [
        (None, 1, 1, 1),
        (None, 5, 5, 5),
        (None, 100, 12, 12),
        (Some(Status::Cancelled), 1, 0, 5),
        (Some(Status::Cancelled), 2, 0, 10),
        (Some(Status::Cancelled), 100, 0, 12),
    ] {
        let wanted = Wanted {
            status,
            last_digits: None,
            period,
        };
        let permit = store.begin_list(&app, Allowance::Unlimited, NOW).unwrap();
        let page = store.list_confirmations(&permit, KeyMode::Live, &wanted, limit, NOW);
        let page = page.await.unwrap();
        assert_eq!(page.items.len(), shown);
        assert_eq!(page.next.is_some(), limit < 12, "{limit}");
        assert_eq!(meter.reads().len(), reads, "{status:?}, {limit}");
    }
}
