//! Signatures made in this process, with a key that is stored encrypted by KMS.

use std::fmt;

use async_trait::async_trait;
use aws_sdk_kms::Client;
use aws_sdk_kms::primitives::Blob;
use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use countersign_domain::primitives::unavailable::Unavailable;
use p256::ecdsa::signature::hazmat::PrehashSigner;
use p256::ecdsa::{DerSignature, SigningKey};
use p256::pkcs8::{DecodePrivateKey as _, EncodePublicKey as _};
use tokio::sync::OnceCell;
use zeroize::Zeroizing;

use super::incomplete;
use crate::config::{KeyArn, WrappedKey};
use crate::error::failed;

/// The entry in the encryption context with which the key was encrypted. The entry's value is the deployment's
/// name, so that other deployments cannot decrypt the key.
const CONTEXT: &str = "countersign";

/// Signs with a P-256 key whose private half KMS generated and encrypted (`GenerateDataKeyPairWithoutPlaintext`).
/// The key is decrypted once; its plaintext never leaves KMS and this process.
pub struct LocalSigner {
    client: Client,
    encrypted: WrappedKey,
    /// The symmetric key that encrypted the signing key.
    wrapper: KeyArn,
    deployment: String,
    key: OnceCell<(SigningKey, PublicKey)>,
}

impl LocalSigner {
    #[must_use]
    pub fn new(client: Client, encrypted: WrappedKey, wrapper: KeyArn, deployment: String) -> Self {
        Self {
            client,
            encrypted,
            wrapper,
            deployment,
            key: OnceCell::new(),
        }
    }

    /// Decrypts the key, if that has not been done.
    ///
    /// # Errors
    /// Fails if KMS does not answer or refuses, or if the decrypted data is not a key.
    pub async fn connect(&self) -> Result<(), Unavailable> {
        self.key().await.map(|_| ())
    }

    async fn key(&self) -> Result<&(SigningKey, PublicKey), Unavailable> {
        self.key.get_or_try_init(|| self.decrypt()).await
    }

    async fn decrypt(&self) -> Result<(SigningKey, PublicKey), Unavailable> {
        let what = "signer: decrypt the local key";
        let decrypt = self
            .client
            .decrypt()
            .key_id(self.wrapper.as_str())
            .ciphertext_blob(Blob::new(self.encrypted.as_bytes()))
            .encryption_context(CONTEXT, &self.deployment);
        let answer = decrypt.send().await.map_err(|error| failed(what, &error))?;
        let der = answer.plaintext.ok_or_else(|| incomplete(what))?;
        let der = Zeroizing::new(der.into_inner());
        let unusable = |_| Unavailable::new(what, "it is not a P-256 key");
        let private = SigningKey::from_pkcs8_der(&der).map_err(unusable)?;
        let public = private.verifying_key().to_public_key_der();
        let public = public.map_err(|error| Unavailable::new(what, error))?;
        let public = PublicKey::from_spki_der(public.as_bytes());
        let public = public.map_err(|error| Unavailable::new(what, error))?;
        Ok((private, public))
    }
}

#[async_trait]
impl Signer for LocalSigner {
    /// Derives the nonce from key and digest (RFC 6979), so that a weak random generator cannot reveal the key.
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        let (private, public) = self.key().await?;
        let signature: DerSignature = private
            .sign_prehash(digest)
            .map_err(|error| Unavailable::new("signer: sign", error))?;
        Ok(Signature {
            der: signature.as_bytes().to_vec(),
            key_id: public.key_id(),
        })
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        let (_, public) = self.key().await?;
        Ok(vec![*public])
    }
}

/// Shows neither the key nor its encrypted form.
impl fmt::Debug for LocalSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalSigner")
            .field("wrapper", &self.wrapper)
            .finish_non_exhaustive()
    }
}
