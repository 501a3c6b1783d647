//! The id of a login, which the QR code on the screen contains.

use std::fmt;
use std::str::FromStr;

use base16ct::lower;

use super::{MalformedId, sixteen_bytes};
use crate::primitives::entropy::Entropy;

/// Identifies a login by 128 random bits. Knowing the id proves nothing, since it is on a screen
/// for everyone to see; the browser and the phone each prove themselves with a
/// [token](crate::login::token::Token).
///
/// Written as `qrs_` and 32 lower-case hexadecimal digits, which links carry without escaping.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoginId([u8; 16]);

impl LoginId {
    const PREFIX: &'static str = "qrs_";

    /// Creates a random id.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        Self(bytes)
    }

    /// Creates an id from its 128 bits, for stores.
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

impl FromStr for LoginId {
    type Err = MalformedId;

    /// Parses the text form.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        sixteen_bytes(Self::PREFIX, text).map(Self)
    }
}

impl fmt::Display for LoginId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::PREFIX, lower::encode_string(&self.0))
    }
}

impl fmt::Debug for LoginId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn id_round_trips_through_text(bytes: [u8; 16]) {
            let id = LoginId::from_bytes(bytes);
            prop_assert_eq!(id.to_string().parse::<LoginId>(), Ok(id));
        }

        #[test]
        fn id_has_one_spelling(text in "(qrs_)?[0-9a-fA-F]{30,34}") {
            if let Ok(id) = text.parse::<LoginId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }

    #[test]
    fn malformed_id_is_refused() {
        let other = "cfm_00112233445566778899aabbccddeeff";
        for text in [
            "",
            "qrs_",
            "qrs_00",
            other,
            "00112233445566778899aabbccddeeff",
        ] {
            assert_eq!(text.parse::<LoginId>(), Err(MalformedId), "{text}");
        }
    }
}
