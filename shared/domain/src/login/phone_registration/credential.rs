//! The secret in the link, and the user handle of a passkey.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;
use thiserror::Error;

use crate::primitives::base64url::Base64Url;
use crate::primitives::entropy::Entropy;
use crate::primitives::ids::PhoneRegistrationId;

const HASH_LABEL: &[u8] = b"countersign/phone-setup/secret/1\0";
const HANDLE_LABEL: &[u8] = b"countersign/phone-setup/user-handle/1\0";

/// The secret in the link of a registration: 16 random bytes, in base64url without padding. `Debug` hides it.
#[derive(Clone)]
pub struct SetupSecret([u8; 16]);

/// The error for a malformed secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the secret of a link is 16 bytes in base64url without padding")]
pub struct MalformedSecret;

impl SetupSecret {
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        Self(bytes)
    }

    /// Returns the text form, for the link.
    #[must_use]
    pub fn reveal(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.0)
    }

    /// Returns the hash of the secret. Only the hash is stored.
    #[must_use]
    pub fn hash(&self) -> SetupSecretHash {
        let digest = Sha256::new()
            .chain_update(HASH_LABEL)
            .chain_update(self.0)
            .finalize();
        SetupSecretHash(digest.into())
    }

    /// Returns the user handle of the passkey that this registration makes. It is new for each registration, since a
    /// phone would replace another passkey with the same one.
    #[must_use]
    pub fn user_handle(&self, id: &PhoneRegistrationId) -> UserHandle {
        let digest = Sha256::new()
            .chain_update(HANDLE_LABEL)
            .chain_update(id.as_bytes())
            .chain_update(self.0)
            .finalize();
        UserHandle(digest.into())
    }
}

impl FromStr for SetupSecret {
    type Err = MalformedSecret;

    /// Parses the text form. Each secret has only one: padding and surplus bits are refused.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // The decoder's upper bound for 22 characters.
        let mut bytes = [0; 18];
        match BASE64_URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
            Ok(16) => {
                let mut secret = [0; 16];
                secret.copy_from_slice(&bytes[..16]);
                Ok(Self(secret))
            }
            _ => Err(MalformedSecret),
        }
    }
}

impl fmt::Debug for SetupSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SetupSecret(…)")
    }
}

/// SHA-256 of a secret. Comparison takes constant time.
#[serde_as]
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct SetupSecretHash(#[serde_as(as = "Base64Url")] [u8; 32]);

impl PartialEq for SetupSecretHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for SetupSecretHash {}

impl fmt::Debug for SetupSecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SetupSecretHash(…)")
    }
}

/// The `user.id` of a passkey: 32 bytes, in base64url without padding. It says nothing about the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserHandle([u8; 32]);

impl fmt::Display for UserHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_URL_SAFE_NO_PAD.encode(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::entropy::FixedEntropy;

    #[test]
    fn secret_has_one_text_form() {
        let secret = SetupSecret::generate(&FixedEntropy(7));
        let text = secret.reveal();
        assert_eq!(text.len(), 22);
        assert_eq!(text.parse::<SetupSecret>().unwrap().hash(), secret.hash());
        let other_bits = format!("{}x", &text[..21]);
        for bad in [
            "",
            &text[..21],
            &format!("{text}="),
            &format!("{text}AA"),
            &other_bits,
        ] {
            assert_eq!(
                bad.parse::<SetupSecret>().err(),
                Some(MalformedSecret),
                "{bad}"
            );
        }
        let hidden = format!("{secret:?} {:?}", secret.hash());
        assert_eq!(hidden, "SetupSecret(…) SetupSecretHash(…)");
    }

    #[test]
    fn each_registration_has_its_own_user_handle() {
        let [one, two] = [1, 2].map(|n| SetupSecret::generate(&FixedEntropy(n)));
        let [a, b] = [1, 2].map(|n| PhoneRegistrationId::from_bytes([n; 16]));
        assert_eq!(one.user_handle(&a), one.user_handle(&a));
        assert_ne!(one.user_handle(&a), two.user_handle(&a));
        assert_ne!(one.user_handle(&a), one.user_handle(&b));
        assert_eq!(one.user_handle(&a).to_string().len(), 43);
    }
}
