//! The opener of a login, and the context: the action that the person approves, as described by the
//! app's server.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::DeserializeFromStr;
use thiserror::Error;
use unicode_normalization::is_nfc;

use super::user::ClaimedUserId;
use crate::primitives::visible_text::{shows_everything, shows_something};

/// Maximum length of a context, in bytes of UTF-8.
pub const MAX_CONTEXT_BYTES: usize = 1024;

/// Maximum number of lines of a context.
pub const MAX_CONTEXT_LINES: usize = 12;

/// A text that the person approves on the phone, such as "Pay 20 EUR to …". The login's id and the
/// proof both cover it. A context may name people, so `Debug` hides it.
///
/// A context looks the same everywhere: it is in normalization form C, U+000A is its only line
/// separator, and each of its characters is visible.
#[derive(Clone, PartialEq, Eq, Serialize, DeserializeFromStr)]
pub struct Context(String);

/// The reason why a text is not a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ContextError {
    /// The context is empty or contains only spaces.
    #[error("the context shows nothing")]
    Blank,
    /// The context is longer than [`MAX_CONTEXT_BYTES`].
    #[error("the context is longer than {MAX_CONTEXT_BYTES} bytes")]
    TooLong,
    /// The context has more lines than [`MAX_CONTEXT_LINES`].
    #[error("the context has more than {MAX_CONTEXT_LINES} lines")]
    TooManyLines,
    /// The text has another encoding that looks the same.
    #[error("the context is not in Unicode normalization form C")]
    NotNormalized,
    /// The context has an invisible character (such as a control character other than the line feed), a
    /// character that reorders others or that screens render differently or not at all (unassigned, for
    /// private use), or too many marks on a letter.
    #[error(
        "the context has a character that is hidden, hides or reorders others, or has no meaning that \
         every screen shares"
    )]
    Hidden,
}

impl Context {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Context {
    type Err = ContextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > MAX_CONTEXT_BYTES {
            Err(ContextError::TooLong)
        } else if text.split('\n').count() > MAX_CONTEXT_LINES {
            Err(ContextError::TooManyLines)
        } else if !shows_something(text) {
            Err(ContextError::Blank)
        } else if !is_nfc(text) {
            Err(ContextError::NotNormalized)
        } else if text.split('\n').all(shows_everything) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ContextError::Hidden)
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Context(…)")
    }
}

/// The party that opened a login. Only a server can set a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoginCreator {
    /// A page in a browser, with the app's public key.
    Page,
    /// The app's server, with an API key. The server's location says nothing about the person.
    Server {
        /// Text that the person approves, if any.
        #[serde(skip_serializing_if = "Option::is_none")]
        context: Option<Context>,
        /// User who must decide; `None` if the server does not name one.
        #[serde(skip_serializing_if = "Option::is_none")]
        user: Option<ClaimedUserId>,
    },
}

impl LoginCreator {
    /// Returns the text that the person approves.
    #[must_use]
    pub const fn context(&self) -> Option<&Context> {
        match self {
            Self::Page => None,
            Self::Server { context, .. } => context.as_ref(),
        }
    }

    /// Returns the user who must decide.
    #[must_use]
    pub const fn user(&self) -> Option<&ClaimedUserId> {
        match self {
            Self::Page => None,
            Self::Server { user, .. } => user.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_is_a_few_lines_of_any_script() {
        let longest = "x".repeat(MAX_CONTEXT_BYTES);
        let lines = "x\n".repeat(MAX_CONTEXT_LINES - 1);
        for good in [
            "Pay 20 EUR to Zoë",
            "a\n\nb",
            "支払う",
            "שלם",
            "👍",
            &longest,
            &lines,
        ] {
            assert_eq!(good.parse::<Context>().unwrap().as_str(), good);
        }
    }

    #[test]
    fn text_that_screens_show_differently_is_refused() {
        let long = "x".repeat(MAX_CONTEXT_BYTES + 1);
        let lines = "x\n".repeat(MAX_CONTEXT_LINES);
        for (text, error) in [
            ("", ContextError::Blank),
            (" \n\u{3000}", ContextError::Blank),
            (long.as_str(), ContextError::TooLong),
            (lines.as_str(), ContextError::TooManyLines),
            ("Zoe\u{308}", ContextError::NotNormalized),
        ] {
            assert_eq!(text.parse::<Context>(), Err(error), "{text:?}");
        }
        for control in [
            '\0',
            '\t',
            '\r',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{61c}',
            '\u{200e}',
            '\u{200f}',
            '\u{2028}',
            '\u{2029}',
            '\u{202a}',
            '\u{202e}',
            '\u{2066}',
            '\u{2069}',
            '\u{ad}',
            '\u{200b}',
            '\u{e0041}',
            '\u{fdd0}',
            '\u{e000}',
        ] {
            let parsed = format!("Pay {control}20").parse::<Context>();
            assert_eq!(parsed, Err(ContextError::Hidden), "{control:?}");
        }
    }

    #[test]
    fn debug_hides_the_text() {
        let context = "Pay Zoe".parse::<Context>().unwrap();
        let creator = LoginCreator::Server {
            context: Some(context),
            user: "zoe".parse().ok(),
        };
        assert!(!format!("{creator:?}").contains("zoe"));
        assert!(!format!("{creator:?}").contains("Zoe"));
    }
}
