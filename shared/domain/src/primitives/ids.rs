//! Identifiers. Each id has a prefix that shows its kind, and exactly one text form.

mod login;
mod phone_registration;

use std::fmt;
use std::str::FromStr;

use base16ct::lower;
use serde::Serialize;
use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;

use crate::primitives::entropy::Entropy;

pub use login::{LoginId, LoginKind};
pub use phone_registration::PhoneRegistrationId;

/// The error for a malformed identifier, or one of a different kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a well-formed identifier")]
pub struct MalformedId;

/// Parses an id of 16 bytes: the prefix and 32 lower-case hexadecimal digits.
fn sixteen_bytes(prefix: &str, text: &str) -> Result<[u8; 16], MalformedId> {
    let digits = text.strip_prefix(prefix).ok_or(MalformedId)?;
    let mut bytes = [0; 16];
    match lower::decode(digits, &mut bytes) {
        Ok(decoded) if decoded.len() == 16 => Ok(bytes),
        _ => Err(MalformedId),
    }
}

/// The id of a confirmation. It is a one-way hash of the code: an inbound text's item can be looked
/// up by primary key, but the store never contains the code itself.
///
/// Written as `cfm_` and 32 lower-case hexadecimal digits.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr,
)]
pub struct ConfirmationId([u8; 16]);

impl ConfirmationId {
    const PREFIX: &'static str = "cfm_";

    /// Creates an id from its 128 bits. Only [`crate::app::code::Code`] derives these bits from a
    /// code; stores restore them from keys.
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

impl FromStr for ConfirmationId {
    type Err = MalformedId;

    /// Parses the text form.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        sixteen_bytes(Self::PREFIX, text).map(Self)
    }
}

impl fmt::Display for ConfirmationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::PREFIX, lower::encode_string(&self.0))
    }
}

impl fmt::Debug for ConfirmationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The id of a webhook for its receiver (header `webhook-id` of the Standard Webhooks scheme). All
/// attempts and redeliveries share it, so that a receiver can detect duplicates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WebhookId(String);

impl WebhookId {
    /// Returns the id of a confirmation's only webhook.
    #[must_use]
    pub fn for_confirmation(id: &ConfirmationId) -> Self {
        Self(format!("msg_{}", lower::encode_string(id.as_bytes())))
    }

    /// Returns the id of a login's only webhook.
    #[must_use]
    pub fn for_login(id: &LoginId) -> Self {
        Self(format!("msg_{}", lower::encode_string(id.as_bytes())))
    }

    /// Returns the id of a phone registration's only webhook.
    #[must_use]
    pub fn for_phone_registration(id: &PhoneRegistrationId) -> Self {
        Self(format!("msg_{}", lower::encode_string(id.as_bytes())))
    }

    /// Creates a random id for a test webhook, which belongs to no confirmation.
    #[must_use]
    pub fn for_test(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        Self(format!("msg_test_{}", lower::encode_string(&bytes)))
    }

    /// Returns the text form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The id of an app within a deployment: 1 to 40 lower-case letters, digits and inner hyphens,
/// starting with a letter (`demo`, `shop-eu`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, DeserializeFromStr)]
pub struct AppId(String);

impl AppId {
    /// Returns the text form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The error for a text that is not an app's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "an app's name is 1 to 40 lower-case letters, digits and inner hyphens, and begins with a letter"
)]
pub struct MalformedAppName;

impl FromStr for AppId {
    type Err = MalformedAppName;

    /// Parses the text form.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let inner = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
        let well_formed = (1..=40).contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && !text.ends_with('-')
            && text.bytes().all(inner);
        well_formed
            .then(|| Self(text.to_owned()))
            .ok_or(MalformedAppName)
    }
}

impl fmt::Display for AppId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn confirmation_id_round_trips_through_text(bytes: [u8; 16]) {
            let id = ConfirmationId::from_bytes(bytes);
            prop_assert_eq!(id.to_string().parse::<ConfirmationId>(), Ok(id));
        }

        #[test]
        fn confirmation_id_has_one_spelling(text in "(cfm_)?[0-9a-fA-F]{30,34}") {
            if let Ok(id) = text.parse::<ConfirmationId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }

    #[test]
    fn malformed_confirmation_id_is_refused() {
        for text in ["", "cfm_", "cfm_00", "CFM_00112233445566778899aabbccddeeff"] {
            assert_eq!(text.parse::<ConfirmationId>(), Err(MalformedId), "{text}");
        }
        assert!(
            "cfm_00112233445566778899AABBCCDDEEFF"
                .parse::<ConfirmationId>()
                .is_err()
        );
        assert!(
            "cfm_00112233445566778899aabbccddeeff"
                .parse::<ConfirmationId>()
                .is_ok()
        );
    }

    #[test]
    fn app_id_is_a_plain_name() {
        for good in ["demo", "a", "shop-eu", "a1"] {
            assert!(good.parse::<AppId>().is_ok(), "{good}");
        }
        for bad in ["", "Demo", "1a", "-a", "a-", "a_b", "a b", &"a".repeat(41)] {
            assert!(bad.parse::<AppId>().is_err(), "{bad}");
        }
    }
}
