use std::sync::Arc;

use aws_sdk_kms::Client;
use aws_sdk_kms::types::{DataKeyPairSpec, KeySpec, KeyUsageType};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_aws::config::KeyArn;
use countersign_aws::services::Services;
use countersign_aws::signer::{KmsSigner, LocalKeys, LocalSigner};
use countersign_conformance::suite;
use countersign_domain::delivery::signing::Signer as _;

async fn new_key(services: &Services) -> KeyArn {
    let key = Client::new(services.sdk())
        .create_key()
        .key_spec(KeySpec::EccNistP256)
        .key_usage(KeyUsageType::SignVerify)
        .send()
        .await
        .unwrap();
    key.key_metadata.unwrap().arn.unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn signer_conforms() {
    let Some(services) = services("signers on KMS").await else {
        return;
    };
    suite::signers(async || {
        let key = new_key(&services).await;
        Arc::new(KmsSigner::new(services.kms(), key, Vec::new()))
    })
    .await
    .assert_passed();
    suite::signers(async || {
        let key = new_key(&services).await;
        let others = vec![new_key(&services).await, new_key(&services).await];
        Arc::new(KmsSigner::new(services.kms(), key, others))
    })
    .await
    .assert_passed();
}

/// Creates a key pair as described in docs/operations.md, for a deployment called `shop`, and the signer of
/// `deployment`.
async fn local_signer(services: &Services, deployment: &str) -> LocalSigner {
    let kms = Client::new(services.sdk());
    let wrapper = kms.create_key().send().await.unwrap();
    let wrapper = wrapper.key_metadata.unwrap().arn.unwrap();
    let pair = kms
        .generate_data_key_pair_without_plaintext()
        .key_id(&wrapper)
        .key_pair_spec(DataKeyPairSpec::EccNistP256)
        .encryption_context("countersign", "shop")
        .send()
        .await
        .unwrap();
    let encrypted = BASE64_STANDARD.encode(pair.private_key_ciphertext_blob.unwrap());
    LocalSigner::new(
        services.kms(),
        encrypted.parse().unwrap(),
        wrapper.parse().unwrap(),
        deployment.to_owned(),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn local_signer_conforms() {
    let Some(services) = services("local signers with keys of KMS").await else {
        return;
    };
    suite::signers(async || Arc::new(local_signer(&services, "shop").await))
        .await
        .assert_passed();
    let others = local_signer(&services, "another").await;
    others.connect().await.unwrap_err();
    let digest = [7; 32];
    others.sign(&digest).await.unwrap_err();
}

#[tokio::test]
async fn local_keys_are_published_in_their_place() {
    let Some(services) = services("local keys that are published").await else {
        return;
    };
    let local = local_signer(&services, "shop").await;
    let keys = local.public_keys().await.unwrap();
    let in_kms = new_key(&services).await;
    for sign in [false, true] {
        let signer = KmsSigner::new(services.kms(), in_kms.clone(), Vec::new());
        let local = LocalKeys {
            keys: keys.clone(),
            sign,
        };
        let published = signer.with_local(local).public_keys().await.unwrap();
        assert_eq!(published.len(), 2);
        assert_eq!(published[usize::from(!sign)], keys[0]);
    }
}

#[tokio::test]
async fn signing_key_is_published_once_and_first() {
    let Some(services) = services("published keys on KMS").await else {
        return;
    };
    let (current, former) = (new_key(&services).await, new_key(&services).await);
    let listed = vec![former, current.clone()];
    let signer = KmsSigner::new(services.kms(), current, listed);
    signer.connect().await.unwrap();
    let keys = signer.public_keys().await.unwrap();
    assert_eq!(keys.len(), 2);
    let signature = signer.sign(&[7; 32]).await.unwrap();
    assert_eq!(signature.key_id, keys[0].key_id());
}

#[tokio::test]
async fn missing_key_fails_the_connection() {
    let Some(services) = services("a missing key of KMS").await else {
        return;
    };
    let absent = "arn:aws:kms:eu-central-1:000000000021:key/00000000-0000-0000-0000-000000000000";
    let absent = absent.parse().unwrap();
    let signer = KmsSigner::new(services.kms(), absent, Vec::new());
    assert!(signer.connect().await.is_err());
}

async fn services(test: &str) -> Option<Services> {
    super::services(test, "000000000021").await
}
