//! The number that an app may have on WhatsApp in addition to its numbers for texts.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use serde_with::DeserializeFromStr;
use thiserror::Error;

use crate::primitives::phone::PhoneNumber;

/// One of our numbers on WhatsApp, in E.164. Short codes are not on WhatsApp.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, DeserializeFromStr)]
pub struct WhatsAppNumber(PhoneNumber);

/// The error for a text that is not a phone number in E.164.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a number on WhatsApp is written in E.164, such as +12025550199")]
pub struct MalformedWhatsAppNumber;

impl WhatsAppNumber {
    /// Parses the recipient of a text as a provider writes it, with or without the `+`.
    ///
    /// # Errors
    ///
    /// Fails if the digits are not a number in E.164.
    pub fn parse_recipient(written: &str) -> Result<Self, MalformedWhatsAppNumber> {
        let digits = written.strip_prefix('+').unwrap_or(written);
        format!("+{digits}").parse::<Self>()
    }

    /// Returns the number in E.164. The number is ours, so it is not a secret.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the number without the `+`, as links to WhatsApp require.
    #[must_use]
    pub fn digits(&self) -> &str {
        self.as_str().trim_start_matches('+')
    }
}

impl FromStr for WhatsAppNumber {
    type Err = MalformedWhatsAppNumber;

    /// Parses E.164. The number is converted to its country's current numbering if possible, so that
    /// the spellings of an operator and a provider compare equal.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let as_given = PhoneNumber::parse_e164(text).map_err(|_| MalformedWhatsAppNumber)?;
        Ok(Self(PhoneNumber::parse_sender(text).unwrap_or(as_given)))
    }
}

impl fmt::Display for WhatsAppNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for WhatsAppNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WhatsAppNumber")
            .field(&self.as_str())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipient_is_the_same_number_with_and_without_its_plus() {
        let ours = "+12025550177".parse::<WhatsAppNumber>();
        for written in ["+12025550177", "12025550177"] {
            assert_eq!(WhatsAppNumber::parse_recipient(written), ours, "{written}");
        }
        for other in ["", "+", "++12025550177", "2025550177", "12025550178"] {
            assert_ne!(WhatsAppNumber::parse_recipient(other), ours, "{other}");
        }
    }

    #[test]
    fn only_e164_is_a_number_on_whatsapp() {
        for bad in ["", "12345", "12025550177", "ACME", "whatsapp:+12025550177"] {
            assert!(bad.parse::<WhatsAppNumber>().is_err(), "{bad}");
        }
    }
}
