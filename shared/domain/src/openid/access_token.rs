//! Access tokens: opaque, valid for ten minutes, and only for the provider's `UserInfo` endpoint.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::code::GrantId;
use crate::primitives::entropy::Entropy;
use crate::primitives::token::{Holder, MalformedToken, Token, TokenHash};

/// Time for which an access token is valid.
pub const VALIDITY: Duration = Duration::from_mins(10);

/// The client that holds an access token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bearer {}

impl Holder for Bearer {
    const DOMAIN: &'static [u8] = b"countersign/openid/access/1\0";
    const NAME: &'static str = "AccessToken";
}

/// The stored hash of an access token's secret.
pub type AccessTokenHash = TokenHash<Bearer>;

/// An access token: the id of its grant, and 32 random bytes. Written as 65 characters.
#[derive(Clone)]
pub struct AccessToken {
    grant: GrantId,
    secret: Token<Bearer>,
}

impl AccessToken {
    /// Creates a random token.
    #[must_use]
    pub fn generate(grant: GrantId, entropy: &dyn Entropy) -> Self {
        Self {
            grant,
            secret: Token::generate(entropy),
        }
    }

    /// Returns the id of the grant that the token belongs to, if it is genuine.
    #[must_use]
    pub const fn grant(&self) -> GrantId {
        self.grant
    }

    /// Returns the hash of the token's secret. Only the hash is stored.
    #[must_use]
    pub fn hash(&self) -> AccessTokenHash {
        self.secret.hash()
    }

    /// Returns the text form, for sending it.
    #[must_use]
    pub fn reveal(&self) -> String {
        let grant = BASE64_URL_SAFE_NO_PAD.encode(self.grant.as_bytes());
        grant + &self.secret.reveal()
    }

    /// Returns the claim `at_hash` of the ID token (`OpenID` Connect Core, section 3.1.3.6).
    #[must_use]
    pub fn claim(&self) -> String {
        let digest = Sha256::digest(self.reveal().as_bytes());
        BASE64_URL_SAFE_NO_PAD.encode(&digest[..16])
    }
}

impl FromStr for AccessToken {
    type Err = MalformedToken;

    /// Parses the text form. Each token has only one.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (grant, secret) = text.split_at_checked(22).ok_or(MalformedToken)?;
        let mut bytes = [0; 16];
        match BASE64_URL_SAFE_NO_PAD.decode_slice(grant, &mut bytes) {
            Ok(16) => Ok(Self {
                grant: GrantId::from_bytes(bytes),
                secret: secret.parse()?,
            }),
            _ => Err(MalformedToken),
        }
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::entropy::FixedEntropy;

    #[test]
    fn token_round_trips_and_is_hidden() {
        let token = AccessToken::generate(GrantId::from_bytes([7; 16]), &FixedEntropy(0xa7));
        let text = token.reveal();
        assert_eq!(text.len(), 65);
        let read = text.parse::<AccessToken>().unwrap();
        assert_eq!((read.grant(), read.hash()), (token.grant(), token.hash()));
        assert_eq!(format!("{token:?}"), "AccessToken(…)");
        for bad in ["", "a", &text[1..], &format!("{text}A"), &"ä".repeat(40)] {
            assert!(bad.parse::<AccessToken>().is_err(), "{bad}");
        }
    }

    /// `OpenID` Connect Core, appendix A.3, has this token and hash.
    #[test]
    fn claim_is_the_left_half_of_the_digest() {
        let digest = Sha256::digest(b"jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y");
        let claim = BASE64_URL_SAFE_NO_PAD.encode(&digest[..16]);
        assert_eq!(claim, "77QmUPtjPfzWtF2AnpK9RQ");
        let token = AccessToken::generate(GrantId::from_bytes([7; 16]), &FixedEntropy(1));
        assert_eq!(token.claim().len(), 22);
    }
}
