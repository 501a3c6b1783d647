//! Items of other releases: attributes that a later release added survive, and items of other versions are
//! refused.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use countersign_conformance::samples::{NOW, RETENTION, acquisition, app, app_id, id, login, text};
use countersign_domain::app::App;
use countersign_domain::app::quota::Allowance;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::transitions::{self, CreateOutcome, VerifyOutcome};
use countersign_domain::delivery::Decision;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;

use crate::host::{Host, new_table, on_dynamodb_local};

type Item = HashMap<String, AttributeValue>;

/// A table that the test writes to directly.
struct Table {
    client: Client,
    name: String,
    store: Store,
}

impl Table {
    async fn new(host: Host) -> Self {
        let client = host.client();
        let name = new_table(&client).await;
        let store = host.store_on(&name);
        Self {
            client,
            name,
            store,
        }
    }

    async fn items(&self) -> Vec<Item> {
        let all = self.client.scan().table_name(&self.name).send().await;
        all.unwrap().items.unwrap()
    }

    async fn item(&self, pk: &str) -> Item {
        let mut items = self.items().await.into_iter();
        let found = items.find(|item| item["pk"].as_s().unwrap().starts_with(pk));
        found.unwrap()
    }

    /// Adds an attribute to an item, as another release might.
    async fn add(&self, pk: &str, name: &str, value: AttributeValue) {
        let mut item = self.item(pk).await;
        item.insert(name.to_owned(), value);
        let put = self.client.put_item().table_name(&self.name);
        put.set_item(Some(item)).send().await.unwrap();
    }

    async fn set_version(&self, pk: &str, version: u32) {
        let version = AttributeValue::N(version.to_string());
        self.add(pk, "v", version).await;
    }
}

async fn created(store: &Store, now: Timestamp) -> Result<CreateOutcome, Unavailable> {
    let unlimited = Allowance::Unlimited;
    store
        .start_confirmation(acquisition(1), unlimited, now)
        .await
}

fn verify(current: Option<Confirmation>) -> Decision<Confirmation, VerifyOutcome> {
    transitions::verify(current, &text(1), NOW, RETENTION)
}

#[tokio::test]
async fn attributes_of_a_later_release_survive_a_write() {
    let test = "attributes of a later release in DynamoDB";
    let Some(host) = on_dynamodb_local(test).await else {
        return;
    };
    let table = Table::new(host).await;
    let store = &table.store;
    created(store, NOW).await.unwrap();
    let later = AttributeValue::L(vec![AttributeValue::Bool(true)]);
    table.add("CFM#", "later", later.clone()).await;
    store.change(id(1), verify).await.unwrap();
    let item = table.item("CFM#").await;
    assert_eq!(item.get("later"), Some(&later));
    assert!(item.contains_key("due_at"), "it was verified");
}

#[tokio::test]
async fn items_of_another_version_are_neither_read_nor_written() {
    let test = "items of another release in DynamoDB";
    let Some(host) = on_dynamodb_local(test).await else {
        return;
    };
    let table = Table::new(host).await;
    let store = &table.store;
    created(store, NOW).await.unwrap();
    // A new item is refused even if the existing one has expired.
    let late = acquisition(1).purge_at;
    for version in [1, 9] {
        table.set_version("CFM#", version).await;
        let before = table.items().await;
        created(store, late).await.unwrap_err();
        store.find::<Confirmation>(id(1), NOW).await.unwrap_err();
        store.change(id(1), verify).await.unwrap_err();
        assert_eq!(table.items().await, before);
    }
}

#[tokio::test]
async fn app_of_a_later_version_does_not_affect_others() {
    let test = "an app of a later release in DynamoDB";
    let Some(host) = on_dynamodb_local(test).await else {
        return;
    };
    let table = Table::new(host).await;
    table.store.create_app(app("later")).await.unwrap();
    table.set_version("APP#later", 9).await;
    let known = App {
        app_key: "cs_app_0000000000000000000002".parse().unwrap(),
        login: login(),
        ..app("known")
    };
    table.store.create_app(known.clone()).await.unwrap();
    let found = table.store.lookup_app_key(&known.app_key).await;
    assert_eq!(found.unwrap().unwrap().id, app_id("known"));
    let other = "cs_app_0000000000000000000003".parse().unwrap();
    assert_eq!(table.store.lookup_app_key(&other).await.unwrap(), None);
    let later = app("later").app_key;
    table.store.lookup_app_key(&later).await.unwrap_err();
    let (listed, left_out) = table.store.list_apps().await.unwrap();
    assert_eq!((listed.len(), left_out), (1, 1));
}
