//! The model passes the conformance suite.

use std::sync::Arc;

use countersign_conformance::model::{
    ModelAssociationKeys, ModelItems, ModelLogins, ModelStore, ModelTexts,
};
use countersign_conformance::samples::NOW;
use countersign_conformance::stores::Stores;
use countersign_conformance::suite;
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::store::Store;

async fn model() -> Stores {
    Arc::new(ModelStore::default()).stores()
}

fn over_items() -> Arc<Store> {
    Arc::new(Store::new(
        Arc::new(ModelItems::default()),
        Arc::new(SystemTime),
    ))
}

fn alone() -> Arc<Store> {
    Arc::new(Store::alone(
        Arc::new(ModelItems::default()),
        Arc::new(SystemTime),
    ))
}

struct SystemTime;

impl Clock for SystemTime {
    fn now(&self) -> Timestamp {
        NOW
    }
}

fn stores(store: &Arc<Store>) -> Stores {
    Stores {
        confirmations: store.clone(),
        logins: store.clone(),
        deliveries: store.clone(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn store_over_items_passes() {
    for make in [over_items, alone] {
        suite::confirmations(async || stores(&make()))
            .await
            .assert_passed();
        suite::deliveries(async || stores(&make()))
            .await
            .assert_passed();
        suite::logins(async || stores(&make()))
            .await
            .assert_passed();
        suite::apps(async || make()).await.assert_passed();
        suite::risk_histories(async || make()).await.assert_passed();
        suite::association_keys(async || make())
            .await
            .assert_passed();
        suite::texts(async || make()).await.assert_passed();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn confirmation_cases_pass() {
    suite::confirmations(model).await.assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn delivery_cases_pass() {
    suite::deliveries(model).await.assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn app_cases_pass() {
    suite::apps(async || Arc::new(ModelStore::default()))
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn login_cases_pass() {
    suite::logins(model).await.assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn risk_history_cases_pass() {
    suite::risk_histories(async || Arc::new(ModelLogins::default()))
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn association_key_cases_pass() {
    suite::association_keys(async || Arc::new(ModelAssociationKeys::default()))
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn text_cases_pass() {
    suite::texts(async || Arc::new(ModelTexts::default()))
        .await
        .assert_passed();
}
