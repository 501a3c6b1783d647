//! Message templates: the words around the code in `confirmationMessage`.

mod language;

use std::collections::BTreeSet;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::app::code::{Code, CodePrefix, begins_with_keyword};
use crate::primitives::visible_text::shows_everything;

pub use language::{TemplateLanguage, UnknownLanguage};

/// The part of a template that the code replaces.
const PLACEHOLDER: &str = "{code}";
/// The GSM 7-bit alphabet without its control characters (3GPP TS 23.038, section 6.2.1).
const GSM: &str = "@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡\
                   ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/// The extension of the alphabet (section 6.2.1.1); each of its characters counts twice.
const GSM_EXTENSION: &str = "^{}\\[~]|€";
/// Maximum length of a single message in the GSM 7-bit alphabet, in septets.
const MAX_GSM_UNITS: usize = 160;
/// Maximum length of a single message in UCS-2, in UTF-16 units.
const MAX_UCS2_UNITS: usize = 70;

/// An app's message template: `{code}` once, with words around it.
///
/// Naming the service in the words protects people: someone who is tricked into sending them reads
/// what they are for. The message fits into a single text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageTemplate(String);

/// The reason why a text is not a message template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TemplateError {
    /// `{code}` is missing or appears more than once.
    #[error("a message template must contain {{code}} exactly once")]
    Placeholder,
    /// The message has an invisible character, or a space that phones remove.
    #[error(
        "a message template must be in Unicode normalization form C, without characters that are hidden \
         or reorder others, and without spaces at its ends"
    )]
    Character,
    /// The message is longer than a single text message.
    #[error("the message would not fit into a single text message")]
    TooLong,
    /// The code cannot be found in the message: letters or digits touch it, or the words themselves
    /// look like a code.
    #[error("the code cannot be found in the message; put spaces around {{code}}")]
    HidesCode,
    /// Carriers or providers would interpret the message as a command such as STOP.
    #[error(
        "the message must not begin with a word that carriers or providers take for a command, \
         such as STOP"
    )]
    Keyword,
}

impl MessageTemplate {
    /// Checks that the message fits and the code can be found in it, with a prefix of eight
    /// letters.
    fn check_with_longest_prefix(&self) -> Result<(), TemplateError> {
        let prefix = "XXXXXXXX".parse::<CodePrefix>().unwrap_or_default();
        let sample = Code::sample();
        let message = self.render(&sample, &prefix);
        if !is_single(&message) {
            return Err(TemplateError::TooLong);
        }
        match Code::find(&message, &BTreeSet::from([prefix])) {
            Ok(found) if found == sample => Ok(()),
            _ => Err(TemplateError::HidesCode),
        }
    }

    /// Returns the message that the person sends. The message contains the secret.
    #[must_use]
    pub fn render(&self, code: &Code, prefix: &CodePrefix) -> String {
        self.0.replace(PLACEHOLDER, &code.spell(prefix))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether a message fits into a single text.
fn is_single(message: &str) -> bool {
    let septets = |c| match (GSM.contains(c), GSM_EXTENSION.contains(c)) {
        (true, _) => Some(1),
        (_, true) => Some(2),
        _ => None,
    };
    match message.chars().map(septets).sum::<Option<usize>>() {
        Some(septets) => septets <= MAX_GSM_UNITS,
        None => message.encode_utf16().count() <= MAX_UCS2_UNITS,
    }
}

impl FromStr for MessageTemplate {
    type Err = TemplateError;

    /// Parses a template and checks the messages that it renders.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.matches(PLACEHOLDER).count() != 1 {
            return Err(TemplateError::Placeholder);
        }
        if !shows_everything(text) || text != text.trim() {
            return Err(TemplateError::Character);
        }
        let (before, _) = text.split_once(PLACEHOLDER).unwrap_or_default();
        if begins_with_keyword(before) {
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
            "¿Eres tú? {code}",
            "Shop & Co., 100% safe + free / #1 ({code})",
            "ログイン。{code}",
            "認証コード{code}です",
            "验证码{code}",
            "รหัส{code}ครับ",
            "「{code}」을 보내세요",
            "a\\b [c] {d} ~ {code}",
            "🛒 {code}",
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
            "a\n{code}",
            " {code}",
            "{code}\u{a0}",
            "a\0{code}",
            "{code} \u{7f}",
            "\u{202e}{code}",
            "a\u{200b} {code}",
        ] {
            assert_eq!(error(bad), TemplateError::Character, "{bad}");
        }
        assert_eq!(
            error(&format!("{} {{code}}", "a".repeat(140))),
            TemplateError::TooLong
        );
        assert_eq!(error("Shop{code}"), TemplateError::HidesCode);
        assert_eq!(error("{code}Shop"), TemplateError::HidesCode);
        assert_eq!(error("{code}２４"), TemplateError::HidesCode);
        assert_eq!(error("٢{code}"), TemplateError::HidesCode);
        for keyword in [
            "Stop. {code}",
            "TD Shop {code}",
            "Remove: {code}",
            "opt-out {code}",
        ] {
            assert_eq!(error(keyword), TemplateError::Keyword, "{keyword}");
        }
    }

    /// The code takes 25 characters with a prefix of eight letters.
    #[test]
    fn message_fills_a_single_text_and_no_more() {
        for (word, longest) in [
            ("a", 134),
            ("ü", 134),
            ("€", 67),
            ("ł", 44),
            ("界", 44),
            ("😀", 22),
        ] {
            let parsed = |count| {
                let text = format!("{} {{code}}", word.repeat(count));
                text.parse::<MessageTemplate>()
            };
            assert!(parsed(longest).is_ok(), "{word}");
            assert_eq!(parsed(longest + 1), Err(TemplateError::TooLong), "{word}");
        }
    }
}
