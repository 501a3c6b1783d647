//! Signatures with a key in KMS.

mod local;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use aws_sdk_kms::Client;
use aws_sdk_kms::primitives::Blob;
use aws_sdk_kms::types::{MessageType, SigningAlgorithmSpec};
use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use countersign_domain::primitives::unavailable::Unavailable;
use futures_util::future::try_join_all;

use crate::config::KeyArn;
use crate::error::failed;

pub use local::LocalSigner;

/// Public keys whose private halves sign in the dispatcher itself, and that are published together with the
/// KMS keys.
#[derive(Clone, Debug, Default)]
pub struct LocalKeys {
    pub keys: Vec<PublicKey>,
    /// True if the first of them signs, rather than the KMS key.
    pub sign: bool,
}

/// Signs with a KMS key (`ECC_NIST_P256`, `SIGN_VERIFY`), and publishes it together with others.
///
/// Public keys never change, so each is fetched once.
#[derive(Debug)]
pub struct KmsSigner {
    client: Client,
    current: KeyArn,
    published: Vec<KeyArn>,
    local: LocalKeys,
    known: Mutex<HashMap<String, PublicKey>>,
}

impl KmsSigner {
    /// Signs with `current`; `published` are former keys and the next one.
    #[must_use]
    pub fn new(client: Client, current: KeyArn, mut published: Vec<KeyArn>) -> Self {
        published.retain(|key| *key != current);
        Self {
            client,
            current,
            published,
            local: LocalKeys::default(),
            known: Mutex::default(),
        }
    }

    /// Also publishes these keys.
    #[must_use]
    pub fn with_local(self, local: LocalKeys) -> Self {
        Self { local, ..self }
    }

    /// Connects by fetching every public key.
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
        let answered = self.client.get_public_key().key_id(arn).send().await;
        let answer = answered.map_err(|error| failed(what, &error))?;
        let der = answer.public_key.ok_or_else(|| incomplete(what))?;
        let key = PublicKey::from_spki_der(der.as_ref());
        let key = key.map_err(|error| Unavailable::new(what, error))?;
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
        let sign = self
            .client
            .sign()
            .key_id(self.current.as_str())
            .message(Blob::new(*digest))
            .message_type(MessageType::Digest)
            .signing_algorithm(SigningAlgorithmSpec::EcdsaSha256);
        let answer = sign.send().await.map_err(|error| failed(what, &error))?;
        let der = answer.signature.ok_or_else(|| incomplete(what))?;
        let arn = answer.key_id.ok_or_else(|| incomplete(what))?;
        // The key id in signatures is derived from the public key of the key that signed.
        let key_id = self.public_key(&arn).await?.key_id();
        Ok(Signature {
            der: der.into_inner(),
            key_id,
        })
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        let arns = std::iter::once(&self.current).chain(&self.published);
        let keys = arns.map(|arn| self.public_key(arn.as_str()));
        let mut keys = try_join_all(keys).await?;
        let place = if self.local.sign { 0 } else { keys.len() };
        keys.splice(place..place, self.local.keys.iter().copied());
        Ok(keys)
    }
}

fn incomplete(what: &'static str) -> Unavailable {
    Unavailable::new(what, "the answer is incomplete")
}
