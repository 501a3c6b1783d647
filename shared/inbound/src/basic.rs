//! Basic authentication (RFC 7617).

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderName;
use http::header::AUTHORIZATION;
use sha2::{Digest as _, Sha256};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::call::Call;
use crate::mac::equal;

/// A user's name and password, which the provider sends with each call.
///
/// `Debug` hides them.
#[derive(Clone, PartialEq, Eq)]
pub struct BasicCredentials(Zeroizing<String>);

/// The text does not consist of a name and a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "credentials must be a name, a colon and a password of at least 16 characters, visible ASCII \
     without spaces"
)]
pub struct MalformedCredentials;

impl FromStr for BasicCredentials {
    type Err = MalformedCredentials;

    /// Parses `name:password`.
    fn from_str(text: &str) -> Result<Self, MalformedCredentials> {
        let (name, password) = text.split_once(':').ok_or(MalformedCredentials)?;
        let visible = text.bytes().all(|c| c.is_ascii_graphic());
        if !name.is_empty() && (16..=256).contains(&password.len()) && visible {
            Ok(Self(Zeroizing::new(text.to_owned())))
        } else {
            Err(MalformedCredentials)
        }
    }
}

impl BasicCredentials {
    /// Returns whether a call carries these credentials. The comparison takes the same time for
    /// guesses of any length.
    pub(crate) fn are_in(&self, call: &Call<'_>) -> bool {
        let given = call.header(AUTHORIZATION.as_str()).and_then(|value| {
            let (scheme, encoded) = value.split_once(' ')?;
            let basic = scheme.eq_ignore_ascii_case("basic");
            basic
                .then(|| BASE64_STANDARD.decode(encoded).ok())
                .flatten()
        });
        given.is_some_and(|given| equal(&Sha256::digest(self.0.as_bytes()), &Sha256::digest(given)))
    }

    /// Returns the header that carries these credentials.
    pub(crate) fn header(&self) -> (HeaderName, String) {
        let encoded = BASE64_STANDARD.encode(self.0.as_bytes());
        (AUTHORIZATION, format!("Basic {encoded}"))
    }
}

impl fmt::Debug for BasicCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BasicCredentials(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_or_malformed_credentials_are_refused() {
        for bad in [
            "",
            "name",
            ":0123456789abcdef",
            "name:short",
            "name:0123456789abcde ",
            "name:0123456789abcdé",
        ] {
            let parsed = bad.parse::<BasicCredentials>();
            assert_eq!(parsed, Err(MalformedCredentials), "{bad}");
        }
        let good: BasicCredentials = "name:0123456789:bcdef".parse().unwrap();
        assert!(!format!("{good:?}").contains("0123"));
    }
}
