#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use async_trait::async_trait;
use countersign_conformance::suite;
use countersign_domain::delivery::signing::{KeyId, PublicKey, Signature, Signer};
use countersign_domain::primitives::unavailable::Unavailable;
use p256::SecretKey;
use p256::ecdsa::signature::hazmat::PrehashSigner;
use p256::ecdsa::{DerSignature, SigningKey};
use p256::pkcs8::EncodePublicKey;
use sha2::{Digest, Sha256};

/// A fault of a signer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Nothing,
    HashesAgain,
    RawInsteadOfDer,
    NamesAnotherKey,
    FormerKeyFirst,
    CurrentKeyTwice,
    OneSignatureForAll,
    RefusesZeros,
}

/// Each fault with the case that must catch it.
const FAULTS: &[(Fault, &str)] = &[
    (Fault::HashesAgain, "sign: signature is DER"),
    (Fault::RawInsteadOfDer, "sign: signature is DER"),
    (Fault::NamesAnotherKey, "sign: signature is DER"),
    (Fault::FormerKeyFirst, "public keys: current key is first"),
    (Fault::CurrentKeyTwice, "public keys: current key is first"),
    (Fault::OneSignatureForAll, "sign: 64 digests"),
    (Fault::RefusesZeros, "sign: digests with extreme values"),
];

#[tokio::test]
async fn every_fault_is_caught() {
    suite::signers(async || Arc::new(Broken(Fault::Nothing)))
        .await
        .assert_passed();
    let mut missed = Vec::new();
    for (fault, case) in FAULTS {
        let case = super::named(suite::signer_cases(), case);
        let make = async || Arc::new(Broken(*fault)) as Arc<dyn Signer>;
        missed.extend(super::caught(fault, &suite::run(vec![case], make).await).err());
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// A signer with two keys and one fault.
struct Broken(Fault);

fn key(n: u8) -> SecretKey {
    SecretKey::from_slice(&[n; 32]).unwrap()
}

fn public(n: u8) -> PublicKey {
    let der = key(n).public_key().to_public_key_der().unwrap();
    PublicKey::from_spki_der(der.as_bytes()).unwrap()
}

#[async_trait]
impl Signer for Broken {
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable> {
        let digest = match self.0 {
            Fault::HashesAgain => Sha256::digest(digest).into(),
            Fault::OneSignatureForAll => [7; 32],
            Fault::RefusesZeros if *digest == [0; 32] => {
                return Err(Unavailable::new("signer: sign", "deliberate fault"));
            }
            _ => *digest,
        };
        let der: DerSignature = SigningKey::from(key(1)).sign_prehash(&digest).unwrap();
        let key_id = match self.0 {
            Fault::NamesAnotherKey => KeyId::from_stored("another".to_owned()),
            _ => public(1).key_id(),
        };
        let der = match self.0 {
            Fault::RawInsteadOfDer => {
                let raw = p256::ecdsa::Signature::try_from(der).unwrap();
                raw.to_bytes().to_vec()
            }
            _ => der.as_bytes().to_vec(),
        };
        Ok(Signature { der, key_id })
    }

    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable> {
        Ok(match self.0 {
            Fault::FormerKeyFirst => vec![public(2), public(1)],
            Fault::CurrentKeyTwice => vec![public(1), public(2), public(1)],
            _ => vec![public(1), public(2)],
        })
    }
}
