//! The store passes the conformance suite.

use countersign_conformance::stores::Stores;
use countersign_conformance::suite;

use crate::host::{Host, on_dynamodb_local};

async fn stores(host: Host) -> Stores {
    let store = host.store().await;
    Stores {
        confirmations: store.clone(),
        logins: store.clone(),
        deliveries: store,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn confirmations_conform() {
    let test = "the DynamoDB store's confirmations on DynamoDB Local";
    let Some(host) = on_dynamodb_local(test).await else {
        return;
    };
    suite::confirmations(async || stores(host).await)
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn deliveries_conform() {
    let test = "the DynamoDB store's deliveries on DynamoDB Local";
    let Some(host) = on_dynamodb_local(test).await else {
        return;
    };
    suite::deliveries(async || stores(host).await)
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn apps_conform() {
    let test = "the DynamoDB store's apps on DynamoDB Local";
    let Some(host) = on_dynamodb_local(test).await else {
        return;
    };
    suite::apps(async || host.store().await)
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn logins_conform() {
    let test = "the DynamoDB store's logins on DynamoDB Local";
    let Some(host) = on_dynamodb_local(test).await else {
        return;
    };
    suite::logins(async || stores(host).await)
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn login_histories_conform() {
    let test = "the DynamoDB store's histories of logins on DynamoDB Local";
    let Some(host) = on_dynamodb_local(test).await else {
        return;
    };
    suite::risk_histories(async || host.store().await)
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn association_keys_conform() {
    let test = "the DynamoDB store's association keys on DynamoDB Local";
    let Some(host) = on_dynamodb_local(test).await else {
        return;
    };
    suite::association_keys(async || host.store().await)
        .await
        .assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn texts_conform() {
    let test = "the DynamoDB store's parts of texts on DynamoDB Local";
    let Some(host) = on_dynamodb_local(test).await else {
        return;
    };
    suite::texts(async || host.store().await)
        .await
        .assert_passed();
}
