//! Signatures over data: ECDSA with SHA-256, DER, standard Base64, as Android's `SHA256withECDSA`
//! makes them.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use p256::ecdsa::signature::{Signer as _, Verifier as _};
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};

/// Maximum length of a signature over data, in bytes: Base64 of the longest DER, 72 bytes.
pub const MAX_SIGNATURE: usize = 96;

/// Signs data with a nonce that is derived from key and data (RFC 6979), so a weak random generator
/// reveals nothing.
pub(crate) fn sign(key: &SigningKey, data: &str) -> String {
    let signature: Signature = key.sign(data.as_bytes());
    BASE64_STANDARD.encode(signature.to_der().as_bytes())
}

/// Returns whether the signature is over this data, by this key.
pub(crate) fn is_valid(key: &VerifyingKey, data: &str, signature: &str) -> bool {
    if signature.len() > MAX_SIGNATURE {
        return false;
    }
    let Ok(der) = BASE64_STANDARD.decode(signature) else {
        return false;
    };
    let signature = Signature::from_der(&der);
    signature.is_ok_and(|signature| key.verify(data.as_bytes(), &signature).is_ok())
}
