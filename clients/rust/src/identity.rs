//! Ids and tokens that the library computes itself, so that it need not trust the service. Nothing here performs
//! I/O.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use p256::ecdsa::{SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};

use crate::error::Error;

/// Length of an uncompressed point, in bytes.
pub(crate) const POINT: usize = 65;

pub(crate) fn base64url(raw: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(raw)
}

/// Decodes base64url without padding. Returns `None` for any other encoding.
pub(crate) fn from_base64url(text: &str) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).ok()
}

/// Returns the SHA-256 of content for one purpose, in base64url.
pub(crate) fn digest(purpose: &str, content: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("countersign/{purpose}/1\0"));
    hash.update(content);
    base64url(hash.finalize())
}

/// Joins parts, each preceded by its length in two bytes, so that different lists never have the
/// same result.
pub(crate) fn framed(parts: &[&[u8]]) -> Vec<u8> {
    let mut joined = Vec::new();
    for part in parts {
        // The service and phones refuse longer parts.
        let length = u16::try_from(part.len()).unwrap_or(u16::MAX);
        joined.extend_from_slice(&length.to_be_bytes());
        joined.extend_from_slice(part);
    }
    joined
}

/// Returns the id of a login whose browser has a key. `context` is empty for a login without one.
pub(crate) fn session_id(app_key: &str, origin: &str, context: &str, browser_key: &[u8]) -> String {
    let hashed = framed(&[
        b"countersign/login-id/1",
        app_key.as_bytes(),
        origin.as_bytes(),
        context.as_bytes(),
        browser_key,
    ]);
    let hash = Sha256::digest(hashed);
    format!("qrs_{}", base16ct::lower::encode_string(&hash[..16]))
}

/// Returns the browser's token of an approval. The same key pair always yields the same token, also in
/// another process.
pub(crate) fn approval_token(api_key: &str, browser_key: &[u8]) -> String {
    let message = [b"countersign/approval-token/1\0".as_slice(), browser_key].concat();
    base64url(hmac(api_key.as_bytes(), &[&message]))
}

/// Returns the token with which a page watches a login. The login's own token cannot be computed from
/// this one.
pub(crate) fn page_token(browser_token: &str) -> Option<String> {
    from_base64url(browser_token).map(|raw| digest("login-page-token", &raw))
}

/// Returns the id under which a store keeps an approval. The id belongs to this user only.
pub(crate) fn approval_record(session_id: &str, user_id: &str) -> String {
    let mut content = b"countersign/approval/1".to_vec();
    content.extend(framed(&[session_id.as_bytes(), user_id.as_bytes()]));
    format!("apr_{}", base64url(Sha256::digest(content)))
}

/// Returns the HMAC with SHA-256 of parts.
pub(crate) fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(key).unwrap_or_else(|_| unreachable!("any length is a key"));
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// Returns a public key in the service's format: an uncompressed point.
pub(crate) fn point_of(key: &VerifyingKey) -> [u8; POINT] {
    let mut point = [0; POINT];
    point.copy_from_slice(&key.to_sec1_bytes());
    point
}

/// Returns the key for a point in base64url, if the point is on the curve.
#[cfg(feature = "testing")]
pub(crate) fn key_of_point(text: &str) -> Option<VerifyingKey> {
    let raw = from_base64url(text).filter(|raw| raw.len() == POINT)?;
    VerifyingKey::from_sec1_bytes(&raw).ok()
}

/// Generates a key pair.
pub(crate) fn generate_key() -> Result<SigningKey, Error> {
    loop {
        // The value is almost always below the curve's order. Other values are drawn again, which
        // keeps the distribution uniform.
        if let Ok(key) = SigningKey::from_slice(&random::<32>()?) {
            return Ok(key);
        }
    }
}

/// Returns random bytes from the operating system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| Error::invalid("the system has no random numbers"))?;
    Ok(bytes)
}
