//! Payloads, which phones send with their decisions.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Maximum length of a payload, in bytes as sent. With the Base64 of an encrypted payload and the
/// request's other members, this stays well below the body limit of 16 KiB.
pub const MAX_BYTES: usize = 8 * 1024;

/// Minimum length of an encrypted payload, in bytes before Base64: an encapsulated P-256 key and
/// the AES-GCM tag of an empty text (RFC 9180, section 7.1; RFC 5116, section 5.2).
const MIN_SEALED_BYTES: usize = 65 + 16;

/// The data that the phone sends with its decision: plain text, or a text that only the browser can
/// decrypt. `Debug` hides the text.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload {
    text: String,
    #[serde(rename = "sealed")]
    encrypted: bool,
}

/// The reason why a text is not a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PayloadError {
    /// The payload is longer than [`MAX_BYTES`].
    #[error("the payload is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// The payload is declared as encrypted, but is not an HPKE message in base64url.
    #[error(
        "an encrypted payload is an HPKE message in base64url without padding: \
         the encapsulated key, then the ciphertext"
    )]
    NotSealed,
}

impl Payload {
    /// Creates a payload that the service can read.
    ///
    /// # Errors
    ///
    /// Fails if the text is longer than [`MAX_BYTES`].
    pub fn clear(text: String) -> Result<Self, PayloadError> {
        if text.len() > MAX_BYTES {
            return Err(PayloadError::TooLong);
        }
        Ok(Self {
            text,
            encrypted: false,
        })
    }

    /// Creates a payload that is encrypted for the browser: base64url of `enc || ciphertext`. Only
    /// the browser can determine whether the payload can be decrypted.
    ///
    /// # Errors
    ///
    /// Fails if the text is longer than [`MAX_BYTES`] or not an HPKE message in base64url.
    pub fn encrypted(text: String) -> Result<Self, PayloadError> {
        if text.len() > MAX_BYTES {
            return Err(PayloadError::TooLong);
        }
        let sealed = BASE64_URL_SAFE_NO_PAD.decode(&text);
        if !sealed.is_ok_and(|sealed| sealed.len() >= MIN_SEALED_BYTES && sealed[0] == 4) {
            return Err(PayloadError::NotSealed);
        }
        Ok(Self {
            text,
            encrypted: true,
        })
    }

    /// Returns the payload as it was sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether only the browser can read the payload.
    #[must_use]
    pub const fn is_encrypted(&self) -> bool {
        self.encrypted
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payload")
            .field("bytes", &self.text.len())
            .field("encrypted", &self.encrypted)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_payload_is_any_text_within_the_limit() {
        for text in ["", "token", "{\"a\":1}", "ünï\u{0}"] {
            assert_eq!(Payload::clear(text.to_owned()).unwrap().as_str(), text);
        }
        assert!(Payload::clear("x".repeat(MAX_BYTES)).is_ok());
        let long = Payload::clear("x".repeat(MAX_BYTES + 1));
        assert_eq!(long, Err(PayloadError::TooLong));
    }

    #[test]
    fn encrypted_payload_must_have_the_form_of_one() {
        let sealed = |bytes: &[u8]| Payload::encrypted(BASE64_URL_SAFE_NO_PAD.encode(bytes));
        let mut bytes = vec![4; MIN_SEALED_BYTES];
        assert!(sealed(&bytes).unwrap().is_encrypted());
        assert_eq!(sealed(&bytes[1..]), Err(PayloadError::NotSealed));
        bytes[0] = 2;
        assert_eq!(sealed(&bytes), Err(PayloadError::NotSealed));
        let plain = Payload::encrypted("a session token, alas".to_owned());
        assert_eq!(plain, Err(PayloadError::NotSealed));
        let long = Payload::encrypted("A".repeat(MAX_BYTES + 1));
        assert_eq!(long, Err(PayloadError::TooLong));
    }

    #[test]
    fn debug_hides_the_payload() {
        let payload = Payload::clear("secret".to_owned()).unwrap();
        assert!(!format!("{payload:?}").contains("secret"));
    }
}
