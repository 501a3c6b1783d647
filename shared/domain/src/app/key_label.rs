//! The label of a key or secret, by which people tell several of them apart.

use std::fmt;
use std::str::FromStr;

use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;

use crate::primitives::visible_text::{shows_everything, shows_something};

const MAX_CHARS: usize = 60;

/// A label in a few words, such as the server or the phone that has the key.
#[derive(Clone, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub struct KeyLabel(String);

/// The error for a label that is empty, too long or not wholly visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a label is 1 to {MAX_CHARS} visible characters on one line")]
pub struct MalformedKeyLabel;

impl KeyLabel {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyLabel {
    type Err = MalformedKeyLabel;

    /// Parses a label. Spaces around it are dropped.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let is_short = text.chars().count() <= MAX_CHARS;
        if is_short && shows_something(text) && shows_everything(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedKeyLabel)
        }
    }
}

impl fmt::Display for KeyLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_is_what_a_person_sees() {
        let longest = "é".repeat(MAX_CHARS);
        for (text, label) in [
            ("  Payments, server 2 ", "Payments, server 2"),
            ("東京", "東京"),
            (&longest, &longest),
        ] {
            let parsed = text.parse::<KeyLabel>();
            assert_eq!(parsed.as_ref().map(KeyLabel::as_str), Ok(label));
        }
        let too_long = "a".repeat(MAX_CHARS + 1);
        for text in [
            "",
            "  ",
            &too_long,
            "two\nlines",
            "tab\tbed",
            "\u{1b}[31mred",
            "turned\u{202e}round",
            "zero\u{200b}width",
        ] {
            assert_eq!(text.parse::<KeyLabel>(), Err(MalformedKeyLabel), "{text:?}");
        }
    }
}
