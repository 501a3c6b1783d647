//! Prefixes of codes.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Words that carriers and providers treat as commands at the start of a text, such as to
/// unsubscribe (CTIA messaging principles; Twilio and AWS list the same words).
const KEYWORDS: [&str; 16] = [
    "STOP",
    "STOPALL",
    "UNSUBSCRIBE",
    "CANCEL",
    "END",
    "QUIT",
    "OPTOUT",
    "REVOKE",
    "ARRET",
    "START",
    "YES",
    "UNSTOP",
    "HELP",
    "INFO",
    "SUBSCRIBE",
    "JOIN",
];

/// Returns whether carriers treat a text that starts with this word as a command.
pub(crate) fn is_carrier_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word.to_uppercase().as_str())
}

/// Maximum number of letters in a prefix.
pub(super) const MAX_LETTERS: usize = 8;

/// The letters before a code's hyphen: two to eight capital letters, `CS` by default, and never a
/// word that carriers treat as a command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePrefix(String);

/// The reason why a text is not a code prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CodePrefixError {
    /// Not two to eight letters A to Z.
    #[error("a code prefix is two to eight letters A to Z")]
    Malformed,
    /// Carriers would treat the text as a command such as STOP.
    #[error("a code prefix must not be a word that carriers treat as a command")]
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
        if !(2..=MAX_LETTERS).contains(&text.len())
            || !text.bytes().all(|c| c.is_ascii_alphabetic())
        {
            return Err(CodePrefixError::Malformed);
        }
        let prefix = text.to_ascii_uppercase();
        if is_carrier_keyword(&prefix) {
            return Err(CodePrefixError::Keyword);
        }
        Ok(Self(prefix))
    }
}

/// Allows a set of prefixes to be searched for a `str`.
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
        assert_eq!("stop".parse::<CodePrefix>(), Err(CodePrefixError::Keyword));
    }
}
