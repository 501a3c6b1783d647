//! Items of other releases: attributes that a later release added survive, and items of other versions are
//! refused.

mod logins;

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use countersign_aws::store::DynamoStore;
use countersign_conformance::samples::{
    NOW, RETENTION, acquisition, app, app_id, id, key, login, settled, text,
};
use countersign_domain::app::App;
use countersign_domain::app::store::AppStore;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::delivery::store::{DeliveryStore as _, Due};
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::delivery::{KEPT_ATTEMPTS, SettleOutcome, Settlement};
use countersign_domain::primitives::unavailable::Unavailable;

use crate::host::{Host, new_table, on_dynamodb_local};

type Item = HashMap<String, AttributeValue>;

/// A table that the test writes to directly.
struct Table {
    host: Host,
    client: Client,
    name: String,
    store: DynamoStore,
}

impl Table {
    async fn of(host: Host) -> Self {
        let client = host.client();
        let name = new_table(&client).await;
        let store = host.store_on(&name);
        Self {
            host,
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

    /// Changes an item as another release might.
    async fn rewrite(&self, pk: &str, change: impl FnOnce(&mut Item)) {
        let mut item = self.item(pk).await;
        change(&mut item);
        let put = self.client.put_item().table_name(&self.name);
        put.set_item(Some(item)).send().await.unwrap();
    }
}

impl Table {
    /// Sets items to a version after the one that this release knows.
    async fn of_a_later_version(&self, pks: &[&str]) {
        for pk in pks {
            self.set_version(pk, 3).await;
        }
    }

    async fn set_version(&self, pk: &str, version: u32) {
        let version = ("v".to_owned(), AttributeValue::N(version.to_string()));
        self.rewrite(pk, |item| item.extend([version])).await;
    }
}

fn later() -> (String, AttributeValue) {
    let value = AttributeValue::M(HashMap::from([(
        "x".to_owned(),
        AttributeValue::L(vec![AttributeValue::Null(true)]),
    )]));
    ("later".to_owned(), value)
}

#[tokio::test]
async fn attributes_of_a_later_release_survive_every_write() {
    let test = "attributes of a later release in DynamoDB";
    if let Some(host) = on_dynamodb_local(test).await {
        survives(&Table::of(host).await).await;
    }
}

async fn survives(table: &Table) {
    let store = &table.store;
    let demo = app_id("demo");
    store.create(acquisition(1), NOW).await.unwrap();
    table.rewrite("CFM#", |item| item.extend([later()])).await;
    store.verify(id(1), &text(1), NOW, RETENTION).await.unwrap();
    store.claim(id(1).into(), 0, NOW).await.unwrap();
    let again = Settlement::Retry {
        at: NOW,
        due_at: NOW,
    };
    let first = settled(1, 503, again);
    store
        .settle(id(1).into(), first, NOW, RETENTION)
        .await
        .unwrap();
    // Attributes within attempts survive, too, even once the oldest attempts are dropped.
    table
        .rewrite("CFM#", |item| {
            let Some(AttributeValue::L(attempts)) = item.get_mut("da") else {
                panic!("the attempts are not a list");
            };
            let Some(AttributeValue::M(attempt)) = attempts.first_mut() else {
                panic!("an attempt is not a map");
            };
            attempt.extend([later()]);
            let attempt = AttributeValue::M(attempt.clone());
            attempts.resize(KEPT_ATTEMPTS, attempt);
        })
        .await;
    store.claim(id(1).into(), 1, NOW).await.unwrap();
    let second = settled(2, 200, Settlement::Delivered);
    let outcome = store
        .settle(id(1).into(), second, NOW, RETENTION)
        .await
        .unwrap();
    assert_eq!(outcome, SettleOutcome::Settled { pointer: None });
    let item = table.item("CFM#").await;
    let attempts = item["da"].as_l().unwrap();
    assert_eq!(attempts.len(), KEPT_ATTEMPTS);
    let (last, others) = attempts.split_last().unwrap();
    assert!(
        others
            .iter()
            .all(|a| a.as_m().unwrap().contains_key("later"))
    );
    assert!(!last.as_m().unwrap().contains_key("later"));
    let again = store.redeliver(id(1), &demo, NOW, RETENTION).await;
    again.unwrap();
    store.claim(id(1).into(), 2, NOW).await.unwrap();
    let third = settled(3, 200, Settlement::Delivered);
    store
        .settle(id(1).into(), third, NOW, RETENTION)
        .await
        .unwrap();
    store.redact(id(1), &demo, NOW).await.unwrap();
    assert!(table.item("CFM#").await.contains_key("later"));

    store.create_app(app("demo")).await.unwrap();
    table.rewrite("APPS", |item| item.extend([later()])).await;
    table
        .rewrite("PROFILE", |item| item.extend([later()]))
        .await;
    store.update_app(app("demo")).await.unwrap();
    store.issue_key(&demo, key(1)).await.unwrap();
    let revoked = store.revoke_key(&demo, &key(1).hash.id(), NOW).await;
    revoked.unwrap();
    assert!(table.item("APPS").await.contains_key("later"));
    assert!(table.item("PROFILE").await.contains_key("later"));
}

#[tokio::test]
async fn items_of_a_later_version_are_neither_read_nor_written() {
    let test = "items of a later release in DynamoDB";
    if let Some(host) = on_dynamodb_local(test).await {
        refused(&Table::of(host).await).await;
    }
}

async fn refused(table: &Table) {
    let store = &table.store;
    let demo = app_id("demo");
    store.create(acquisition(1), NOW).await.unwrap();
    store.create_app(app("demo")).await.unwrap();
    store.issue_key(&demo, key(1)).await.unwrap();
    table
        .of_a_later_version(&["CFM#", "APPS", "PROFILE", "KEY#"])
        .await;
    let before = table.items().await;
    let due = Due {
        due_at: NOW,
        subject: id(1).into(),
        lane: acquisition(1).lane(),
    };
    let attempt = settled(1, 200, Settlement::Delivered);
    let key_id = key(1).hash.id();
    // Creation is refused even if the existing item has expired.
    let late = acquisition(1).purge_at;
    refuses(store.create(acquisition(1), late).await);
    refuses(store.find(id(1), NOW).await);
    refuses(store.verify(id(1), &text(1), NOW, RETENTION).await);
    refuses(store.cancel(id(1), &demo, NOW).await);
    refuses(store.redact(id(1), &demo, late).await);
    refuses(store.redeliver(id(1), &demo, NOW, RETENTION).await);
    refuses(store.claim(id(1).into(), 0, NOW).await);
    refuses(store.settle(id(1).into(), attempt, NOW, RETENTION).await);
    refuses(store.postpone(due, NOW).await);
    refuses(store.find_app(&demo).await);
    refuses(store.list_apps().await);
    refuses(store.list_keys(&demo).await);
    refuses(store.update_app(app("demo")).await);
    refuses(store.create_app(app("other")).await);
    refuses(store.issue_key(&demo, key(2)).await);
    refuses(store.revoke_key(&demo, &key_id, NOW).await);
    refuses(store.inbound_profile().await);
    let elsewhere = table.host.store_on(&table.name);
    refuses(elsewhere.lookup_key(&key(1).hash).await);
    assert_eq!(table.items().await, before);
}

#[tokio::test]
async fn app_of_a_later_version_does_not_affect_others() {
    let test = "an app of a later release in DynamoDB";
    if let Some(host) = on_dynamodb_local(test).await {
        let table = Table::of(host).await;
        table.store.create_app(app("later")).await.unwrap();
        table.of_a_later_version(&["APPS"]).await;
        let known = App {
            app_key: "cs_app_0000000000000000000002".parse().unwrap(),
            login: login(),
            ..app("known")
        };
        table.store.create_app(known.clone()).await.unwrap();
        // The second look-up of each finds the apps in the cache.
        let elsewhere = table.host.store_on(&table.name);
        for _ in 0..2 {
            let found = elsewhere.lookup_app_key(&known.app_key).await.unwrap();
            assert_eq!(found.as_deref(), Some(&known));
            // It may be the one that cannot be read, so it does not count as unknown.
            refuses(elsewhere.lookup_app_key(&app("later").app_key).await);
        }
        let elsewhere = table.host.store_on(&table.name);
        let host = known.login.link_host.clone().unwrap();
        let found = elsewhere.apps_of_link_host(&host).await.unwrap();
        assert_eq!(found, [Arc::new(known)]);
        refuses(
            elsewhere
                .apps_of_link_host(&"other.example".parse().unwrap())
                .await,
        );
    }
}

#[track_caller]
fn refuses<T: std::fmt::Debug>(answer: Result<T, Unavailable>) {
    let error = answer.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap();
    assert_eq!(
        cause.to_string(),
        "a stored record has version 3, this release reads 2 at most"
    );
}

#[tokio::test]
async fn items_of_an_earlier_format_are_neither_read_nor_written() {
    let test = "items of a build before the first release in DynamoDB";
    if let Some(host) = on_dynamodb_local(test).await {
        let table = Table::of(host).await;
        let store = &table.store;
        store.create(acquisition(1), NOW).await.unwrap();
        store.create_app(app("demo")).await.unwrap();
        for pk in ["CFM#", "APPS", "PROFILE"] {
            table.set_version(pk, 1).await;
        }
        let before = table.items().await;
        let late = acquisition(1).purge_at;
        let causes = [
            cause(store.create(acquisition(1), late).await),
            cause(store.find(id(1), NOW).await),
            cause(store.verify(id(1), &text(1), NOW, RETENTION).await),
            cause(store.find_app(&app_id("demo")).await),
            cause(store.update_app(app("demo")).await),
            cause(store.create_app(app("other")).await),
            cause(store.inbound_profile().await),
        ];
        for cause in causes {
            let expected = "a stored record has version 1, this release reads 2 at least";
            assert_eq!(cause, expected);
        }
        assert_eq!(table.items().await, before);
    }
}

fn cause<T: std::fmt::Debug>(answer: Result<T, Unavailable>) -> String {
    let error = answer.unwrap_err();
    std::error::Error::source(&error).unwrap().to_string()
}
