//! The phone's part: sealing.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::{BrowserPublicKey, Payload};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::web::origin::WebOrigin;
use hpke::{Deserializable as _, HpkeError, OpModeS, Serializable as _};
use thiserror::Error;

use crate::hybrid::{Aead, Chance, ENCAPSULATED, Kdf, Kem, TAG};
use crate::info::info;

/// The longest payload that can be sealed, in bytes: in base64url, with key and tag, it fills what a
/// [`Payload`] may be long.
pub const MAX_PAYLOAD: usize =
    countersign_domain::login::payload::MAX_BYTES / 4 * 3 - ENCAPSULATED - TAG;

/// Why a payload was not sealed. Then nothing may be sent: not in the clear either.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SealError {
    /// More than [`MAX_PAYLOAD`].
    #[error(
        "the payload is longer than {MAX_PAYLOAD} bytes, which is the most that can be encrypted"
    )]
    TooLong,
    /// The browser's key is no point of the curve P-256.
    #[error("the browser's key is not a point of the curve P-256")]
    NotOnCurve,
    /// The cryptography refused, for a reason that none of the inputs can cause.
    #[error("the payload could not be encrypted")]
    Failed,
}

/// Seals a payload for the browser with this key, in this session of a page of this origin.
pub fn seal(
    key: &BrowserPublicKey,
    id: LoginId,
    origin: &WebOrigin,
    payload: &str,
    entropy: &dyn Entropy,
) -> Result<Payload, SealError> {
    if payload.len() > MAX_PAYLOAD {
        return Err(SealError::TooLong);
    }
    let sealed = seal_bytes(
        key.as_bytes(),
        &info(id, origin),
        payload.as_bytes(),
        b"",
        entropy,
    )?;
    Payload::encrypted(BASE64_URL_SAFE_NO_PAD.encode(sealed)).map_err(|_| SealError::Failed)
}

/// The encapsulated key and the ciphertext, one after the other.
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
        &mut Chance(entropy),
    );
    let (encapsulated, ciphertext) = sealed.map_err(|_: HpkeError| SealError::Failed)?;
    Ok([encapsulated.to_bytes().as_slice(), &ciphertext].concat())
}

#[cfg(test)]
mod tests;
