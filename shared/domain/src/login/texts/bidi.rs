//! Directional isolates (Unicode Standard Annex 9, section 2.5), for names inside right-to-left texts.

/// First strong isolate: the first letter of the following text determines its direction.
const FSI: char = '\u{2068}';

/// Left-to-right isolate.
const LRI: char = '\u{2066}';

/// Pop directional isolate: the end of either isolate.
const PDI: char = '\u{2069}';

/// Removes the characters that change the direction of the following text. Such characters in a
/// name could end its isolate, or reorder the text around it.
pub(super) fn without_controls(text: &str) -> String {
    text.chars().filter(|c| !is_control(*c)).collect()
}

/// Isolates a name, so that it and the surrounding text do not reorder each other.
pub(super) fn isolated(name: &str) -> String {
    format!("{FSI}{name}{PDI}")
}

/// Isolates a text that is written from left to right, even if it has no letter with that
/// direction.
pub(super) fn left_to_right(text: &str) -> String {
    format!("{LRI}{text}{PDI}")
}

/// Returns whether a character has the property `Bidi_Control`.
const fn is_control(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_cannot_leave_its_isolate() {
        let name = without_controls("Ber\u{2069}lin\u{202e}, \u{2066}DE\u{200f}");
        assert_eq!(name, "Berlin, DE");
        assert_eq!(isolated(&name), "\u{2068}Berlin, DE\u{2069}");
        assert_eq!(left_to_right("a.example"), "\u{2066}a.example\u{2069}");
    }
}
