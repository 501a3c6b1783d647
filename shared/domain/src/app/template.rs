//! Message templates: the words around the code in `confirmationMessage`.

use std::collections::BTreeSet;
use std::str::FromStr;

use thiserror::Error;

use crate::app::code::{Code, CodePrefix};

/// The part of a template that the code replaces.
const PLACEHOLDER: &str = "{code}";
/// Maximum length of a single message in the GSM 7-bit alphabet, in characters (3GPP TS 23.038).
const MAX_GSM_UNITS: usize = 160;
/// Maximum length of a single message in UCS-2, in UTF-16 units.
const MAX_UCS2_UNITS: usize = 70;

/// An app's message template: `{code}` once, with plain words around it.
///
/// Naming the service in those words is a defence: a person who is tricked into sending them reads
/// what they are for. The words are letters, digits, spaces and plain punctuation. Android decodes
/// a link's body twice and would lose `+` and `%`; `&`, `?` and `#` would end the message in a
/// link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageTemplate(String);

/// The reason why a text is not a message template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TemplateError {
    /// `{code}` is missing or appears more than once.
    #[error("a message template must contain {{code}} exactly once")]
    Placeholder,
    /// A character that a link, a QR code or a phone would change.
    #[error("a message template may only contain letters, digits, spaces and . , : ; ! ' ( ) -")]
    Character,
    /// The message is longer than a single text message.
    #[error("the message would not fit into a single text message")]
    TooLong,
    /// The code cannot be found in the message: letters touch it, or the words look like a code
    /// themselves.
    #[error("the code cannot be found in the message; put spaces around {{code}}")]
    HidesCode,
    /// Carriers would treat the message as a command such as STOP.
    #[error("the message must not start with a word that carriers treat as a command")]
    Keyword,
}

impl MessageTemplate {
    /// Checks that the message fits and the code can be found in it, with a prefix of eight
    /// letters.
    fn check_with_longest_prefix(&self) -> Result<(), TemplateError> {
        let prefix = "XXXXXXXX".parse::<CodePrefix>().unwrap_or_default();
        let sample = Code::sample();
        let message = self.render(&sample, &prefix);
        let (units, longest) = if message.is_ascii() {
            (message.len(), MAX_GSM_UNITS)
        } else {
            (message.encode_utf16().count(), MAX_UCS2_UNITS)
        };
        if units > longest {
            return Err(TemplateError::TooLong);
        }
        match Code::find(&message, &BTreeSet::from([prefix])) {
            Ok(found) if found == sample => Ok(()),
            _ => Err(TemplateError::HidesCode),
        }
    }

    /// Returns the message that the person sends. It contains the secret.
    #[must_use]
    pub fn render(&self, code: &Code, prefix: &CodePrefix) -> String {
        self.0.replace(PLACEHOLDER, &code.spell(prefix))
    }

    /// Returns the template's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MessageTemplate {
    type Err = TemplateError;

    /// Parses a template and checks the messages that it renders.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some((before, after)) = text.split_once(PLACEHOLDER) else {
            return Err(TemplateError::Placeholder);
        };
        if after.contains(PLACEHOLDER) {
            return Err(TemplateError::Placeholder);
        }
        let allowed = |c: char| c.is_alphanumeric() || " .,:;!'()-".contains(c);
        if !before.chars().chain(after.chars()).all(allowed) || text != text.trim() {
            return Err(TemplateError::Character);
        }
        let first_word = before
            .split(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or("");
        if crate::app::code::is_carrier_keyword(first_word) {
            return Err(TemplateError::Keyword);
        }
        let template = Self(text.to_owned());
        template.check_with_longest_prefix()?;
        Ok(template)
    }
}

impl Default for MessageTemplate {
    fn default() -> Self {
        Self(PLACEHOLDER.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_of_plain_words_is_accepted() {
        for good in [
            "{code}",
            "Sign in to Shop: {code}",
            "{code} (Shop, login)",
            "Anmeldung für Lädle: {code}",
        ] {
            assert!(good.parse::<MessageTemplate>().is_ok(), "{good}");
        }
        let message = "Shop: {code}".parse::<MessageTemplate>().unwrap();
        assert_eq!(
            message.render(&Code::sample(), &CodePrefix::default()),
            format!("Shop: {}", Code::sample().spell(&CodePrefix::default()))
        );
    }

    #[test]
    fn template_that_would_break_in_transit_is_refused() {
        let error = |text: &str| text.parse::<MessageTemplate>().unwrap_err();
        assert_eq!(error("no code"), TemplateError::Placeholder);
        assert_eq!(error("{code} {code}"), TemplateError::Placeholder);
        for bad in [
            "100% {code}",
            "a+b {code}",
            "is it? {code}",
            "a\n{code}",
            " {code}",
            "{code} #1",
        ] {
            assert_eq!(error(bad), TemplateError::Character, "{bad}");
        }
        assert_eq!(
            error(&format!("{} {{code}}", "a".repeat(140))),
            TemplateError::TooLong
        );
        assert_eq!(
            error(&format!("{} {{code}}", "ü".repeat(50))),
            TemplateError::TooLong
        );
        assert_eq!(error("Shop{code}"), TemplateError::HidesCode);
        assert_eq!(error("{code}Shop"), TemplateError::HidesCode);
        assert_eq!(error("Stop. {code}"), TemplateError::Keyword);
    }
}
