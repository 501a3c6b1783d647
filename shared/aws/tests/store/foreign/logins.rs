//! Logins and their history, written by a later release.

use aws_sdk_dynamodb::types::AttributeValue;
use countersign_conformance::samples::logins::{
    answer, browser_device, denial, new_login, phone, receipt, watcher,
};
use countersign_conformance::samples::{NOW, app_id};
use countersign_domain::login::UserKey;
use countersign_domain::login::history::{HistoryQuery, RiskHistory};
use countersign_domain::login::risk::{BrowserMark, ConfirmedLogin};
use countersign_domain::login::store::LoginStore;

use super::{Table, later, refuses};
use crate::host::on_dynamodb_local;

#[tokio::test]
async fn login_attributes_of_a_later_release_survive_every_write() {
    let test = "attributes of a later release's logins in DynamoDB";
    if let Some(host) = on_dynamodb_local(test).await {
        survives(&Table::of(host).await).await;
    }
}

async fn survives(table: &Table) {
    let store = &table.store;
    let demo = app_id("demo");
    let item = new_login(1);
    let browser = item.browser_token;
    store.create(item.clone(), NOW).await.unwrap();
    table.rewrite("QR#", |item| item.extend([later()])).await;
    let opened = store
        .initiate(item.id, &demo, phone(1, &[], NOW), NOW)
        .await;
    opened.unwrap();
    // Attributes of maps within the item survive, too.
    table
        .rewrite("QR#", |item| {
            for within in ["b", "m"] {
                let Some(AttributeValue::M(map)) = item.get_mut(within) else {
                    panic!("`{within}` is not a map");
                };
                map.extend([later()]);
            }
        })
        .await;
    let confirmed = store.confirm(item.id, answer(1, "yes"), NOW).await;
    confirmed.unwrap();
    store
        .redeem(item.id, &browser, &receipt(1), None, NOW)
        .await
        .unwrap();
    let stored = table.item("QR#").await;
    assert!(stored.contains_key("later"));
    for within in ["b", "m"] {
        assert!(stored[within].as_m().unwrap().contains_key("later"));
    }
}

#[tokio::test]
async fn logins_of_a_later_version_are_neither_read_nor_written() {
    let test = "logins of a later release in DynamoDB";
    if let Some(host) = on_dynamodb_local(test).await {
        refused(&Table::of(host).await).await;
    }
}

async fn refused(table: &Table) {
    let store = &table.store;
    let demo = app_id("demo");
    let login = new_login(1);
    let browser = login.browser_token;
    store.create(login.clone(), NOW).await.unwrap();
    let (block, user) = (login.browser.block(), UserKey::from_bytes([1; 16]));
    store.note_denial(&demo, block, NOW).await.unwrap();
    let confirmed = ConfirmedLogin {
        browser: BrowserMark::of(&login.browser),
        coordinates: None,
        at: NOW,
    };
    store.note_confirmation(user, confirmed).await.unwrap();
    table.of_a_later_version(&["QR#", "SEEN#", "USER#"]).await;
    let before = table.items().await;
    refuses(store.create(login.clone(), login.purge_at).await);
    refuses(store.find(login.id, NOW).await);
    refuses(
        store
            .initiate(login.id, &demo, phone(1, &[], NOW), NOW)
            .await,
    );
    refuses(store.confirm(login.id, answer(1, ""), NOW).await);
    refuses(store.deny(login.id, denial(1, ""), NOW).await);
    refuses(
        store
            .redeem(login.id, &browser, &receipt(1), None, NOW)
            .await,
    );
    refuses(store.cancel(login.id, &browser, NOW).await);
    refuses(
        store
            .attach_watcher(login.id, &browser_device(1), watcher(1), NOW)
            .await,
    );
    refuses(store.detach_watcher(login.id, &watcher(1), NOW).await);
    refuses(store.note_denial(&demo, block, NOW).await);
    refuses(store.note_confirmation(user, confirmed).await);
    let query = HistoryQuery {
        app: demo.clone(),
        browser: block,
        user: None,
    };
    refuses(store.recent(&query, NOW).await);
    assert_eq!(table.items().await, before);
}
