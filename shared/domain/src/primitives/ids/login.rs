//! The id of a login, which the QR code on the screen contains.

use std::fmt;
use std::str::FromStr;

use base16ct::lower;
use serde_with::{DeserializeFromStr, SerializeDisplay};
use strum::VariantArray as _;

use super::{MalformedId, sixteen_bytes};

/// The id of a login: 128 bits of a hash, which [`crate::login::identity`] computes. Knowing the id
/// proves nothing, because everyone can see it on the screen; the browser and the phone each prove
/// themselves with a [token](crate::primitives::token::Token).
///
/// Written as the prefix of its kind and 32 lower-case hexadecimal digits, which need no escaping in
/// links. Ids of different kinds are different, even if their bits are equal.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr,
)]
pub struct LoginId {
    kind: LoginKind,
    bytes: [u8; 16],
}

/// The kind of a login, shown by the prefix of its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::VariantArray)]
pub enum LoginKind {
    /// The browser has a key, which the id covers: `qrs_`. Only sealed payloads are accepted.
    Sealed,
    /// The browser has no key: `qrp_`. Only readable payloads are accepted.
    Plain,
}

impl LoginKind {
    /// Returns the prefix of the ids of this kind.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Sealed => "qrs_",
            Self::Plain => "qrp_",
        }
    }
}

impl LoginId {
    /// Creates an id from its kind and its 128 bits. Only [`crate::login::identity`] derives these
    /// bits; stores restore them from keys.
    #[must_use]
    pub const fn from_bytes(kind: LoginKind, bytes: [u8; 16]) -> Self {
        Self { kind, bytes }
    }

    #[must_use]
    pub const fn kind(&self) -> LoginKind {
        self.kind
    }

    /// Returns the 128 bits, which do not include the kind.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.bytes
    }
}

impl FromStr for LoginId {
    type Err = MalformedId;

    /// Parses the text form.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kind = LoginKind::VARIANTS
            .iter()
            .copied()
            .find(|kind| text.starts_with(kind.prefix()))
            .ok_or(MalformedId)?;
        let bytes = sixteen_bytes(kind.prefix(), text)?;
        Ok(Self { kind, bytes })
    }
}

impl fmt::Display for LoginId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = lower::encode_string(&self.bytes);
        write!(f, "{}{digits}", self.kind.prefix())
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
        fn id_round_trips_through_text(bytes: [u8; 16], plain: bool) {
            let kind = if plain { LoginKind::Plain } else { LoginKind::Sealed };
            let id = LoginId::from_bytes(kind, bytes);
            prop_assert_eq!(id.to_string().parse::<LoginId>(), Ok(id));
        }

        #[test]
        fn id_has_one_spelling(text in "(qr[sp]_)?[0-9a-fA-F]{30,34}") {
            if let Ok(id) = text.parse::<LoginId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }

    #[test]
    fn kinds_with_equal_bits_are_different_ids() {
        let kinds = [LoginKind::Sealed, LoginKind::Plain];
        let [sealed, plain] = kinds.map(|kind| LoginId::from_bytes(kind, [7; 16]));
        assert_ne!(sealed, plain);
        assert_eq!(sealed.to_string(), format!("qrs_{}", "07".repeat(16)));
        assert_eq!(plain.to_string(), format!("qrp_{}", "07".repeat(16)));
    }

    #[test]
    fn malformed_id_is_refused() {
        let other = "cfm_00112233445566778899aabbccddeeff";
        for text in [
            "",
            "qrs_",
            "qrp_",
            "qrs_00",
            "qrx_00112233445566778899aabbccddeeff",
            "QRS_00112233445566778899aabbccddeeff",
            other,
            "00112233445566778899aabbccddeeff",
        ] {
            assert_eq!(text.parse::<LoginId>(), Err(MalformedId), "{text}");
        }
    }
}
