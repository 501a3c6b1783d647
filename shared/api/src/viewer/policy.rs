//! Who is believed on where a request came from.

use std::fmt;

use subtle::ConstantTimeEq as _;
use thiserror::Error;
use zeroize::ZeroizeOnDrop;

use super::proxy::TrustedProxy;

/// The shortest secret, in characters.
const SHORTEST: usize = 16;

/// The longest secret, in characters.
const LONGEST: usize = 256;

/// Who is believed on where a request came from. The default believes nobody: the address is the
/// connection's.
#[derive(Clone, Debug, Default)]
pub struct ViewerPolicy {
    /// What CloudFront proves itself with. Its `CloudFront-Viewer-*` headers count only beside it,
    /// since anybody who reaches the origin can write them.
    pub origin_secret: Option<OriginSecret>,
    /// The proxies whose `X-Forwarded-For` counts.
    pub trusted_proxies: Vec<TrustedProxy>,
}

/// What CloudFront adds to each request to the origin (header `x-countersign-origin-secret`), to
/// prove that the request came through it: 16 to 256 visible ASCII characters. `Debug` hides it.
#[derive(Clone, ZeroizeOnDrop)]
pub struct OriginSecret(String);

/// A text that cannot be the origin secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("an origin secret is {SHORTEST} to {LONGEST} visible ASCII characters")]
pub struct MalformedOriginSecret;

impl OriginSecret {
    /// Reads a secret.
    pub fn parse(text: &str) -> Result<Self, MalformedOriginSecret> {
        let fits = (SHORTEST..=LONGEST).contains(&text.len());
        if fits && text.bytes().all(|c| c.is_ascii_graphic()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedOriginSecret)
        }
    }

    /// Whether that is the secret. Takes the same time wherever two of one length differ.
    #[must_use]
    pub fn is(&self, presented: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(presented).into()
    }
}

impl fmt::Debug for OriginSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OriginSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_itself_alone() {
        let secret = OriginSecret::parse("0123456789abcdef").unwrap();
        assert!(secret.is(b"0123456789abcdef"));
        for other in [
            "",
            "0123456789abcdeF",
            "0123456789abcdef0",
            "0123456789abcde",
        ] {
            assert!(!secret.is(other.as_bytes()), "{other}");
        }
        assert_eq!(format!("{secret:?}"), "OriginSecret(…)");
    }

    #[test]
    fn what_can_be_guessed_or_not_be_sent_is_refused() {
        for bad in [
            "",
            "short",
            "0123456789 abcdef",
            "0123456789abcdeé",
            &"x".repeat(257),
        ] {
            assert_eq!(OriginSecret::parse(bad).err(), Some(MalformedOriginSecret));
        }
    }
}
