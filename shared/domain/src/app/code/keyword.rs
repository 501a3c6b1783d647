//! Words that carriers and providers interpret as commands at the beginning of a text.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that make a text a command regardless of what follows, because AWS compares only the
/// beginning ("Keywords" and "Required opt-out keywords", AWS End User Messaging SMS User Guide).
const BEGINNINGS: [&str; 11] = [
    "ARRET",
    "CANCEL",
    "END",
    "HELP",
    "OPT-OUT",
    "OPTOUT",
    "QUIT",
    "REMOVE",
    "STOP",
    "TD",
    "UNSUBSCRIBE",
];

/// Words that are commands only as whole words: further words of Bandwidth, Infobip, Plivo, Sinch, Telnyx,
/// Twilio and Vonage, and the French, Spanish and Portuguese ones that carriers know.
const WORDS: [&str; 15] = [
    "AIDE",
    "ALTO",
    "AYUDA",
    "BAJA",
    "INFO",
    "JOIN",
    "OPT OUT",
    "PARAR",
    "PARE",
    "REVOKE",
    "SAIR",
    "START",
    "SUBSCRIBE",
    "UNSTOP",
    "YES",
];

/// Returns whether carriers or providers interpret a text that begins like this as a command, such
/// as to unsubscribe.
pub(crate) fn begins_with_keyword(text: &str) -> bool {
    let plain = text.nfkd().filter(|c| !is_combining_mark(*c));
    let plain: String = plain.flat_map(char::to_uppercase).collect();
    let begun = plain.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_word = |word: &str| {
        let rest = begun.strip_prefix(word);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    BEGINNINGS.into_iter().any(|word| begun.starts_with(word)) || WORDS.into_iter().any(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_begins_with_a_keyword_is_a_command() {
        for word in BEGINNINGS.iter().chain(&WORDS) {
            for text in [
                (*word).to_owned(),
                format!("{} and more", word.to_lowercase()),
                format!("\u{a0}\"{word}\": x"),
            ] {
                assert!(begins_with_keyword(&text), "{text}");
            }
        }
        for text in [
            "Stoppt",
            "ending",
            "TDX",
            "Arrêt : x",
            "ＳＴＯＰ",
            "stop-all",
            "OPT OUT",
        ] {
            assert!(begins_with_keyword(text), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_commands() {
        for text in [
            "",
            "CS",
            "Sign in to Shop: STOP",
            "Information",
            "Yesterday",
            "Startup",
            "Joint",
            "Pareto",
            "Option",
            "Weekend",
        ] {
            assert!(!begins_with_keyword(text), "{text}");
        }
    }
}
