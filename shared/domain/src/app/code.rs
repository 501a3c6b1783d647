//! Codes: the secrets inside `confirmationMessage`.

mod find;
mod keyword;
mod prefix;

use std::collections::BTreeSet;
use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub use find::NoCode;
pub(crate) use keyword::begins_with_keyword;
pub use prefix::{CodePrefix, CodePrefixError};

use crate::app::api_key::PresentedApiKey;
use crate::primitives::entropy::Entropy;
use crate::primitives::idempotency::IdempotencyKey;
use crate::primitives::ids::{AppId, ConfirmationId};

/// Crockford's base 32, which omits I, L, O and U.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Number of symbols in a code, each of 5 bits.
const SYMBOLS: usize = 16;

/// An 80-bit secret, written as a prefix, a hyphen and 16 symbols of Crockford's base 32
/// (`CS-7Q2M0XK4V9T1BHNE`). This form needs no percent-encoding and fits GSM-7 and the alphanumeric
/// mode of QR codes.
///
/// Sending the code to us proves possession of the phone, so it is never stored and never logged:
/// `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Code([u8; 10]);

impl Code {
    /// Creates a random code.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bits = [0; 10];
        entropy.fill(&mut bits);
        Self(bits)
    }

    /// Derives the code for an idempotent request. The same request always yields the same code, so
    /// a replay gets the same answer although no code is stored. Computing the code requires the
    /// API key.
    ///
    /// `day` counts days since the Unix epoch: the same idempotency key on another day yields
    /// another code.
    #[must_use]
    pub fn derive(
        api_key: &PresentedApiKey,
        app: &AppId,
        idempotency_key: &IdempotencyKey,
        day: u64,
    ) -> Self {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(api_key.reveal().as_bytes()) else {
            unreachable!("HMAC takes a key of any length (RFC 2104)")
        };
        let day = day.to_be_bytes();
        let parts: [&[u8]; 4] = [
            b"countersign/idempotent-code/1",
            app.as_str().as_bytes(),
            idempotency_key.as_str().as_bytes(),
            &day,
        ];
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        Self::from_secret(&mac.finalize().into_bytes().into())
    }

    /// Creates a code from a value that only the service can compute.
    pub(crate) fn from_secret(secret: &[u8; 32]) -> Self {
        let mut bits = [0; 10];
        bits.copy_from_slice(&secret[..10]);
        Self(bits)
    }

    /// Finds the only code in an inbound text, however people and their phones wrote it: in lower
    /// case, with spaces or a different dash, or with look-alike letters.
    ///
    /// # Errors
    ///
    /// Fails if the text contains no code, or two different ones.
    pub fn find(text: &str, prefixes: &BTreeSet<CodePrefix>) -> Result<Self, NoCode> {
        find::find(text, prefixes)
    }

    /// Returns the id of the code's confirmation: the first 128 bits of a domain-separated SHA-256.
    #[must_use]
    pub fn confirmation_id(&self) -> ConfirmationId {
        let digest = Sha256::new()
            .chain_update(b"countersign/confirmation-id/1\0")
            .chain_update(self.0)
            .finalize();
        let mut id = [0; 16];
        id.copy_from_slice(&digest[..16]);
        ConfirmationId::from_bytes(id)
    }

    /// Returns the text that the person sends. The text is secret: only the answer to the request
    /// that started the confirmation may contain it.
    #[must_use]
    pub fn spell(&self, prefix: &CodePrefix) -> String {
        format!("{prefix}-{}", self.symbols())
    }

    /// Returns the 16 symbols without the prefix.
    #[must_use]
    pub(crate) fn symbols(&self) -> String {
        let mut spelt = String::with_capacity(SYMBOLS);
        for group in self.0.chunks_exact(5) {
            let bits = group
                .iter()
                .fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
            for shift in (0..8).rev() {
                let value = (bits >> (5 * shift)) & 31;
                spelt.push(char::from(ALPHABET[usize::try_from(value).unwrap_or(0)]));
            }
        }
        spelt
    }

    /// Returns a fixed code that is never issued, for checking templates.
    pub(crate) const fn sample() -> Self {
        Self([0x5a; 10])
    }

    /// Creates the code whose 16 symbols have these values, each below 32.
    fn from_values(values: [u8; SYMBOLS]) -> Self {
        let mut bits = [0; 10];
        for (group, values) in bits.chunks_exact_mut(5).zip(values.chunks_exact(8)) {
            let word = values
                .iter()
                .fold(0_u64, |word, value| word << 5 | u64::from(*value & 31));
            group.copy_from_slice(&word.to_be_bytes()[3..]);
        }
        Self(bits)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::entropy::FixedEntropy;

    #[test]
    fn code_is_spelt_with_prefix_and_sixteen_symbols() {
        let code = Code::generate(&FixedEntropy(0xff));
        assert_eq!(code.spell(&CodePrefix::default()), "CS-ZZZZZZZZZZZZZZZZ");
        let code = Code([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(code.spell(&CodePrefix::default()), "CS-000G40R40M30E209");
    }

    #[test]
    fn debug_hides_the_code() {
        assert_eq!(format!("{:?}", Code([7; 10])), "Code(…)");
    }

    #[test]
    fn derived_code_depends_on_every_input() {
        let entropy = FixedEntropy(3);
        let (key, other_key) = (
            PresentedApiKey::generate(&entropy),
            PresentedApiKey::generate(&FixedEntropy(4)),
        );
        let app = |name: &str| name.parse::<AppId>().unwrap();
        let idem = |name: &str| name.parse::<IdempotencyKey>().unwrap();
        let base = Code::derive(&key, &app("demo"), &idem("k1"), 0);
        assert_eq!(base, Code::derive(&key, &app("demo"), &idem("k1"), 0));
        for other in [
            Code::derive(&other_key, &app("demo"), &idem("k1"), 0),
            Code::derive(&key, &app("demok"), &idem("1"), 0),
            Code::derive(&key, &app("demo"), &idem("k2"), 0),
            Code::derive(&key, &app("demo"), &idem("k1"), 1),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn confirmation_id_depends_on_nothing_but_the_code() {
        let id = Code([0; 10]).confirmation_id();
        assert_eq!(id, Code([0; 10]).confirmation_id());
        assert_ne!(id, Code([1; 10]).confirmation_id());
    }
}
