//! Assertions of Web Authentication, which passkeys make.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use thiserror::Error;

/// Maximum length of an assertion's three parts together, in bytes. A browser's assertion has about 300.
pub const MAX_ASSERTION_BYTES: usize = 1_920;

/// What a passkey signed, and the signature (Web Authentication, section 5.2.2). This type checks only the length. `Debug`
/// hides the parts, because the signature reveals the key.
#[derive(Clone, PartialEq, Eq)]
pub struct PasskeyAssertion {
    authenticator_data: Vec<u8>,
    client_data: Vec<u8>,
    signature: Vec<u8>,
}

/// The error for parts that are not those of an assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "an assertion has authenticatorData, clientDataJSON and signature, each in base64url without padding, of at \
     most {MAX_ASSERTION_BYTES} bytes together"
)]
pub struct MalformedAssertion;

impl PasskeyAssertion {
    /// Combines the parts of an assertion.
    ///
    /// # Errors
    /// Fails if a part is empty, or if they are too long.
    pub fn new(
        authenticator_data: Vec<u8>,
        client_data: Vec<u8>,
        signature: Vec<u8>,
    ) -> Result<Self, MalformedAssertion> {
        let lengths = [&authenticator_data, &client_data, &signature].map(Vec::len);
        if lengths.contains(&0) || lengths.iter().sum::<usize>() > MAX_ASSERTION_BYTES {
            return Err(MalformedAssertion);
        }
        Ok(Self {
            authenticator_data,
            client_data,
            signature,
        })
    }

    /// Parses the parts of an assertion in base64url. Each part has only one spelling: padding and surplus bits are
    /// refused.
    ///
    /// # Errors
    /// Fails if a part is empty or has another spelling, or if they are too long.
    pub fn from_base64url(
        authenticator_data: &str,
        client_data: &str,
        signature: &str,
    ) -> Result<Self, MalformedAssertion> {
        let decode = |text: &str| {
            let is_short = text.len() <= MAX_ASSERTION_BYTES * 2;
            let bytes = is_short.then(|| BASE64_URL_SAFE_NO_PAD.decode(text).ok());
            bytes.flatten().ok_or(MalformedAssertion)
        };
        Self::new(
            decode(authenticator_data)?,
            decode(client_data)?,
            decode(signature)?,
        )
    }

    /// Returns what the authenticator said about the ceremony, in its binary form.
    #[must_use]
    pub fn authenticator_data(&self) -> &[u8] {
        &self.authenticator_data
    }

    /// Returns what the browser said about the ceremony: `clientDataJSON`, as it was hashed.
    #[must_use]
    pub fn client_data(&self) -> &[u8] {
        &self.client_data
    }

    /// Returns the signature, in DER.
    #[must_use]
    pub fn signature(&self) -> &[u8] {
        &self.signature
    }

    /// Returns the three parts in base64url: authenticator data, client data and signature.
    #[must_use]
    pub fn to_base64url(&self) -> [String; 3] {
        [&self.authenticator_data, &self.client_data, &self.signature]
            .map(|part| BASE64_URL_SAFE_NO_PAD.encode(part))
    }
}

impl fmt::Debug for PasskeyAssertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasskeyAssertion(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_one_spelling_each() {
        let assertion = PasskeyAssertion::new(vec![0xfb; 37], b"{}".to_vec(), vec![1; 8]).unwrap();
        let [data, client, signature] = assertion.to_base64url();
        let read = PasskeyAssertion::from_base64url(&data, &client, &signature);
        assert_eq!(read.as_ref(), Ok(&assertion));
        assert_eq!(assertion.authenticator_data(), [0xfb; 37]);
        assert_eq!(assertion.client_data(), b"{}");
        assert_eq!(assertion.signature(), [1; 8]);
        for bad in ["", "e3", "e30=", "e31", "e 30", "+/+/", "e30\n"] {
            let read = PasskeyAssertion::from_base64url(&data, bad, &signature);
            assert_eq!(read, Err(MalformedAssertion), "{bad:?}");
        }
    }

    #[test]
    fn length_is_limited() {
        let of = |length| PasskeyAssertion::new(vec![0; 37], vec![b' '; length], vec![1; 8]);
        assert!(of(MAX_ASSERTION_BYTES - 45).is_ok());
        assert_eq!(of(MAX_ASSERTION_BYTES - 44), Err(MalformedAssertion));
        let long = "A".repeat(MAX_ASSERTION_BYTES * 2 + 1);
        let read = PasskeyAssertion::from_base64url("AAAA", &long, "AAAA");
        assert_eq!(read, Err(MalformedAssertion));
    }
}
