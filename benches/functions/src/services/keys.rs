//! KMS with one key under all names.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use p256::ecdsa::signature::hazmat::PrehashSigner as _;
use p256::ecdsa::{DerSignature, SigningKey};
use p256::pkcs8::EncodePublicKey as _;
use serde_json::{Value, json};

pub(super) struct Keys(SigningKey);

impl Default for Keys {
    fn default() -> Self {
        let key = SigningKey::from_slice(&[9; 32]);
        Self(key.expect("the number is below the order"))
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys(…)")
    }
}

impl Keys {
    /// Answers a call; `None` if the operation is unknown.
    pub(super) fn answer(&self, operation: &str, body: &Value) -> Option<Value> {
        let id = &body["KeyId"];
        match operation {
            "GetPublicKey" => {
                let key = self.0.verifying_key().to_public_key_der().ok()?;
                let key = BASE64_STANDARD.encode(key.as_bytes());
                Some(json!({ "KeyId": id, "KeySpec": "ECC_NIST_P256", "PublicKey": key }))
            }
            "Sign" => {
                let digest = BASE64_STANDARD.decode(body["Message"].as_str()?).ok()?;
                let signature: DerSignature = self.0.sign_prehash(&digest).ok()?;
                Some(json!({
                    "KeyId": id,
                    "Signature": BASE64_STANDARD.encode(signature.as_bytes()),
                    "SigningAlgorithm": "ECDSA_SHA_256",
                }))
            }
            _ => None,
        }
    }
}
