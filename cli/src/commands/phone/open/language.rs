//! The language of the user at the terminal.

use std::env;

/// The environment variables for the language of messages, in the order of precedence of POSIX.
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_MESSAGES", "LANG"];

/// Returns the tag of the user's language, if the environment specifies one.
pub(super) fn own() -> Option<String> {
    let mut values = VARIABLES.iter().filter_map(|name| env::var(name).ok());
    let locale = values.find(|value| !value.is_empty());
    locale.as_deref().and_then(language)
}

/// Returns the language tag of a locale: `de-AT` for `de_AT.UTF-8`. Returns `None` for the locales
/// `C` and `POSIX`.
fn language(locale: &str) -> Option<String> {
    let name = locale.split(['.', '@']).next().unwrap_or_default();
    let mut parts = name.split('_');
    let language = parts.next().unwrap_or_default();
    let is_language = matches!(language.len(), 2 | 3);
    let letters = |text: &str| text.bytes().all(|c| c.is_ascii_alphabetic());
    if !is_language || !letters(language) {
        return None;
    }
    match parts.next() {
        Some(region) if region.len() == 2 && letters(region) => {
            Some(format!("{language}-{region}"))
        }
        _ => Some(language.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locale_names_a_language() {
        for (locale, tag) in [
            ("de_AT.UTF-8", Some("de-AT")),
            ("ja", Some("ja")),
            ("pt_BR", Some("pt-BR")),
            ("sr_RS@latin", Some("sr-RS")),
            ("es_419", Some("es")),
            ("C.UTF-8", None),
            ("C", None),
            ("POSIX", None),
            ("", None),
            ("d\u{e9}\r\n", None),
        ] {
            assert_eq!(language(locale).as_deref(), tag, "{locale}");
        }
    }
}
