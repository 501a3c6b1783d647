//! Prefixes of codes.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::keyword::begins_with_keyword;

/// Maximum number of letters in a prefix.
pub(super) const MAX_LETTERS: usize = 8;

/// The letters before a code's hyphen: two to eight capital letters, `CS` by default. Carriers and
/// providers must not interpret a text that begins with them as a command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CodePrefix(String);

/// The reason why a text is not a code prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CodePrefixError {
    /// The text is not two to eight letters A to Z.
    #[error("a code prefix is two to eight letters A to Z")]
    Malformed,
    /// Carriers or providers would interpret the text as a command such as STOP.
    #[error(
        "a code prefix must not be or begin with a word that carriers or providers take for a \
         command, such as STOP"
    )]
    Keyword,
}

impl CodePrefix {
    /// Returns the letters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CodePrefix {
    type Err = CodePrefixError;

    /// Parses a prefix and converts it to upper case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = (2..=MAX_LETTERS).contains(&text.len());
        if !fits || !text.bytes().all(|c| c.is_ascii_alphabetic()) {
            return Err(CodePrefixError::Malformed);
        }
        let prefix = Self(text.to_ascii_uppercase());
        if begins_with_keyword(&prefix.0) {
            return Err(CodePrefixError::Keyword);
        }
        Ok(prefix)
    }
}

/// Allows looking up a `str` in a set of prefixes.
impl Borrow<str> for CodePrefix {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl Default for CodePrefix {
    fn default() -> Self {
        Self("CS".to_owned())
    }
}

impl fmt::Display for CodePrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_is_letters_and_never_a_command() {
        assert_eq!(
            "cs".parse::<CodePrefix>().as_ref().map(CodePrefix::as_str),
            Ok("CS")
        );
        for bad in ["", "C", "TOOLONGXY", "C1", "C-", "ÇS"] {
            assert_eq!(
                bad.parse::<CodePrefix>(),
                Err(CodePrefixError::Malformed),
                "{bad}"
            );
        }
        for keyword in [
            "stop", "TD", "remove", "OptOut", "ENDE", "tdx", "stopall", "info",
        ] {
            assert_eq!(
                keyword.parse::<CodePrefix>(),
                Err(CodePrefixError::Keyword),
                "{keyword}"
            );
        }
    }
}
