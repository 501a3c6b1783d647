use std::collections::HashSet;
use std::sync::Arc;

use countersign_domain::delivery::signing::{PublicKey, Signature, Signer};
use p256::ecdsa::signature::hazmat::PrehashVerifier;
use p256::ecdsa::{DerSignature, VerifyingKey};
use p256::pkcs8::DecodePublicKey;
use sha2::{Digest, Sha256};

use super::Case;
use super::races::{MANY, at_once};
use crate::check::{Checked, Failure, equal, holds};

type Port = Arc<dyn Signer>;

pub(super) const CASES: &[Case<dyn Signer>] = &[
    Case {
        name: "sign: signature is DER, over the digest itself, by the key that it names",
        run: |signer| Box::pin(verifies(signer)),
    },
    Case {
        name: "sign: digests with extreme values can be signed",
        run: |signer| Box::pin(extremes(signer)),
    },
    Case {
        name: "sign: same digest can be signed twice",
        run: |signer| Box::pin(twice(signer)),
    },
    Case {
        name: "sign: 64 digests can be signed at once",
        run: |signer| Box::pin(many(signer)),
    },
    Case {
        name: "public keys: current key is first, and every key is listed once",
        run: |signer| Box::pin(keys(signer)),
    },
];

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

fn verifying_key(key: &PublicKey) -> Result<VerifyingKey, Failure> {
    VerifyingKey::from_public_key_pem(&key.to_pem())
        .map_err(|error| Failure::new(format_args!("not a point on the curve: {error}")))
}

/// Returns whether the key made the signature over the digest.
fn fits(key: &PublicKey, digest: &[u8], signature: &Signature) -> Result<bool, Failure> {
    let der = DerSignature::try_from(signature.der.as_slice())
        .map_err(|error| Failure::new(format_args!("not DER: {error}")))?;
    Ok(verifying_key(key)?.verify_prehash(digest, &der).is_ok())
}

/// Checks that the current key made the signature over the digest.
async fn checks(signer: &Port, digest: &[u8; 32], signature: &Signature) -> Checked {
    let keys = signer.public_keys().await?;
    let current = keys.first().ok_or_else(|| Failure::new("no public key"))?;
    equal("key id", &signature.key_id, &current.key_id())?;
    holds("the signature verifies", fits(current, digest, signature)?)
}

async fn verifies(signer: Port) -> Checked {
    let digest_of_body = digest(r#"{"a":1}"#);
    let signature = signer.sign(&digest_of_body).await?;
    checks(&signer, &digest_of_body, &signature).await?;
    let current = signer.public_keys().await?;
    // Signing the digest of the digest would reveal a signer that hashes again.
    for other in [digest("other"), Sha256::digest(digest_of_body).into()] {
        let also = fits(&current[0], &other, &signature)?;
        holds("the signature fits no other digest", !also)?;
    }
    Ok(())
}

async fn extremes(signer: Port) -> Checked {
    let mut last_bit = [0; 32];
    last_bit[31] = 1;
    let mut first_bit = [0; 32];
    first_bit[0] = 0x80;
    for digest in [[0; 32], [0xff; 32], last_bit, first_bit, [0x7f; 32]] {
        let signature = signer.sign(&digest).await?;
        checks(&signer, &digest, &signature).await?;
    }
    Ok(())
}

async fn twice(signer: Port) -> Checked {
    let digest = digest("twice");
    for _ in 0..2 {
        let signature = signer.sign(&digest).await?;
        checks(&signer, &digest, &signature).await?;
    }
    Ok(())
}

async fn many(signer: Port) -> Checked {
    let signatures = at_once(MANY, |n| {
        let signer = Arc::clone(&signer);
        async move { signer.sign(&digest(&n.to_string())).await }
    })
    .await?;
    for (n, signature) in signatures.iter().enumerate() {
        checks(&signer, &digest(&n.to_string()), signature).await?;
    }
    Ok(())
}

async fn keys(signer: Port) -> Checked {
    let signature = signer.sign(&digest("keys")).await?;
    let keys = signer.public_keys().await?;
    let first = keys.first().map(PublicKey::key_id);
    equal("first", first.as_ref(), Some(&signature.key_id))?;
    let ids: HashSet<_> = keys.iter().map(PublicKey::key_id).collect();
    equal("distinct keys", ids.len(), keys.len())?;
    for key in &keys {
        verifying_key(key)?;
    }
    Ok(())
}
