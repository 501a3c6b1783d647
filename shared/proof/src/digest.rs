//! Hashes that bind a proof to a payload and to a context.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// Length of a salt, in bytes.
pub const SALT_BYTES: usize = 16;

/// Returns the claim `pay`: base64url of SHA-256 over a label, the salt and the payload. The salt
/// keeps readers of the proof from guessing a short payload.
#[must_use]
pub fn payload_digest(payload: &str, salt: &[u8; SALT_BYTES]) -> String {
    let digest = Sha256::new()
        .chain_update(b"countersign/pay/1\0")
        .chain_update(salt)
        .chain_update(payload.as_bytes())
        .finalize();
    BASE64_URL_SAFE_NO_PAD.encode(digest)
}

/// Returns the claim `ctx`: base64url of SHA-256 over a label and the context.
#[must_use]
pub fn context_digest(context: &str) -> String {
    let digest = Sha256::new()
        .chain_update(b"countersign/ctx/1\0")
        .chain_update(context.as_bytes())
        .finalize();
    BASE64_URL_SAFE_NO_PAD.encode(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_agree_with_other_tools() {
        // Expected value computed with Python's hashlib and base64.
        assert_eq!(
            payload_digest("a token", &[7; SALT_BYTES]),
            "m8AnLdP3S3GxOn6SXtJTZPdmevGGab_bOuq52UR1mhY"
        );
        assert_eq!(
            context_digest("Pay 20 EUR to Zoë"),
            "ZzK17P9R-WyCEyRuAbob2UeiHIk0m6CXMRU3GWQjyb4"
        );
    }

    #[test]
    fn payload_and_salt_both_count() {
        let digest = payload_digest("a", &[1; SALT_BYTES]);
        assert_ne!(digest, payload_digest("b", &[1; SALT_BYTES]));
        assert_ne!(digest, payload_digest("a", &[2; SALT_BYTES]));
    }
}
