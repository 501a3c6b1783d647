//! The model passes every case.

use std::sync::Arc;

use countersign_conformance::model::{ModelLogins, ModelStore};
use countersign_conformance::stores::Stores;
use countersign_conformance::suite;

async fn model() -> Stores {
    Arc::new(ModelStore::default()).stores()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn confirmations() {
    suite::confirmations(model).await.assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn deliveries() {
    suite::deliveries(model).await.assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn apps() {
    suite::apps(async || Arc::new(ModelStore::default()))
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn logins() {
    suite::logins(model).await.assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn risk_histories() {
    suite::risk_histories(async || Arc::new(ModelLogins::default()))
        .await
        .assert_passed();
}
