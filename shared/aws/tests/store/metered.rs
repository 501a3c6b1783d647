//! A DynamoDB client whose calls are measured.

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
use aws_types::sdk_config::Builder;
use countersign_aws::services::{Roots, transport};
use serde_json::Value;

use crate::host::Host;

/// The cost of each call, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter {
    writes: Arc<Mutex<Vec<f64>>>,
    reads: Arc<Mutex<Vec<f64>>>,
    queries: Arc<Mutex<Vec<f64>>>,
    /// The partition keys of reads and queries.
    partitions: Arc<Mutex<Vec<String>>>,
}

impl Meter {
    fn note_partitions(&self, input: &Value) {
        let read = [&input["Key"]["pk"]].into_iter();
        let values = input["ExpressionAttributeValues"].as_object();
        let queried = values.filter(|_| input["KeyConditionExpression"].is_string());
        let queried = queried.into_iter().flat_map(|values| values.values());
        let batches = input["RequestItems"].as_object();
        let batches = batches.into_iter().flat_map(|tables| tables.values());
        let keys = batches
            .filter_map(|batch| batch["Keys"].as_array())
            .flatten();
        let names = read.chain(queried).chain(keys.map(|key| &key["pk"]));
        let names = names.filter_map(|name| Some(name["S"].as_str()?.to_owned()));
        self.partitions.lock().unwrap().extend(names);
    }

    /// Returns the settings of clients whose calls are measured.
    pub(crate) fn config(&self, host: Host) -> Builder {
        let client = Metered {
            inner: transport(Roots::Amazon),
            meter: self.clone(),
        };
        host.config().http_client(SharedHttpClient::new(client))
    }

    /// Returns the writes since the last call of this method. Refused calls are NaN.
    pub(crate) fn writes(&self) -> Vec<f64> {
        std::mem::take(&mut *self.writes.lock().unwrap())
    }

    /// Returns the reads of items by their keys since the last call of this method.
    pub(crate) fn reads(&self) -> Vec<f64> {
        std::mem::take(&mut *self.reads.lock().unwrap())
    }

    /// Returns the partition keys of reads since the last call of this method, including reads of indexes.
    pub(crate) fn partitions(&self) -> Vec<String> {
        std::mem::take(&mut *self.partitions.lock().unwrap())
    }

    /// Returns the queries since the last call of this method.
    pub(crate) fn queries(&self) -> Vec<f64> {
        std::mem::take(&mut *self.queries.lock().unwrap())
    }
}

/// The HTTP client of a store: asks DynamoDB for the capacity units that each call consumes, and
/// records them.
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
        let counter = match target.rsplit('.').next() {
            Some("GetItem" | "BatchGetItem") => Some(&self.meter.reads),
            Some("Query") => Some(&self.meter.queries),
            Some("PutItem" | "UpdateItem") => Some(&self.meter.writes),
            _ => None,
        };
        let counter = counter.map(Arc::clone);
        if counter.is_some() {
            // The signature no longer matches, but DynamoDB Local does not verify it.
            let mut input = json(request.body().bytes());
            self.meter.note_partitions(&input);
            input["ReturnConsumedCapacity"] = "INDEXES".into();
            let body = input.to_string();
            let length = body.len().to_string();
            request.headers_mut().insert("content-length", length);
            *request.body_mut() = SdkBody::from(body);
        }
        let answered = self.inner.call(request);
        HttpConnectorFuture::new(async move {
            let answered: HttpResponse = answered.await?;
            let (status, headers) = (answered.status(), answered.headers().clone());
            let body = ByteStream::new(answered.into_body()).collect().await;
            let body = body
                .map_err(|error| ConnectorError::io(error.into()))?
                .into_bytes();
            if let Some(counter) = counter {
                let consumed = &json(Some(&body))["ConsumedCapacity"];
                // Calls that may be about several tables have a list.
                let consumed = consumed.get(0).unwrap_or(consumed);
                let units = consumed["CapacityUnits"].as_f64().unwrap_or(f64::NAN);
                counter.lock().unwrap().push(units);
            }
            let mut response = HttpResponse::new(status, SdkBody::from(body));
            *response.headers_mut() = headers;
            Ok(response)
        })
    }
}

fn json(body: Option<&[u8]>) -> Value {
    serde_json::from_slice(body.unwrap()).unwrap()
}
