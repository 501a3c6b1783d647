//! One emulator for all tests, with a new table per store.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection,
    ProjectionType, ScalarAttributeType,
};
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;
use aws_types::region::Region;
use aws_types::sdk_config::Builder;
use countersign_aws::services::{Roots, Services, bounded, transport};
use countersign_aws::store::{DueShards, DynamoItems};
use countersign_domain::store::Store;
use countersign_emulators::{Emulator, Missing, dynamodb_local, skip};
use countersign_system::clock::SystemClock;

/// A running DynamoDB.
#[derive(Clone, Copy)]
pub(crate) struct Host {
    endpoint: &'static str,
}

/// Returns DynamoDB Local, AWS's own emulator. Without it, reports `test` as skipped.
pub(crate) async fn on_dynamodb_local(test: &str) -> Option<Host> {
    static STARTED: OnceLock<Result<Emulator, Missing>> = OnceLock::new();
    let waiting = tokio::task::spawn_blocking(|| STARTED.get_or_init(dynamodb_local::start));
    match waiting.await.unwrap() {
        Ok(emulator) => Some(Host {
            endpoint: emulator.endpoint(),
        }),
        Err(missing) => {
            skip(test, missing);
            None
        }
    }
}

/// Returns the client settings for this endpoint. An emulator under load may be slow.
pub(crate) fn config(endpoint: &str) -> Builder {
    let credentials = Credentials::new("000000000001", "secret", None, None, "tests");
    // Without a connection timeout, the transport would use its own.
    let patient = TimeoutConfig::builder().connect_timeout(Duration::from_mins(1));
    bounded(SdkConfig::builder())
        .region(Region::new("eu-central-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .timeout_config(patient.build())
        .http_client(transport(Roots::Amazon))
        .endpoint_url(endpoint)
}

/// Returns a store with these settings.
pub(crate) fn store_with(settings: Builder, table: &str) -> Store {
    Store::new(Arc::new(items_with(settings, table)), Arc::new(SystemClock))
}

/// Returns a document store with these settings.
pub(crate) fn items_with(settings: Builder, table: &str) -> DynamoItems {
    items_over(settings, table, DueShards::default())
}

/// Returns a document store with these settings, whose webhooks are distributed over this number of
/// partitions.
pub(crate) fn items_over(settings: Builder, table: &str, shards: DueShards) -> DynamoItems {
    DynamoItems::new(Services::with(settings.build()).dynamodb(), table, shards)
}

impl Host {
    /// Returns the client settings.
    pub(crate) fn config(self) -> Builder {
        config(self.endpoint)
    }

    /// Returns the address of the emulator.
    pub(crate) fn address(self) -> &'static str {
        self.endpoint.trim_start_matches("http://")
    }

    /// Returns the SDK's client.
    pub(crate) fn client(self) -> Client {
        Client::new(&self.config().build())
    }

    /// Returns a document store in a new table.
    pub(crate) async fn items(self) -> Arc<DynamoItems> {
        let table = new_table(&self.client()).await;
        Arc::new(items_with(self.config(), &table))
    }

    /// Returns a store in an existing table.
    pub(crate) fn store_on(self, table: &str) -> Store {
        store_with(self.config(), table)
    }
}

/// Creates a table with a unique name.
pub(crate) async fn new_table(client: &Client) -> String {
    static TABLES: AtomicU32 = AtomicU32::new(0);
    let name = format!("countersign-{}", TABLES.fetch_add(1, Ordering::Relaxed));
    let index = |name, partition, sort| {
        let projection = Projection::builder().projection_type(ProjectionType::KeysOnly);
        GlobalSecondaryIndex::builder()
            .index_name(name)
            .key_schema(key(partition, KeyType::Hash))
            .key_schema(key(sort, KeyType::Range))
            .projection(projection.build())
            .build()
            .unwrap()
    };
    client
        .create_table()
        .table_name(&name)
        .billing_mode(BillingMode::PayPerRequest)
        .attribute_definitions(attribute("pk", ScalarAttributeType::S))
        .attribute_definitions(attribute("sk", ScalarAttributeType::S))
        .attribute_definitions(attribute("due_shard", ScalarAttributeType::N))
        .attribute_definitions(attribute("due_at", ScalarAttributeType::N))
        .attribute_definitions(attribute("started_by", ScalarAttributeType::S))
        .attribute_definitions(attribute("started_at", ScalarAttributeType::N))
        .attribute_definitions(attribute("app_list", ScalarAttributeType::S))
        .key_schema(key("pk", KeyType::Hash))
        .key_schema(key("sk", KeyType::Range))
        .global_secondary_indexes(index("due", "due_shard", "due_at"))
        .global_secondary_indexes(index("started", "started_by", "started_at"))
        .global_secondary_indexes(index("apps", "app_list", "pk"))
        .send()
        .await
        .unwrap();
    name
}

fn attribute(name: &str, kind: ScalarAttributeType) -> AttributeDefinition {
    AttributeDefinition::builder()
        .attribute_name(name)
        .attribute_type(kind)
        .build()
        .unwrap()
}

fn key(name: &str, kind: KeyType) -> KeySchemaElement {
    KeySchemaElement::builder()
        .attribute_name(name)
        .key_type(kind)
        .build()
        .unwrap()
}
