//! Signatures over data: ECDSA with SHA-256, DER, standard Base64, as Android's `SHA256withECDSA`
//! creates them.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use p256::ecdsa::signature::{Signer as _, Verifier as _};
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
use thiserror::Error;

/// Maximum length of a signature over data, in bytes: Base64 of the longest DER, 72 bytes.
pub const MAX_SIGNATURE: usize = 96;

/// The error for a key store's signature that is malformed, or was made over different data or with a
/// different key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the signature is not by this key over this data, in DER")]
pub struct WrongSignature;

/// Parses a DER signature from another signer, and checks that it was made over this data by this key.
pub(crate) fn checked(
    key: &VerifyingKey,
    data: &[u8],
    der: &[u8],
) -> Result<Signature, WrongSignature> {
    let signature = Signature::from_der(der).map_err(|_| WrongSignature)?;
    let valid = key.verify(data, &signature);
    valid.map(|()| signature).map_err(|_| WrongSignature)
}

/// Formats a signature as `generateUserSignature` does.
pub(crate) fn write(signature: &Signature) -> String {
    BASE64_STANDARD.encode(signature.to_der().as_bytes())
}

/// Signs data with a nonce that is derived from key and data (RFC 6979), so a weak random generator
/// reveals nothing.
pub(crate) fn sign(key: &SigningKey, data: &str) -> String {
    let signature: Signature = key.sign(data.as_bytes());
    write(&signature)
}

/// Returns whether the signature was made over this data by this key.
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
