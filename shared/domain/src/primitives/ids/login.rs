//! The session's id: what the code on the screen says.

use std::fmt;
use std::str::FromStr;

use base16ct::lower;

use super::{MalformedId, sixteen_bytes};
use crate::primitives::entropy::Entropy;

/// Names a QR session: 128 random bits. Nobody is anybody by knowing it, since it is on a screen
/// for all to see; the browser and the phone each prove themselves with a
/// [token](super::token::Token).
///
/// Written `qrs_` and 32 lower-case hexadecimal digits, which a link carries as they are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoginId([u8; 16]);

impl LoginId {
    const PREFIX: &'static str = "qrs_";

    /// A new random id.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        Self(bytes)
    }

    /// The id with these 128 bits; stores rebuild it from keys.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The 128 bits.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl FromStr for LoginId {
    type Err = MalformedId;

    /// Reads the written form.
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
        fn an_id_reads_back(bytes: [u8; 16]) {
            let id = LoginId::from_bytes(bytes);
            prop_assert_eq!(id.to_string().parse::<LoginId>(), Ok(id));
        }

        #[test]
        fn what_reads_as_an_id_has_no_other_spelling(text in "(qrs_)?[0-9a-fA-F]{30,34}") {
            if let Ok(id) = text.parse::<LoginId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }

    #[test]
    fn a_malformed_id_is_refused() {
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
