//! The code: the secret inside `confirmationMessage`.

mod find;
mod prefix;

use std::collections::BTreeSet;
use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub use find::NoCode;
pub(crate) use prefix::is_carrier_keyword;
pub use prefix::{CodePrefix, CodePrefixError};

use crate::app::api_key::PresentedApiKey;
use crate::primitives::entropy::Entropy;
use crate::primitives::idempotency::IdempotencyKey;
use crate::primitives::ids::{AppId, ConfirmationId};

/// Crockford's base 32: no I, L, O or U.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// How many symbols spell a code: 16 of 5 bits each.
const SYMBOLS: usize = 16;

/// 80 secret bits, spelt as a prefix, a hyphen and 16 symbols of Crockford's base 32
/// (`CS-7Q2M0XK4V9T1BHNE`). Needs no percent-encoding, is GSM-7 and QR-alphanumeric.
///
/// Whoever sends it to us proves to hold the phone, so it is never stored and never logged:
/// `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Code([u8; 10]);

impl Code {
    /// A new random code.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bits = [0; 10];
        entropy.fill(&mut bits);
        Self(bits)
    }

    /// The code that belongs to an idempotent request. It can be made again from the request
    /// alone, so that a replay gets the same answer although no code is stored; without the API
    /// key nobody can make it.
    ///
    /// `day` counts from the Unix epoch: the same key on another day leads to another code.
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
        let digest = mac.finalize().into_bytes();
        let mut bits = [0; 10];
        bits.copy_from_slice(&digest[..10]);
        Self(bits)
    }

    /// The one code in a text that arrived. See the module `find` for what it puts up with.
    pub fn find(text: &str, prefixes: &BTreeSet<CodePrefix>) -> Result<Self, NoCode> {
        find::find(text, prefixes)
    }

    /// The id of the confirmation that this code belongs to: SHA-256, domain-separated, of which
    /// 128 bits are kept.
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

    /// The code as the person sends it. This is the secret: for the session's answer only.
    #[must_use]
    pub fn spell(&self, prefix: &CodePrefix) -> String {
        format!("{prefix}-{}", self.symbols())
    }

    /// The 16 symbols alone.
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

    /// A code that nobody was given, to try templates with.
    pub(crate) const fn sample() -> Self {
        Self([0x5a; 10])
    }

    /// The code whose 16 symbols have these values, each below 32.
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
    fn is_spelt_with_prefix_and_sixteen_symbols() {
        let code = Code::generate(&FixedEntropy(0xff));
        assert_eq!(code.spell(&CodePrefix::default()), "CS-ZZZZZZZZZZZZZZZZ");
        let code = Code([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(code.spell(&CodePrefix::default()), "CS-000G40R40M30E209");
    }

    #[test]
    fn debug_hides_it() {
        assert_eq!(format!("{:?}", Code([7; 10])), "Code(…)");
    }

    #[test]
    fn the_derived_code_depends_on_every_input() {
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
    fn the_id_is_a_stable_one_way_function_of_the_code() {
        let id = Code([0; 10]).confirmation_id();
        assert_eq!(id, Code([0; 10]).confirmation_id());
        assert_ne!(id, Code([1; 10]).confirmation_id());
    }
}
