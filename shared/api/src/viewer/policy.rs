//! Which proxies are trusted to report where a request came from.

use std::fmt;
use std::str::FromStr;

use subtle::ConstantTimeEq as _;
use thiserror::Error;
use zeroize::ZeroizeOnDrop;

use super::proxy::TrustedProxy;

/// Minimum length of a secret, in characters.
const MIN_SECRET: usize = 16;

/// Maximum length of a secret, in characters.
const MAX_SECRET: usize = 256;

/// Which proxies are trusted to report where a request came from. The default trusts no proxy: the
/// address is the connection's.
#[derive(Clone, Debug, Default)]
pub struct ViewerPolicy {
    /// The secret with which CloudFront authenticates itself. `CloudFront-Viewer-*` headers are
    /// ignored without it, since any client that can reach the origin can send them.
    pub origin_secret: Option<OriginSecret>,
    /// The proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<TrustedProxy>,
}

/// The secret that CloudFront adds to each request to the origin (header
/// `x-countersign-origin-secret`) to prove that the request came through CloudFront: 16 to 256
/// visible ASCII characters. `Debug` hides it.
#[derive(Clone, ZeroizeOnDrop)]
pub struct OriginSecret(String);

/// The text is not an origin secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("an origin secret has {MIN_SECRET} to {MAX_SECRET} visible ASCII characters")]
pub struct MalformedOriginSecret;

impl FromStr for OriginSecret {
    type Err = MalformedOriginSecret;

    fn from_str(text: &str) -> Result<Self, MalformedOriginSecret> {
        let fits = (MIN_SECRET..=MAX_SECRET).contains(&text.len());
        if fits && text.bytes().all(|c| c.is_ascii_graphic()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedOriginSecret)
        }
    }
}

impl OriginSecret {
    /// Returns whether the presented bytes are the secret, in a time that does not depend on where
    /// they differ.
    #[must_use]
    pub fn matches(&self, presented: &[u8]) -> bool {
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
    fn secret_matches_only_itself() {
        let secret: OriginSecret = "0123456789abcdef".parse().unwrap();
        assert!(secret.matches(b"0123456789abcdef"));
        for other in [
            "",
            "0123456789abcdeF",
            "0123456789abcdef0",
            "0123456789abcde",
        ] {
            assert!(!secret.matches(other.as_bytes()), "{other}");
        }
        assert_eq!(format!("{secret:?}"), "OriginSecret(…)");
    }

    #[test]
    fn short_long_and_invisible_secrets_are_refused() {
        for bad in [
            "",
            "short",
            "0123456789 abcdef",
            "0123456789abcdeé",
            &"x".repeat(257),
        ] {
            let refused = bad.parse::<OriginSecret>();
            assert_eq!(refused.err(), Some(MalformedOriginSecret));
        }
    }
}
