//! The shared secret of the generic provider.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::primitives::entropy::Entropy;
use thiserror::Error;
use zeroize::{ZeroizeOnDrop, Zeroizing};

const PREFIX: &str = "whsec_";

/// Allowed lengths of a secret, in bytes (Standard Webhooks, "Symmetric").
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;

/// Length of a new secret, in bytes: that of the hash.
const NEW_LENGTH: usize = 32;

/// The secret that a generic provider signs with: `whsec_` and the Base64 of 24 to 64 bytes.
///
/// `Debug` hides it.
#[derive(Clone, ZeroizeOnDrop)]
pub struct InboundSecret(Vec<u8>);

/// The text is not a secret of the Standard Webhooks scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a secret must be whsec_ and the Base64 of 24 to 64 bytes")]
pub struct MalformedSecret;

impl InboundSecret {
    /// Generates a random secret.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = vec![0; NEW_LENGTH];
        entropy.fill(&mut bytes);
        Self(bytes)
    }

    /// Returns the secret as text, for whoever signs.
    #[must_use]
    pub fn reveal(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("{PREFIX}{}", BASE64_STANDARD.encode(&self.0)))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl FromStr for InboundSecret {
    type Err = MalformedSecret;

    fn from_str(text: &str) -> Result<Self, MalformedSecret> {
        let encoded = text.strip_prefix(PREFIX).ok_or(MalformedSecret)?;
        let bytes = BASE64_STANDARD
            .decode(encoded)
            .map_err(|_| MalformedSecret)?;
        if LENGTHS.contains(&bytes.len()) {
            Ok(Self(bytes))
        } else {
            Err(MalformedSecret)
        }
    }
}

impl fmt::Debug for InboundSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InboundSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(u8);

    impl Entropy for Fixed {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(self.0);
        }
    }

    #[test]
    fn new_secret_round_trips() {
        let secret = InboundSecret::generate(&Fixed(7));
        let read = secret.reveal().parse::<InboundSecret>().unwrap();
        assert_eq!(read.bytes(), secret.bytes());
        assert_eq!(read.bytes(), [7; 32]);
    }

    #[test]
    fn secret_outside_the_allowed_lengths_is_refused() {
        let of = |length| format!("whsec_{}", BASE64_STANDARD.encode(vec![1; length]));
        for (length, fits) in [(23, false), (24, true), (64, true), (65, false)] {
            assert_eq!(
                of(length).parse::<InboundSecret>().is_ok(),
                fits,
                "{length}"
            );
        }
    }

    #[test]
    fn other_spellings_are_refused() {
        let good = InboundSecret::generate(&Fixed(7)).reveal();
        let digits = good.strip_prefix("whsec_").unwrap();
        for bad in [
            "",
            "whsec_",
            digits,
            &format!("WHSEC_{digits}"),
            &format!("{} ", *good),
            good.trim_end_matches('='),
            &good.replace('B', "-"),
        ] {
            assert_eq!(
                bad.parse::<InboundSecret>().map(|_| ()),
                Err(MalformedSecret),
                "{bad}"
            );
        }
    }

    #[test]
    fn debug_hides_the_secret() {
        let secret = InboundSecret::generate(&Fixed(7));
        assert_eq!(format!("{secret:?}"), "InboundSecret(…)");
    }
}
