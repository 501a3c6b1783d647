//! Signatures with a key in KMS.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use countersign_domain::primitives::unavailable::Unavailable;
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};

use crate::config::KeyArn;
use crate::services::JsonClient;

/// The input of `GetPublicKey`.
///
/// Source: [AWS KMS API reference](https://docs.aws.amazon.com/kms/latest/APIReference/API_GetPublicKey.html).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct GetPublicKey<'a> {
    key_id: &'a str,
}

/// What is read of the answer to `GetPublicKey`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct PublicKeyAnswer {
    /// In DER (`SubjectPublicKeyInfo`), as base64.
    public_key: String,
}

/// The input of `Sign`.
///
/// Source: [AWS KMS API reference](https://docs.aws.amazon.com/kms/latest/APIReference/API_Sign.html).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Sign<'a> {
    key_id: &'a str,
    /// The digest, as base64.
    message: String,
    message_type: &'static str,
    signing_algorithm: &'static str,
}

/// What is read of the answer to `Sign`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SignAnswer {
    /// The key that signed.
    key_id: String,
    /// In DER, as base64.
    signature: String,
}

/// Signs with a KMS key (`ECC_NIST_P256`, `SIGN_VERIFY`), and publishes it with others.
///
/// Public keys never change, so each is fetched once.
#[derive(Debug)]
pub struct KmsSigner {
    client: JsonClient,
    current: KeyArn,
    published: Vec<KeyArn>,
    known: Mutex<HashMap<String, PublicKey>>,
}

impl KmsSigner {
    /// Signs with `current`; `published` are former keys and the next one.
    #[must_use]
    pub fn new(client: JsonClient, current: KeyArn, mut published: Vec<KeyArn>) -> Self {
        published.retain(|key| *key != current);
        Self {
            client,
            current,
            published,
            known: Mutex::default(),
        }
    }

    /// Connects, by fetching every public key.
    ///
    /// # Errors
    /// Fails if KMS does not answer, or a key does not exist.
    pub async fn connect(&self) -> Result<(), Unavailable> {
        self.public_keys().await.map(|_| ())
    }

    async fn public_key(&self, arn: &str) -> Result<PublicKey, Unavailable> {
        let known = self.known().get(arn).copied();
        if let Some(key) = known {
            return Ok(key);
        }
        let what = "signer: public key";
        let get = GetPublicKey { key_id: arn };
        let answered = self.client.call("GetPublicKey", &get).await;
        let answer: PublicKeyAnswer = answered.map_err(|error| error.unavailable(what))?;
        let der = decode(what, &answer.public_key)?;
        let key = PublicKey::from_spki_der(&der).map_err(|error| Unavailable::new(what, error))?;
        self.known().insert(arn.to_owned(), key);
        Ok(key)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<String, PublicKey>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Signer for KmsSigner {
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        let what = "signer: sign";
        let sign = Sign {
            key_id: self.current.as_str(),
            message: BASE64_STANDARD.encode(digest),
            message_type: "DIGEST",
            signing_algorithm: "ECDSA_SHA_256",
        };
        let answered = self.client.call("Sign", &sign).await;
        let answer: SignAnswer = answered.map_err(|error| error.unavailable(what))?;
        let der = decode(what, &answer.signature)?;
        // The public key of the one that signed determines the id in signatures.
        let key_id = self.public_key(&answer.key_id).await?.key_id();
        Ok(Signature { der, key_id })
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        let arns = std::iter::once(&self.current).chain(&self.published);
        try_join_all(arns.map(|arn| self.public_key(arn.as_str()))).await
    }
}

fn decode(what: &'static str, base64: &str) -> Result<Vec<u8>, Unavailable> {
    let decoded = BASE64_STANDARD.decode(base64);
    decoded.map_err(|_| Unavailable::new(what, "the answer is not base64"))
}
