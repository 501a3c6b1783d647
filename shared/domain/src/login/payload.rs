//! What the phone sends with its decision.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use thiserror::Error;

/// The longest payload, in bytes as it is sent. With an encryption's Base64 and a request's other
/// members it stays well within a body of 16 KiB.
pub const MAX_BYTES: usize = 8 * 1024;

/// The shortest sealed payload, in bytes: an encapsulated P-256 key and an AES-GCM tag around
/// nothing (RFC 9180, section 7.1; RFC 5116, section 5.2).
const SHORTEST_SEALED: usize = 65 + 16;

/// What the phone sends with its decision: free-form text, or what only the browser can open.
/// `Debug` shows neither.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    text: String,
    encrypted: bool,
}

/// Why a text is no payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PayloadError {
    /// More than [`MAX_BYTES`].
    #[error("the payload is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// It is said to be encrypted, and is not base64url of an HPKE message.
    #[error(
        "an encrypted payload is an HPKE message in base64url without padding: \
         the encapsulated key, then the ciphertext"
    )]
    NotSealed,
}

impl Payload {
    /// A payload that the service could read.
    pub fn clear(text: String) -> Result<Self, PayloadError> {
        if text.len() > MAX_BYTES {
            return Err(PayloadError::TooLong);
        }
        Ok(Self {
            text,
            encrypted: false,
        })
    }

    /// A payload that was encrypted for the browser: base64url of `enc || ciphertext`. Whether it
    /// opens is for the browser to find out.
    pub fn encrypted(text: String) -> Result<Self, PayloadError> {
        if text.len() > MAX_BYTES {
            return Err(PayloadError::TooLong);
        }
        let sealed = BASE64_URL_SAFE_NO_PAD.decode(&text);
        if !sealed.is_ok_and(|sealed| sealed.len() >= SHORTEST_SEALED && sealed[0] == 4) {
            return Err(PayloadError::NotSealed);
        }
        Ok(Self {
            text,
            encrypted: true,
        })
    }

    /// The payload as it was sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether only the browser can open it.
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
    fn free_form_within_its_bound() {
        for text in ["", "token", "{\"a\":1}", "ünï\u{0}"] {
            assert_eq!(Payload::clear(text.to_owned()).unwrap().as_str(), text);
        }
        assert!(Payload::clear("x".repeat(MAX_BYTES)).is_ok());
        let long = Payload::clear("x".repeat(MAX_BYTES + 1));
        assert_eq!(long, Err(PayloadError::TooLong));
    }

    #[test]
    fn what_is_said_to_be_encrypted_has_the_form_of_it() {
        let sealed = |bytes: &[u8]| Payload::encrypted(BASE64_URL_SAFE_NO_PAD.encode(bytes));
        let mut bytes = vec![4; SHORTEST_SEALED];
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
    fn debug_hides_it() {
        let payload = Payload::clear("secret".to_owned()).unwrap();
        assert!(!format!("{payload:?}").contains("secret"));
    }
}
