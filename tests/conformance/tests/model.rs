//! The model passes the conformance suite.

use std::sync::Arc;

use countersign_conformance::model::{ModelAssociationKeys, ModelLogins, ModelStore, ModelTexts};
use countersign_conformance::stores::Stores;
use countersign_conformance::suite;

async fn model() -> Stores {
    Arc::new(ModelStore::default()).stores()
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
