//! Apps: the partitions that requests for them use, and their list.

use std::collections::BTreeMap;

use countersign_conformance::samples::{NOW, app, app_id, key};
use countersign_domain::app::{App, AppKey};
use countersign_domain::store::{CreateAppOutcome, Key, KeyLookup, Store};
use countersign_domain::web::link_host::LinkHost;
use futures_util::future::join_all;

use crate::host::{new_table, on_dynamodb_local, store_with};
use crate::metered::Meter;

const APPS: u8 = 120;

/// Returns the `n`th app, with a unique key and host.
fn numbered(n: u8) -> App {
    let mut app = app(&format!("app-{n:03}"));
    app.app_key = format!("cs_app_{n:0>22}").parse::<AppKey>().unwrap();
    app.login.link_host = Some(host_of(n));
    app
}

fn host_of(n: u8) -> LinkHost {
    format!("h{n}.example").parse().unwrap()
}

async fn create(store: &Store) {
    for n in 0..APPS {
        let app = numbered(n);
        let id = app.id.clone();
        let created = store.create_app(app).await.unwrap();
        assert_eq!(created, CreateAppOutcome::Created);
        store.issue_key(&id, key(n)).await.unwrap();
    }
}

/// DynamoDB serves 3,000 reads per second and partition key.
#[tokio::test]
async fn requests_of_many_apps_meet_in_no_partition() {
    let Some(host) = on_dynamodb_local("the partitions of apps in DynamoDB").await else {
        return;
    };
    let table = new_table(&host.client()).await;
    create(&store_with(host.config(), &table)).await;
    let meter = Meter::default();
    let instance = store_with(meter.config(host), &table);
    for n in 0..APPS {
        let found = instance.lookup_key(&key(n).hash).await.unwrap();
        assert!(matches!(found, KeyLookup::Active(_)), "{n}");
        let app = numbered(n);
        let found = instance.lookup_app_key(&app.app_key).await.unwrap();
        assert_eq!(found.as_deref(), Some(&app));
        let found = instance.apps_of_link_host(&host_of(n)).await.unwrap();
        assert_eq!(found.len(), 1);
        assert!(
            instance
                .lookup_app(&app_id("unknown"))
                .await
                .unwrap()
                .is_none()
        );
        let unknown = format!("cs_app_9{n:0>21}").parse().unwrap();
        assert!(instance.lookup_app_key(&unknown).await.unwrap().is_none());
    }
    let mut reads: BTreeMap<String, usize> = BTreeMap::new();
    for partition in meter.partitions() {
        *reads.entry(partition).or_default() += 1;
    }
    reads.remove("APP#unknown");
    let most = reads.iter().max_by_key(|(_, count)| **count).unwrap();
    assert!(*most.1 <= 3, "{most:?}");
}

/// The list reads more than one batch, in order, and returns the current state of each app.
#[tokio::test]
async fn list_has_every_app_as_it_is() {
    let Some(host) = on_dynamodb_local("the list of apps in DynamoDB").await else {
        return;
    };
    let table = new_table(&host.client()).await;
    let meter = Meter::default();
    let store = store_with(meter.config(host), &table);
    create(&store).await;
    store.delete_app(&numbered(7).id, NOW).await.unwrap();
    meter.reads();
    let (listed, unreadable) = store.list_apps().await.unwrap();
    assert_eq!(unreadable, 0);
    let names: Vec<_> = listed.iter().map(|app| app.id.clone()).collect();
    let expected = (0..APPS).filter(|n| *n != 7).map(|n| numbered(n).id);
    assert_eq!(names, expected.collect::<Vec<_>>());
    assert_eq!((meter.queries().len(), meter.reads().len()), (1, 2));
}

/// Of many concurrent calls that create the same app one succeeds, and each list contains the app
/// once.
#[tokio::test]
async fn app_that_many_create_concurrently_is_listed_once() {
    let Some(host) = on_dynamodb_local("apps created at once in DynamoDB").await else {
        return;
    };
    let table = new_table(&host.client()).await;
    let store = host.store_on(&table);
    let made = join_all((0..32).map(|n| {
        let app = App {
            id: app_id("shop"),
            ..numbered(n)
        };
        store.create_app(app)
    }));
    let made: Vec<_> = made.await.into_iter().map(Result::unwrap).collect();
    let created = made
        .iter()
        .filter(|made| **made == CreateAppOutcome::Created);
    assert_eq!(created.count(), 1);
    let listed = store.list_apps().await.unwrap();
    assert_eq!((listed.0.len(), listed.1), (1, 0));
}

/// Builds from before the first release stored apps elsewhere, where nothing would find them.
#[tokio::test]
async fn table_of_an_older_build_is_refused() {
    let Some(host) = on_dynamodb_local("a table of an older build").await else {
        return;
    };
    let client = host.client();
    let table = new_table(&client).await;
    let items = crate::host::items_with(host.config(), &table);
    items.connect().await.unwrap();
    create_one(&host.store_on(&table)).await;
    items.connect().await.unwrap();
    let older = aws_sdk_dynamodb::types::AttributeValue::N("4".to_owned());
    let profile = aws_sdk_dynamodb::types::AttributeValue::S(Key::Profile.to_string());
    let update = client
        .update_item()
        .table_name(&table)
        .key("pk", profile.clone());
    let update = update
        .key("sk", profile)
        .update_expression("SET v = :older");
    let update = update.expression_attribute_values(":older", older);
    update.send().await.unwrap();
    let refused = items.connect().await.unwrap_err();
    assert!(refused.is_damage());
}

async fn create_one(store: &Store) {
    store.create_app(numbered(1)).await.unwrap();
}
