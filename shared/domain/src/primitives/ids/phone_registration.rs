//! The id of a phone registration.

use std::fmt;
use std::str::FromStr;

use base16ct::lower;
use serde_with::{DeserializeFromStr, SerializeDisplay};

use super::{MalformedId, sixteen_bytes};
use crate::primitives::entropy::Entropy;

/// The id of a phone registration: 128 random bits. It is in the link, but proves nothing: page and phone have tokens.
///
/// Written as `phr_` and 32 lower-case hexadecimal digits.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr,
)]
pub struct PhoneRegistrationId([u8; 16]);

impl PhoneRegistrationId {
    const PREFIX: &'static str = "phr_";

    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        Self(bytes)
    }

    /// Creates an id from its 128 bits.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the 128 bits.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl FromStr for PhoneRegistrationId {
    type Err = MalformedId;

    /// Parses the text form.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        sixteen_bytes(Self::PREFIX, text).map(Self)
    }
}

impl fmt::Display for PhoneRegistrationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::PREFIX, lower::encode_string(&self.0))
    }
}

impl fmt::Debug for PhoneRegistrationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_has_one_text_form() {
        let id = PhoneRegistrationId::from_bytes([7; 16]);
        assert_eq!(id.to_string(), format!("phr_{}", "07".repeat(16)));
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in ["", "phr_", "phr_07", "qrs_07070707070707070707070707070707"] {
            assert_eq!(text.parse::<PhoneRegistrationId>(), Err(MalformedId));
        }
        let capitals = format!("phr_{}", "0A".repeat(16));
        assert_eq!(capitals.parse::<PhoneRegistrationId>(), Err(MalformedId));
    }
}
