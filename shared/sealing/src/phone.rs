//! The phone's side: sealing payloads.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::{BrowserPublicKey, Payload};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::web::origin::WebOrigin;
use hpke::{Deserializable as _, HpkeError, OpModeS, Serializable as _};
use thiserror::Error;

use crate::envelope::Envelope;
use crate::hybrid::{Aead, ENCAPSULATED, Kdf, Kem, Random, TAG};
use crate::info::info;

/// Maximum size of an envelope's JSON, in bytes: in base64url, with key and tag, it just fits into a
/// [`Payload`].
pub const MAX_PLAINTEXT: usize =
    countersign_domain::login::payload::MAX_BYTES / 4 * 3 - ENCAPSULATED - TAG;

/// Why a payload was not sealed. The phone must then send nothing, not even in the clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SealError {
    /// The envelope's JSON is longer than [`MAX_PLAINTEXT`].
    #[error(
        "the payload is too long: with its salt, in JSON, at most {MAX_PLAINTEXT} bytes can be \
         encrypted"
    )]
    TooLong,
    /// The browser's key is not a point of the curve P-256.
    #[error("the browser's key is not a point of the curve P-256")]
    NotOnCurve,
    /// The cryptography failed, for a reason that no input can cause.
    #[error("the payload could not be encrypted")]
    Failed,
}

/// Encrypts a payload and its salt for the browser with this key, bound to this login and the page's origin.
///
/// # Errors
///
/// Fails if the payload is too long or the key is not a point of the curve.
pub fn seal(
    key: &BrowserPublicKey,
    id: LoginId,
    origin: &WebOrigin,
    envelope: &Envelope,
    entropy: &dyn Entropy,
) -> Result<Payload, SealError> {
    let json = envelope.to_json().ok_or(SealError::Failed)?;
    if json.len() > MAX_PLAINTEXT {
        return Err(SealError::TooLong);
    }
    let sealed = seal_bytes(key.as_bytes(), &info(id, origin), &json, b"", entropy)?;
    Payload::encrypted(BASE64_URL_SAFE_NO_PAD.encode(sealed)).map_err(|_| SealError::Failed)
}

/// Returns the encapsulated key followed by the ciphertext.
fn seal_bytes(
    key: &[u8],
    info: &[u8],
    text: &[u8],
    additional: &[u8],
    entropy: &dyn Entropy,
) -> Result<Vec<u8>, SealError> {
    let key = <Kem as hpke::Kem>::PublicKey::from_bytes(key).map_err(|_| SealError::NotOnCurve)?;
    let sealed = hpke::single_shot_seal_with_rng::<Aead, Kdf, Kem>(
        &OpModeS::Base,
        &key,
        info,
        text,
        additional,
        &mut Random(entropy),
    );
    let (encapsulated, ciphertext) = sealed.map_err(|_: HpkeError| SealError::Failed)?;
    Ok([encapsulated.to_bytes().as_slice(), &ciphertext].concat())
}

#[cfg(test)]
mod tests;
