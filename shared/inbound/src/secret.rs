//! Secrets shared with a provider.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use zeroize::Zeroizing;

/// Minimum length of a secret, in bytes. Providers generate at least twice as many.
const MIN: usize = 8;
/// Maximum length of a secret, in bytes.
const MAX: usize = 512;

/// A secret that a provider signs with, as its console shows it.
///
/// `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct SharedSecret(Zeroizing<String>);

/// The text cannot be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a secret must have 8 to 512 visible ASCII characters, without spaces")]
pub struct UnusableSecret;

impl SharedSecret {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl FromStr for SharedSecret {
    type Err = UnusableSecret;

    /// Does not trim the text: a trailing space is a mistake in the configuration, and is refused
    /// rather than removed.
    fn from_str(text: &str) -> Result<Self, UnusableSecret> {
        let visible = text.bytes().all(|c| c.is_ascii_graphic());
        if visible && (MIN..=MAX).contains(&text.len()) {
            Ok(Self(Zeroizing::new(text.to_owned())))
        } else {
            Err(UnusableSecret)
        }
    }
}

/// A secret of 32 hexadecimal digits: Twilio's auth tokens and Meta's app secrets.
#[derive(Debug)]
pub(crate) struct HexSecret(pub(crate) SharedSecret);

/// The text is not a hexadecimal secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("this secret must have 32 hexadecimal digits")]
pub(crate) struct MalformedHexSecret;

impl FromStr for HexSecret {
    type Err = MalformedHexSecret;

    fn from_str(text: &str) -> Result<Self, MalformedHexSecret> {
        let is_hex = text.len() == 32 && text.bytes().all(|c| c.is_ascii_hexdigit());
        let secret = is_hex.then(|| text.parse().ok()).flatten();
        secret.map(Self).ok_or(MalformedHexSecret)
    }
}

impl fmt::Debug for SharedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedSecret(…)")
    }
}

/// A secret, or two during a rotation, when calls signed with either are authentic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotating<T> {
    first: T,
    second: Option<T>,
}

impl<T> Rotating<T> {
    /// Creates a pair. The first secret signs our own test calls.
    pub const fn pair(first: T, second: T) -> Self {
        Self {
            first,
            second: Some(second),
        }
    }

    /// Returns the secret that signs our own test calls.
    pub const fn first(&self) -> &T {
        &self.first
    }

    /// Returns whether there are two.
    pub const fn is_pair(&self) -> bool {
        self.second.is_some()
    }

    /// Returns the one or the two secrets, the newer one first.
    pub fn into_list(self) -> Vec<T> {
        let mut list = vec![self.first];
        list.extend(self.second);
        list
    }

    /// Returns whether any of the secrets satisfies the predicate.
    pub(crate) fn any(&self, mut fits: impl FnMut(&T) -> bool) -> bool {
        fits(&self.first) || self.second.as_ref().is_some_and(fits)
    }
}

impl<T> From<T> for Rotating<T> {
    fn from(only: T) -> Self {
        Self {
            first: only,
            second: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_that_cannot_be_one_is_refused() {
        for bad in [
            "",
            "short",
            "with space",
            "12345678 ",
            "12345678\n",
            "pässwort",
        ] {
            assert_eq!(bad.parse::<SharedSecret>(), Err(UnusableSecret), "{bad:?}");
        }
        assert!("12345678".parse::<SharedSecret>().is_ok());
        assert!("x".repeat(513).parse::<SharedSecret>().is_err());
    }

    #[test]
    fn secret_of_another_form_is_refused() {
        let digits = "0123456789abcdef0123456789abcdef";
        assert!(digits.parse::<HexSecret>().is_ok());
        for bad in [
            "",
            &digits[1..],
            &digits.replace('f', "g"),
            &format!("{digits}0"),
            &format!("{} ", &digits[1..]),
        ] {
            assert!(bad.parse::<HexSecret>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn debug_hides_the_secret() {
        let secret: SharedSecret = "hunter2hunter2".parse().unwrap();
        assert!(!format!("{:?}", Rotating::from(secret)).contains("hunter2"));
    }
}
